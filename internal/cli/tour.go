package cli

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"understudy/engine"
)

var (
	//go:embed tour.yaml
	tourWorkflow []byte
	//go:embed tourcrash.yaml
	tourCrash []byte
)

// tour shows the program to a person: it types its commands, in a data folder of its own
// and on virtual desktops, of which nothing is left afterwards.
type tour struct {
	*app
	Yes bool `flag:"yes" usage:"go on without waiting, and do on the desktop what you would do"`

	keys    *bufio.Reader
	program string
	dir     string
	site    string // the address of the pages
	run     string // the run that was begun last
	desktop string // where that run was
}

// A chapter tells something and shows it.
type chapter struct {
	title, text string
	show        func(context.Context, *tour) error
}

var chapters = []chapter{
	{"A workflow is a file", "It names what to act on by role and name. Every mistake is found before anything runs.", func(ctx context.Context, t *tour) error {
		return errors.Join(t.print("tour.yaml"), t.types(ctx, "validate", "tour.yaml"))
	}},
	{"It is played on a desktop of its own", "Your screen stays as it is. This one fails: the editor asks a question that the workflow does not know. Its desktop is kept.", func(ctx context.Context, t *tour) error {
		return t.plays(ctx, "tour.yaml", "--display", "virtual")
	}},
	{"Look at it, and take over", "The page shows each step with its pictures. Press \"Watch or take over…\", then \"Don't Save\", and hand the desktop back; \"keep what I did\" adds your clicks to the workflow.", func(ctx context.Context, t *tour) error {
		if !t.Yes {
			t.says("the page: %s/runs/%s", t.site, t.run)
			return nil
		}
		return t.types(ctx, "call", "click_element", `{"process": "mousepad", "selector": "role:button && name~:don't"}`, "--display", "virtual:"+t.desktop, "--quiet")
	}},
	{"It goes on where it stopped", "No step is done again: what the last one expects holds now. If you resumed it on its page, there is nothing to resume.", func(ctx context.Context, t *tour) error {
		err := t.types(ctx, "resume", t.run)
		if _, ended := errors.AsType[*exec.ExitError](err); ended && !t.Yes {
			return nil // the person may have resumed it, or have answered nothing
		}
		return err
	}},
	{"Killed in the middle", "This workflow kills the process that runs it, as a power cut would.", func(ctx context.Context, t *tour) error {
		return t.plays(ctx, "crash.yaml")
	}},
	{"No click is done twice", "Of a step that was cut short, nobody knows whether it acted. So you are asked, and answer by a flag.", func(ctx context.Context, t *tour) error {
		if err := t.fails(t.types(ctx, "resume", t.run)); err != nil {
			return err
		}
		return t.types(ctx, "resume", t.run, "--skip")
	}},
	{"Connect a model", "It gets the same workflows and the same steps as tools. With --write the client's own file is changed, nothing else.", func(ctx context.Context, t *tour) error {
		return t.types(ctx, "init", "--client", "claude-code")
	}},
	{"Record your own", "When the tour is over: do it once, and press Ctrl-C. The file is yours to change.", func(_ context.Context, t *tour) error {
		t.says("$ understudy record -o mine.yaml")
		return nil
	}},
}

func tourCommand(a *app) *cobra.Command {
	t := &tour{app: a}
	return withFlags(&cobra.Command{
		Use: "tour", Short: "Show in five minutes what the program does",
		Long: "Show in five minutes what the program does: play a workflow on a virtual desktop, let it\n" +
			"fail, look, take over, resume, kill it, connect a model. Nothing is left behind.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.guide(cmd.Context()) },
	}, t)
}

