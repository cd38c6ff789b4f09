package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows"
)

type recordFlags struct {
	display             displayFlags
	file                string
	duration            time.Duration
	make                compileFlags
	force               bool
	patience            int
	stop, pause, assert string
}

func (a *app) record() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record -o FILE",
		Short: "Watch what you do, and write it down as a workflow",
		Long: "Watch what you do until Ctrl-C, the stop key or the end of --duration, and write\n" +
			"it down as a workflow. What was seen is kept beside it, as FILE's name with the\n" +
			"ending .events.jsonl, so that `understudy compile` can make the workflow again,\n" +
			"and pictures of what was clicked in a folder with the ending .pictures.\n" +
			"What is typed into password fields is never written.",
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.watch(cmd, &f) },
	}
	cmd.Flags().StringVarP(&f.file, "output", "o", "", "the file of the workflow (needed)")
	cmd.Flags().DurationVar(&f.duration, "duration", 0, "stop after this time")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the file when it is there")
	cmd.Flags().IntVar(&f.patience, "patience", 1, "how many times longer than usual an application may take to answer, on a slow machine")
	keys := recorder.DefaultKeys()
	cmd.Flags().StringVar(&f.stop, "stop-key", keys.Stop.String(), "the keys that stop the recording")
	cmd.Flags().StringVar(&f.pause, "pause-key", keys.Pause.String(), "the keys that pause it, and go on")
	cmd.Flags().StringVar(&f.assert, "assert-key", keys.Assert.String(), "the keys that check the element under the pointer")
	f.make.add(cmd)
	f.display.add(cmd)
	return cmd
}

func (a *app) watch(cmd *cobra.Command, f *recordFlags) error {
	if f.file == "" {
		return usage(cmd, "wanted the file of the workflow: -o FILE")
	}
	if _, err := os.Stat(f.file); err == nil && !f.force {
		return usage(cmd, "%s is there already; name another file, or replace it with --force", f.file)
	}
	if err := f.make.check(cmd); err != nil {
		return err
	}
	keys, err := f.keys(cmd)
	if err != nil {
		return err
	}
	events := strings.TrimSuffix(f.file, filepath.Ext(f.file)) + endingOfEvents
	seen, err := a.see(cmd, f, keys, events)
	if err != nil {
		return err
	}
	return a.understand(seen, f.file, events, &f.make)
}

func (a *app) see(cmd *cobra.Command, f *recordFlags, keys recorder.Keys, file string) ([]recorder.Event, error) {
	o, err := f.display.options(cmd)
	if err != nil {
		return nil, err
	}
	d, err := a.machine.Open(cmd.Context(), o)
	if err != nil {
		return nil, notReady(err)
	}
	defer d.Close()
	if err := heard(cmd.Context(), d); err != nil {
		return nil, err
	}
	log, err := recorder.CreateLog(file)
	if err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	defer log.Close()
	ctx, stop := recordingTime(cmd.Context(), f.duration)
	defer stop()
	s, err := watch.Start(ctx, d, watch.Options{
		Log: log, Keys: keys, Pictures: picturesOf(file), Patience: f.patience,
		Tell: func(l recorder.Line) { a.tell("%s", clean(l.String())) },
	})
	if err != nil {
		_ = os.Remove(file) // nothing is in it
		return nil, notReady(err)
	}
	a.tell("recording; stop with %s or Ctrl-C", keys.Stop)
	seen, err := s.Wait()
	if err != nil {
		fmt.Fprintf(a.errOut, "understudy: the recording ended early: %v\n", err)
	}
	return seen, nil
}

// heard fails where a person sits at another display than the one that is
// watched.
func heard(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err == nil && i.Instead != "" {
		err = &steps.Error{
			Code: steps.Unavailable, Err: fmt.Errorf("what you do cannot be heard: %s", i.Instead),
			Next: "record in a session of Xorg, or what a program does on a virtual display, with --display virtual",
		}
	}
	if err != nil {
		return notReady(err)
	}
	return nil
}

func recordingTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// tell writes a line for the person, unless they want results only.
func (a *app) tell(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.errOut, format+"\n", args...)
	}
}

