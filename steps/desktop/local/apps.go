package local

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/steps/desktop"
)

// apps starts programs on one display.
type apps struct{ env []string }

// launch starts an application: a command line, the id of a desktop file, or
// the name that menus show. The program outlives us.
func (a apps) launch(l desktop.Launch) error {
	target, err := targetOf(l.App)
	if err == nil && l.Vet != nil {
		err = l.Vet(target)
	}
	if err != nil {
		return err
	}
	cmd, _, err := a.start(forAccessibility(target.Args))
	if err != nil {
		return fmt.Errorf("starting %q: %w", l.App, err)
	}
	if l.Started != nil {
		*l.Started = desktop.App{PID: cmd.Process.Pid, Command: strings.Join(cmd.Args, " ")}
	}
	return nil
}

// targetOf finds what to run. A command that exists goes before an application
// of the same name.
func targetOf(app string) (desktop.LaunchTarget, error) {
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
	if file, err := exec.LookPath(args[0]); err == nil {
		return desktop.LaunchTarget{Args: args, File: file}, nil
	}
	if found, err := desktopFileTarget(app); err == nil {
		return found, nil
	}
	return desktop.LaunchTarget{}, absentError(fmt.Sprintf("there is neither a program %q nor an application %q here", args[0], app))
}

// absentError is the error of an application that is not installed.
type absentError string

func (e absentError) Error() string { return string(e) }

// Is says that it was not found.
func (absentError) Is(target error) bool { return target == desktop.ErrNotFound }

// start starts a program in a process group of its own, with nothing of ours
// open, and gives a channel that tells how it ended.
func (a apps) start(args []string) (*exec.Cmd, <-chan error, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), a.env...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return cmd, ended, nil
}

// chromiums show their pages to others only when they are told to.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "brave-browser", "microsoft-edge"}

func forAccessibility(args []string) []string {
	const flag = "--force-renderer-accessibility"
	if !slices.Contains(chromiums, filepath.Base(args[0])) || slices.Contains(args, flag) {
		return args
	}
	return slices.Insert(slices.Clone(args), 1, flag)
}

// openPatience is how long the program is awaited that opens an address. It may
// stay as long as what it opened; whoever sees that waits no longer.
const openPatience = 10 * time.Second

// openURL opens an address with the user's preferred program.
func (a apps) openURL(ctx context.Context, o desktop.OpenURL) error {
	address := o.URL
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return fmt.Errorf("address %q: wanted one with a scheme, such as https://example.org", address)
	}
	args, err := opener(u.String())
	if err != nil {
		return err
	}
	_, ended, err := a.start(args)
	if err != nil {
		return fmt.Errorf("opening %s: %w", address, err)
	}
	timer := time.NewTimer(openPatience)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s could not open %s (%w): %w", args[0], address, err, desktop.ErrRefused)
		}
	case <-timer.C:
	case <-o.Seen:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// opener is the command that opens an address on this system.
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