// guide goes through the chapters, and removes what they left.
func (t *tour) guide(ctx context.Context) (err error) {
	if t.program, err = os.Executable(); err != nil {
		return err
	}
	if t.dir, err = os.MkdirTemp("", "understudy-tour"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	defer func() { _ = t.runs(context.WithoutCancel(ctx), io.Discard, "service", "stop") }() // it may have ended
	t.keys = bufio.NewReader(t.in)
	for name, text := range map[string][]byte{"tour.yaml": tourWorkflow, "crash.yaml": tourCrash} {
		if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o600); err != nil {
			return err
		}
	}
	// A server that has the folder would keep other processes from its desktops.
	if !t.Yes {
		end, err := t.serve(ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	defer func() { err = errors.Join(err, t.stop(context.WithoutCancel(ctx))) }()
	for i, c := range chapters {
		t.says("\n%d. %s\n   %s", i+1, c.title, c.text)
		if err := c.show(ctx, t); err != nil {
			return fmt.Errorf("chapter %d of the tour, %s: %w", i+1, c.title, err)
		}
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// says writes a line for the person.
func (t *tour) says(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }

// wait waits until the person presses Enter.
func (t *tour) wait(ctx context.Context) error {
	if t.Yes {
		return ctx.Err()
	}
	fmt.Fprint(t.out, "   Enter goes on, Ctrl-C ends the tour. ")
	_, err := t.keys.ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, ctx.Err())
}

// print shows a file.
func (t *tour) print(name string) error {
	text, err := os.ReadFile(filepath.Join(t.dir, name))
	t.says("%s", bytes.TrimSpace(text))
	return err
}

// types runs a command of this program as the person would type it.
func (t *tour) types(ctx context.Context, args ...string) error {
	t.says("$ understudy %s", strings.Join(args, " "))
	return t.runs(ctx, t.out, args...)
}

func (t *tour) runs(ctx context.Context, to io.Writer, args ...string) error {
	cmd := t.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = to, to
	return cmd.Run()
}

func (t *tour) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.program, args...)
	cmd.Args[0], cmd.Dir = os.Args[0], t.dir
	// Of the person's own folder and fleet, a tour sees nothing.
	cmd.Env = append(os.Environ(), "UNDERSTUDY_FLEET=", homeVariable+"="+filepath.Join(t.dir, "data"), "GSETTINGS_BACKEND=memory")
	return cmd
}

// plays runs a workflow that is expected to fail, and notes its run and its desktop.
func (t *tour) plays(ctx context.Context, args ...string) error {
	if err := t.fails(t.types(ctx, append([]string{"run"}, args...)...)); err != nil {
		return err
	}
	var newest []engine.Header
	if err := t.reads(ctx, &newest, "runs", "ls", "-n", "1", "--json"); err != nil || len(newest) == 0 {
		return errors.Join(err, errors.New("wanted the run that was begun, found none"))
	}
	t.run, t.desktop = newest[0].ID, ""
	if d := newest[0].Desktop; d != nil {
		t.desktop = d.Name
	}
	return nil
}

// fails returns nil for a command that ended as it does when a run did not succeed.
func (*tour) fails(err error) error {
	if err == nil {
		return errors.New("wanted a run that does not succeed, and it did")
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil
	}
	return err
}

// reads runs a command that prints JSON, unseen.
func (t *tour) reads(ctx context.Context, into any, args ...string) error {
	out, err := t.command(ctx, args...).Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// serve starts the pages, and returns what ends them.
func (t *tour) serve(ctx context.Context) (end func(), err error) {
	cmd := t.command(ctx, "serve", "--addr", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(said)
	for t.site == "" {
		line, err := lines.ReadString('\n')
		if m := siteLine.FindStringSubmatch(line); m != nil {
			t.site = m[1]
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("the server of the pages ended: %s", line), cmd.Wait())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	}, nil
}

var siteLine = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/mcp`)

// stop ends what is left: the desktops of the runs, and the service of the data folder.
func (t *tour) stop(ctx context.Context) error {
	var left []struct{ Name string }
	if err := t.reads(ctx, &left, "desktop", "ls", "--json"); err != nil {
		return err
	}
	for _, d := range left {
		if err := t.runs(ctx, io.Discard, "desktop", "stop", d.Name); err != nil {
			return err
		}
	}
	return t.runs(ctx, io.Discard, "service", "stop")
}
