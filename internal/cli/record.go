package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"understudy/recorder"
	"understudy/recorder/watch"
	"understudy/steps"
	"understudy/steps/desktop"
)

type recordFlags struct {
	display  displayFlags
	file     string
	duration time.Duration
	make     compileFlags
	force    bool
	patience int
	try      bool
	page     bool
	bar      bool
	keys     map[recorder.Command]*string
}

func (a *app) record() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record -o FILE | record --onto FILE --at STEP",
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
	f.keys = map[recorder.Command]*string{}
	for _, s := range recorder.Steerings() {
		f.keys[s.Command] = cmd.Flags().String(string(s.Command)+"-key", s.Keys.String(), "the keys that "+s.Does)
	}
	cmd.Flags().BoolVar(&f.try, "try", false, "play the workflow at once on a virtual desktop, and say which steps were found by a fallback only")
	cmd.Flags().BoolVar(&f.bar, "bar", false, "show a bar above all windows, with the last steps and buttons for what the keys do")
	cmd.Flags().BoolVar(&f.page, "page", false, "show the steps as a page of this machine, where they can be changed")
	f.make.add(cmd)
	f.display.add(cmd)
	return cmd
}

func (a *app) watch(cmd *cobra.Command, f *recordFlags) error {
	if err := f.make.check(cmd); err != nil {
		return err
	}
	if f.file == "" && f.make.into != "" {
		f.file, f.force = f.make.into, true
	}
	if f.file == "" {
		return usage(cmd, "wanted the file of the workflow: -o FILE")
	}
	if _, err := os.Stat(f.file); err == nil && !f.force {
		return usage(cmd, "%s is there already; name another file, or replace it with --force", f.file)
	}
	keys, err := f.chords(cmd)
	if err != nil {
		return err
	}
	events := f.events()
	s, end, err := a.begin(cmd, f, keys, events)
	if err != nil {
		return err
	}
	defer end()
	if f.page {
		if err := a.servePage(cmd.Context(), s, f, events); err != nil {
			return err
		}
	}
	limits := s.Status().Limits
	for _, l := range limits {
		a.tell("%s", l)
	}
	a.tell("recording; stop with %s", stops(keys, limits))
	seen, err := s.Wait()
	if err != nil {
		fmt.Fprintf(a.errOut, "understudy: the recording ended early: %v\n", err)
	}
	if err := a.understand(seen, f.file, events, &f.make); err != nil {
		return err
	}
	if len(limits) > 0 {
		a.tell("look whether a step is missing: %s", strings.Join(limits, "; "))
	}
	if f.page && cmd.Context().Err() == nil {
		a.tell("change it on the page; Ctrl-C ends this")
		<-cmd.Context().Done()
		return nil
	}
	if !f.try {
		return nil
	}
	secrets, err := a.askSecrets(f.file)
	if err != nil {
		return err
	}
	return a.try(cmd.Context(), f.file, secrets, "--display", "virtual")
}

// stops are the ways to stop a recording that has limits.
func stops(keys recorder.Keys, limits []string) string {
	if len(limits) > 0 {
		return "Ctrl-C"
	}
	return keys[recorder.Stop].String() + " or Ctrl-C"
}

// events is the file of what is seen. The steps that are put into a workflow have one
// of their own, beside that of the workflow.
func (f *recordFlags) events() string {
	name := strings.TrimSuffix(f.file, filepath.Ext(f.file))
	if f.make.into != "" {
		name += "." + f.make.at.Step
	}
	return name + endingOfEvents
}

// try plays a workflow with the values that were recorded, and those of its secrets.
func (a *app) try(ctx context.Context, file string, secrets map[string]string, more ...string) error {
	run := a.runGiven(secrets)
	run.SilenceErrors, run.SilenceUsage = true, true
	run.SetArgs(append([]string{file}, more...))
	return run.ExecuteContext(ctx)
}

// askSecrets asks for the value of each secret of a workflow, a line each.
func (a *app) askSecrets(file string) (map[string]string, error) {
	src, err := a.workflow(file)
	if err != nil {
		return nil, err
	}
	p, err := a.checked(src.Text, file)
	if err != nil {
		return nil, err
	}
	in, secrets := bufio.NewReader(a.in), map[string]string{}
	for _, v := range p.Variables {
		if v.Secret {
			fmt.Fprintf(a.errOut, "the secret %s, for this once: ", v.Name)
			if secrets[v.Name], err = a.readHidden(in); err != nil {
				return nil, err
			}
		}
	}
	return secrets, nil
}

// readHidden reads a line, which a terminal does not show.
func (a *app) readHidden(in *bufio.Reader) (string, error) {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.errOut)
		return string(text), err
	}
	line, err := in.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// begin begins to watch; end closes what that needs.
func (a *app) begin(cmd *cobra.Command, f *recordFlags, keys recorder.Keys, file string) (s *watch.Session, end func(), err error) {
	d, err := a.openDisplay(cmd.Context(), cmd, &f.display)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = d.Close()
		}
	}()
	if err := heard(cmd.Context(), d); err != nil {
		return nil, nil, err
	}
	log, err := recorder.CreateLog(file)
	if err != nil {
		return nil, nil, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	ctx, stop := recordingTime(cmd.Context(), f.duration)
	s, err = watch.Start(ctx, d, watch.Options{
		Log: log, Keys: keys, Pictures: picturesOf(file), Patience: f.patience, Bar: f.bar,
		Tell: func(l recorder.Line) { a.tell("%s", clean(l.String())) },
	})
	if err != nil {
		stop()
		_, _ = log.Close(), os.Remove(file) // nothing is in it
		return nil, nil, notReady(err)
	}
	return s, func() {
		stop()
		_ = log.Close()
		_ = d.Close()
	}, nil
}

// heard fails where a person sits at another display than the one that is
// watched.
func heard(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err == nil && i.Instead != "" {
		err = steps.Errorf(steps.Unavailable, "what you do cannot be heard: %s", i.Instead).
			WithNext("record in a session of Xorg, or what a program does on a virtual display, with --display virtual")
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

func (f *recordFlags) chords(cmd *cobra.Command) (recorder.Keys, error) {
	keys := recorder.Keys{}
	for _, s := range recorder.Steerings() {
		text := *f.keys[s.Command]
		if text == "" {
			continue
		}
		chords, err := desktop.ParseKeys(text)
		if err != nil {
			return nil, usage(cmd, "--%s-key: %w", s.Command, err)
		}
		if len(chords) != 1 {
			return nil, usage(cmd, "--%s-key: wanted one key with its modifiers, found %q", s.Command, text)
		}
		keys[s.Command] = chords[0]
	}
	return keys, nil
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