func (f *recordFlags) keys(cmd *cobra.Command) (k recorder.Keys, err error) {
	for _, c := range []struct {
		flag, text string
		to         *desktop.Chord
	}{{"stop-key", f.stop, &k.Stop}, {"pause-key", f.pause, &k.Pause}, {"assert-key", f.assert, &k.Assert}} {
		if c.text == "" {
			continue
		}
		chords, err := desktop.ParseKeys(c.text)
		if err != nil {
			return k, usage(cmd, "--%s: %w", c.flag, err)
		}
		if len(chords) != 1 {
			return k, usage(cmd, "--%s: wanted one key with its modifiers, found %q", c.flag, c.text)
		}
		*c.to = chords[0]
	}
	return k, nil
}

type compileFlags struct {
	name, description, parametrize string
}

func (f *compileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "name", "", "the workflow's name (default: the file's)")
	cmd.Flags().StringVar(&f.description, "description", "", "what the workflow does")
	cmd.Flags().StringVar(&f.parametrize, "parametrize", "all", "which typed values become variables: all, none or ask")
}

func (f *compileFlags) check(cmd *cobra.Command) error {
	switch f.parametrize {
	case "all", "none", "ask":
		return nil
	}
	return usage(cmd, "--parametrize: wanted all, none or ask, found %q", f.parametrize)
}

func (a *app) understand(seen []recorder.Event, file, events string, f *compileFlags) error {
	text, notes, err := compile.Events(seen, a.compileOptions(f, file, events))
	if err != nil {
		return err
	}
	return a.hand(text, notes, file)
}

// hand writes a workflow that was made to its file, or on the standard output
// when there is none, and says what is uncertain and how to play it.
func (a *app) hand(text []byte, notes []compile.Note, file string) error {
	p, err := workflows.Compile(workflows.Source{Name: file, Text: text}, workflows.CompileOptions{Kinds: a.kinds})
	if err != nil {
		return fmt.Errorf("the workflow that was made is not valid, which is a fault of this program: %w", err)
	}
	if file == "" {
		_, err := a.out.Write(text)
		return err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	fmt.Fprintln(a.out, file)
	for _, n := range notes {
		a.tell("  %s: %s", n.Step, clean(n.Text))
	}
	var replay strings.Builder
	replay.WriteString("understudy run " + file)
	for _, v := range p.Variables {
		if v.Secret {
			replay.WriteString(" --input " + v.Name + "=-")
		}
	}
	a.tell("%s; play it with: %s", count(len(p.Steps), "step"), replay.String())
	return nil
}

const endingOfEvents = ".events.jsonl"

// picturesOf is the folder of pictures beside a file of events; "" when the
// events are in no such file.
func picturesOf(events string) string {
	name, ok := strings.CutSuffix(events, endingOfEvents)
	if !ok {
		return ""
	}
	return name + ".pictures"
}

// picturesBeside is the folder of pictures as a workflow names it: from its own
// folder, so that both can be moved together.
func picturesBeside(file, events string) string {
	pictures := picturesOf(events)
	if file == "" || pictures == "" {
		return pictures
	}
	rel, err := filepath.Rel(filepath.Dir(file), pictures)
	if err != nil {
		return pictures
	}
	return rel
}

func (a *app) compileOptions(f *compileFlags, file, events string) compile.Options {
	o := compile.Options{Name: f.name, Description: f.description, Literal: f.parametrize == "none", Pictures: picturesBeside(file, events)}
	if o.Name == "" {
		file = cmp.Or(file, strings.TrimSuffix(events, endingOfEvents))
		o.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if f.parametrize == "ask" {
		in := bufio.NewReader(a.in)
		o.Ask = func(proposed, value string) string { return a.askName(in, proposed, value) }
	}
	return o
}

func (a *app) askName(in *bufio.Reader, proposed, value string) string {
	fmt.Fprintf(a.errOut, "%q was typed: a variable's name for it, Enter for %s, or - to keep it as it is: ", clean(value), proposed)
	line, err := in.ReadString('\n')
	switch line = strings.TrimSpace(line); {
	case err != nil && line == "", line == "-":
		return ""
	case line == "":
		return proposed
	}
	return line
}
