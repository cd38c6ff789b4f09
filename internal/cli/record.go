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

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/recorder/watch"
	"understudy/steps"
)

// recording is the command record. Its tagged fields are its flags.
type recording struct {
	*app
	screenFlags
	compileFlags
	Duration time.Duration `flag:"duration" usage:"stop after this time"`
	Patience int           `flag:"patience" usage:"on a slow machine: the factor by which to wait longer for applications"`
	Try      bool          `flag:"try" usage:"afterwards play the workflow on a virtual desktop, and list the steps that were found only by a fallback"`
	Bar      bool          `flag:"bar" usage:"show a bar above all windows, with the last steps and a button for each key"`
	Page     bool          `flag:"page" usage:"show the steps on a page in your browser, where they can be changed"`

	keyFlags map[recorder.Command]*string
	keys     recorder.Keys
	events   string // the file of the events
}

func recordCommand(a *app) *cobra.Command {
	r := &recording{app: a, screenFlags: screenFlags{Display: "auto"}, compileFlags: defaultCompile(), Patience: 1, keyFlags: map[recorder.Command]*string{}}
	cmd := &cobra.Command{
		Use:   "record -o FILE | record --onto FILE --at STEP",
		Short: "Record what you do as a workflow",
		Long: "Record what you do, until Ctrl-C, the stop key or the end of --duration, and write\n" +
			"it as a workflow. The events are kept beside it, in a file with the same name and the\n" +
			"ending .events.jsonl, from which `understudy compile` can make the workflow again,\n" +
			"and pictures of what was clicked, in a folder with the ending .pictures.\n" +
			"What is typed into password fields is never written.",
		RunE: func(cmd *cobra.Command, _ []string) error { return r.record(cmd) },
	}
	for _, s := range recorder.Steerings() {
		r.keyFlags[s.Command] = cmd.Flags().String(string(s.Command)+"-key", s.Keys.String(), "the keys that "+s.Does)
	}
	withFlags(cmd, r).Flags().Lookup("output").Usage = "the file of the workflow (required)"
	return cmd
}

func (r *recording) record(cmd *cobra.Command) error {
	if err := r.prepare(cmd); err != nil {
		return err
	}
	s, end, err := r.start(cmd)
	if err != nil {
		return err
	}
	defer end()
	if r.Page {
		if err := r.servePage(cmd.Context(), s); err != nil {
			return err
		}
	}
	limits, stops := s.Status().Limits, "Ctrl-C"
	if key, ok := r.keys[recorder.Stop]; ok && len(limits) == 0 {
		stops = key.String() + " or Ctrl-C"
	}
	for _, l := range limits {
		r.tell("%s", l)
	}
	r.tell("recording; stop with %s", stops)
	seen, err := s.Wait()
	if err != nil {
		fmt.Fprintf(r.errOut, "understudy: the recording ended early: %v\n", err)
	}
	if err := r.compileEvents(seen, r.events, &r.compileFlags); err != nil {
		return err
	}
	if len(limits) > 0 {
		r.tell("check whether a step is missing: %s", strings.Join(limits, "; "))
	}
	if r.Page && cmd.Context().Err() == nil {
		r.tell("change it on the page; Ctrl-C ends this")
		<-cmd.Context().Done()
		return nil
	}
	if !r.Try {
		return nil
	}
	secrets, err := r.askSecrets()
	if err != nil {
		return err
	}
	return r.play(cmd.Context(), r.app, secrets, "--display", "virtual")
}

// prepare checks the flags, and derives the files and the keys from them.
func (r *recording) prepare(cmd *cobra.Command) (err error) {
	r.File = cmp.Or(r.File, r.Onto)
	if err := r.check(cmd); err != nil {
		return err
	}
	if r.File == "" {
		return usage(cmd, "wanted the file of the workflow: -o FILE")
	}
	r.events = strings.TrimSuffix(r.File, filepath.Ext(r.File))
	if r.Onto != "" { // the events of the workflow itself stay
		r.events += "." + r.At
	}
	r.events += recorder.Ending
	r.keys, err = r.chords(cmd)
	return err
}

// play runs the workflow as the command run of an app would, with the values that
// were recorded and with secrets.
func (r *recording) play(ctx context.Context, a *app, secrets map[string]string, more ...string) error {
	run := runWith(a, secrets)
	run.SilenceErrors, run.SilenceUsage = true, true
	run.SetArgs(append([]string{r.File}, more...))
	return run.ExecuteContext(ctx)
}

// askSecrets asks for the value of each secret of the workflow, a line each.
func (r *recording) askSecrets() (map[string]string, error) {
	src, err := r.workflow(r.File)
	if err != nil {
		return nil, err
	}
	p, err := r.checked(src.Text, r.File)
	if err != nil {
		return nil, err
	}
	in, secrets := bufio.NewReader(r.in), map[string]string{}
	for _, v := range p.Variables {
		if v.Secret {
			if secrets[v.Name], err = r.askSecret(in, v.Name); err != nil {
				return nil, err
			}
		}
	}
	return secrets, nil
}

// start starts the recording; end releases what it uses.
func (r *recording) start(cmd *cobra.Command) (s *watch.Session, end func(), err error) {
	d, err := r.openDisplay(cmd.Context(), cmd, &r.screenFlags)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = d.Close()
		}
	}()
	if err := checkInputDisplay(cmd.Context(), d); err != nil {
		return nil, nil, err
	}
	log, err := recorder.CreateLog(r.events)
	if err != nil {
		return nil, nil, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	ctx, stop := context.WithCancel(cmd.Context())
	s, err = watch.Start(ctx, d, watch.Options{
		Log: log, Keys: r.keys, Pictures: picturesOf(r.events), Patience: r.Patience, Bar: r.Bar,
		Tell: func(l recorder.Line) { r.tell("%s", l) },
	})
	if err != nil {
		stop()
		_, _ = log.Close(), os.Remove(r.events) // it is empty
		return nil, nil, notReady(err)
	}
	if r.Duration > 0 {
		time.AfterFunc(r.Duration, stop) // from now: on a busy machine it takes a while until a recording listens
	}
	return s, func() {
		stop()
		_ = log.Close()
		_ = d.Close()
	}, nil
}

// chords parses the flags of the keys.
func (r *recording) chords(cmd *cobra.Command) (recorder.Keys, error) {
	keys := recorder.Keys{}
	for _, s := range recorder.Steerings() {
		text := *r.keyFlags[s.Command]
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

// checkInputDisplay returns an error if the person sits at another display than the watched one.
func checkInputDisplay(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err == nil && i.Instead != "" {
		err = steps.Errorf(steps.Unavailable, "your input cannot be recorded: %s", i.Instead).
			WithNext("record in a session of Xorg, or what a program does on a virtual display, with --display virtual")
	}
	if err != nil {
		return notReady(err)
	}
	return nil
}

// picturesOf returns the folder of pictures beside a file of events; "" if the file
// has another ending.
func picturesOf(events string) string {
	name, ok := strings.CutSuffix(events, recorder.Ending)
	if !ok {
		return ""
	}
	return name + ".pictures"
}

// picturesBeside returns the folder of pictures relative to the folder of the
// workflow, so that both can be moved together.
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
