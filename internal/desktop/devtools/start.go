package devtools

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// programs are the browsers that have the pipe, and need a flag to expose their pages on the
// accessibility bus.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "brave-browser", "microsoft-edge", "microsoft-edge-stable"}

// IsBrowser reports whether a program is a browser of the Chromium family.
func IsBrowser(program string) bool { return slices.Contains(programs, filepath.Base(program)) }

// IsChromium reports whether the program in a file is Chromium in some form, and takes its flags: a
// browser, or an application of Electron, which has its pages beside it.
func IsChromium(file string) bool {
	if IsBrowser(file) {
		return true
	}
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	beside := filepath.Join(filepath.Dir(file), "resources")
	return slices.ContainsFunc([]string{"app.asar", "app", "default_app.asar"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(beside, name))
		return err == nil && hasPictures(filepath.Dir(file))
	})
}

// hasPictures reports whether a folder has the pictures that every Chromium has beside it.
func hasPictures(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "chrome_100_percent.pak"))
	return err == nil
}

// processOf describes the process of a command that was started.
func processOf(cmd *exec.Cmd) desktop.BrowserProcess {
	return named(cmd.Process.Pid, filepath.Base(cmd.Args[0]))
}

func named(pid int, name string) desktop.BrowserProcess {
	return desktop.BrowserProcess{PID: pid, Name: name, App: !IsBrowser(name)}
}

// flag makes a browser read calls from its file 3 and write answers to its file 4.
const flag = "--remote-debugging-pipe"

// wantsPipe reports whether a command starts a browser that can get a pipe: one whose arguments
// ask for a connection already has that.
func wantsPipe(cmd *exec.Cmd) bool {
	return (IsBrowser(cmd.Args[0]) || IsChromium(cmd.Path)) && !slices.ContainsFunc(cmd.Args, func(a string) bool { return strings.HasPrefix(a, "--remote-debugging-") })
}

// pipe gives a browser that is about to be started a pipe. The caller calls started after the
// start, also if that failed. The broker's Run ends with the browser.
func pipe(cmd *exec.Cmd) (b *Broker, run, started func(), err error) {
	calls, to, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		calls.Close()
		to.Close()
		return nil, nil, nil, err
	}
	cmd.Args = slices.Insert(slices.Clone(cmd.Args), 1, flag)
	cmd.ExtraFiles = []*os.File{calls, answers} // files 3 and 4
	b = NewBroker(to)
	run = func() {
		_ = b.Run(from)
		from.Close()
		to.Close()
	}
	started = func() {
		calls.Close()
		answers.Close()
	}
	return b, run, started, nil
}
