package local

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
)

// A starter starts a program on one display, which outlives us.
type starter func(in desktop.Setting, args []string) (*program, error)

// A pipeHolder starts programs, and gives browsers a pipe.
type pipeHolder interface {
	desktop.BrowserLister
	Start(cmd *exec.Cmd, start func() error) error
}

// launch starts an application: a command line, the ID of a desktop file, or the
// name that menus show.
func (s starter) launch(l desktop.Launch) error {
	target, err := targetOf(l.App, l.Setting)
	if err == nil && l.Vet != nil {
		if target.Entry.Path == "" {
			target = entryOf(target)
		}
		err = l.Vet(target)
	}
	if err != nil {
		return err
	}
	if l.File != "" {
		target.Args = append(slices.Clip(target.Args), l.File)
	}
	p, err := s(l.Setting, forAccessibility(target.File, target.Args))
	if err != nil {
		return fmt.Errorf("starting %q: %w", l.App, err)
	}
	if l.Started != nil {
		*l.Started = desktop.App{PID: p.pid, Command: strings.Join(p.args, " "), Status: p.status}
	}
	return nil
}

// targetOf finds the program to run. A command that exists takes precedence over an
// application of the same name.
func targetOf(app string, in desktop.Setting) (desktop.LaunchTarget, error) {
	if strings.HasSuffix(app, ".desktop") {
		return desktopFileTarget(app)
	}
	args, err := splitCommand(app)
	if err != nil {
		return desktop.LaunchTarget{}, err
	}
	if len(args) == 0 {
		return desktop.LaunchTarget{}, fmt.Errorf("no application is named: wanted a command line, a desktop file or a name")
	}
	if file, err := lookPath(args[0], in); err == nil {
		return desktop.LaunchTarget{Args: args, File: file}, nil
	}
	if found, err := desktopFileTarget(app); err == nil {
		return found, nil
	}
	return desktop.LaunchTarget{}, absentError(fmt.Sprintf("there is neither a program %q nor an application %q here", args[0], app))
}

// lookPath finds a program as a shell in a setting would.
func lookPath(name string, in desktop.Setting) (string, error) {
	if filepath.Base(name) != name {
		return exec.LookPath(in.Abs(name))
	}
	if in.Environ == nil {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(in.Variable("PATH")) {
		if file, err := exec.LookPath(filepath.Join(in.Abs(dir), name)); err == nil {
			return file, nil
		}
	}
	return "", exec.ErrNotFound
}

// absentError is the error of an application that is not installed.
type absentError string

func (e absentError) Error() string { return string(e) }

func (absentError) Is(target error) bool { return target == desktop.ErrNotFound }

// A program is one that was started.
type program struct {
	pid    int
	args   []string
	stderr *os.File // its standard error; nil if that is not kept
	ended  chan struct{}
	err    error // how it ended; may be read once ended is closed
}

func newProgram(args []string) *program {
	return &program{args: args, stderr: newStderr(), ended: make(chan struct{})}
}

// wait calls a function that returns how the program ended, and records that.
func (p *program) wait(end func() error) {
	p.err = end()
	close(p.ended)
}

// startHere starts programs as our own children, in a session of their own, with
// none of our files open but the memory that keeps their standard error.
func startHere(env []string, pipes pipeHolder) starter {
	return func(in desktop.Setting, args []string) (*program, error) {
		file, err := lookPath(args[0], in)
		if err != nil {
			return nil, err
		}
		p := newProgram(args)
		cmd := &exec.Cmd{Path: file, Args: args, Dir: in.Dir, Env: append(in.Variables(), env...)}
		if p.stderr != nil { // a nil *os.File would be no nil writer
			cmd.Stderr = p.stderr
		}
		detach(cmd)
		if err := pipes.Start(cmd, cmd.Start); err != nil {
			return nil, err
		}
		p.pid = cmd.Process.Pid
		go p.wait(cmd.Wait)
		return p, nil
	}
}

// status returns the current status of a program.
func (p *program) status() desktop.AppStatus {
	s := desktop.AppStatus{Said: lastLines(p.stderr)}
	select {
	case <-p.ended:
		s.Ended, s.Err = true, p.err
	default:
	}
	return s
}

// lastLines returns the last lines that were written to a file.
func lastLines(f *os.File) string {
	const lines, size = 5, 2_000
	if f == nil {
		return ""
	}
	end, err := f.Seek(0, io.SeekCurrent) // the program writes with the same offset
	if err != nil {
		return ""
	}
	text := make([]byte, min(end, size))
	n, _ := f.ReadAt(text, end-int64(len(text)))
	all := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text[:n]), "")), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// forAccessibility has the program in a file expose its pages, if it is Chromium in some form.
func forAccessibility(file string, args []string) []string {
	const flag = "--force-renderer-accessibility"
	if !devtools.IsBrowser(args[0]) && !devtools.IsChromium(file) || slices.Contains(args, flag) {
		return args
	}
	return slices.Insert(slices.Clone(args), 1, flag)
}

// openPatience bounds the wait for the program that opens an address. It may run as
// long as the program that it started; the caller ends the wait with OpenURL.Seen.
const openPatience = 10 * time.Second

// openURL opens an address with the user's preferred program. Where browsers are connected, it
// starts that of pages itself, so that it is connected too.
func (s starter) openURL(ctx context.Context, o desktop.OpenURL, connects bool) error {
	address := o.URL
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return fmt.Errorf("address %q: wanted one with a scheme, such as https://example.org", address)
	}
	var args []string
	if connects && (u.Scheme == "http" || u.Scheme == "https") {
		args = preferredBrowser(ctx, o.Setting)
	}
	if args != nil {
		args = forAccessibility(args[0], append(args, u.String()))
	} else if args, err = opener(u.String()); err != nil {
		return err
	}
	p, err := s(o.Setting, args)
	if err != nil {
		return fmt.Errorf("opening %s: %w", address, err)
	}
	timer := time.NewTimer(openPatience)
	defer timer.Stop()
	select {
	case <-p.ended:
		if p.err != nil {
			return fmt.Errorf("%s could not open %s (%w): %w", args[0], address, p.err, desktop.ErrRefused)
		}
	case <-timer.C:
	case <-o.Seen:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// opener returns the command that opens an address on this system.
func opener(address string) ([]string, error) {
	switch runtime.GOOS {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}, nil
	case "darwin":
		return []string{"open", address}, nil
	}
	if _, err := exec.LookPath("xdg-open"); err != nil {
		return nil, &desktop.MissingError{What: "the program xdg-open is missing", Mend: "apt-get install xdg-utils"}
	}
	return []string{"xdg-open", address}, nil
}
