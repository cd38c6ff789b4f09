package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows"
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

// secretInputs are the arguments that ask for the secrets of a workflow.
func secretInputs(p *workflows.Program) (args []string) {
	for _, v := range p.Variables {
		if v.Secret {
			args = append(args, "--input", v.Name+"=-")
		}
	}
	return args
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

type compileFlags struct {
	name, description, parametrize string

	into string // the file of a workflow into which the steps go
	at   workflows.Insertion
	onto []byte // its text
}

func (f *compileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "name", "", "the workflow's name (default: the file's)")
	cmd.Flags().StringVar(&f.description, "description", "", "what the workflow does")
	cmd.Flags().StringVar(&f.parametrize, "parametrize", "all", "which typed values become variables: all, none or ask")
	cmd.Flags().StringVar(&f.into, "onto", "", "put the steps into this workflow")
	cmd.Flags().StringVar(&f.at.Step, "at", "", "with --onto, the id of the step before which they are put")
	cmd.Flags().BoolVar(&f.at.Fallback, "fallback", false, "with --onto, make them what is done when that step has failed")
}

func (f *compileFlags) check(cmd *cobra.Command) error {
	switch f.parametrize {
	case "all", "none", "ask":
		return f.checkPlace(cmd)
	}
	return usage(cmd, "--parametrize: wanted all, none or ask, found %q", f.parametrize)
}

// checkPlace reads the workflow into which the steps go, and looks for their place.
func (f *compileFlags) checkPlace(cmd *cobra.Command) error {
	if f.into == "" {
		if f.at != (workflows.Insertion{}) {
			return usage(cmd, "--at and --fallback want the workflow too: --onto FILE")
		}
		return nil
	}
	src, err := fileSource(f.into)
	if err != nil {
		return err
	}
	if ids, _ := workflows.NamesIn(src.Text); !slices.Contains(ids, f.at.Step) {
		return usage(cmd, "--at: wanted a step of %s, one of %s, found %q", f.into, strings.Join(ids, ", "), f.at.Step)
	}
	f.onto = src.Text
	return nil
}

func (a *app) understand(seen []recorder.Event, file, events string, f *compileFlags) error {
	text, notes, err := compile.Events(seen, a.compileOptions(f, file, events))
	if err != nil {
		return err
	}
	return a.hand(text, notes, file)
}

// checked is the program of a workflow that was made.
func (a *app) checked(text []byte, file string) (*workflows.Program, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	p, err := workflows.Compile(workflows.Source{Name: file, Dir: dir, Text: text}, workflows.CompileOptions{Kinds: a.kinds, Load: a.loadFile})
	if err != nil {
		return nil, fmt.Errorf("the workflow that was made is not valid, which is a fault of this program: %w", err)
	}
	return p, nil
}

func writeWorkflow(text []byte, file string) error {
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	return nil
}

// hand writes a workflow that was made to its file, or on the standard output
// when there is none, and says what is uncertain and how to play it.
func (a *app) hand(text []byte, notes []compile.Note, file string) error {
	p, err := a.checked(text, file)
	if err != nil {
		return err
	}
	if file == "" {
		_, err := a.out.Write(text)
		return err
	}
	if err := writeWorkflow(text, file); err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	for _, n := range notes {
		a.tell("  %s: %s", n.Step, clean(n.Text))
	}
	a.tell("%s; play it with: %s", count(len(p.Steps), "step"), strings.Join(append([]string{"understudy run", file}, secretInputs(p)...), " "))
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
	o := compile.Options{Name: f.name, Description: f.description, Literal: f.parametrize == "none", Pictures: picturesBeside(file, events), Onto: f.onto, At: f.at}
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
