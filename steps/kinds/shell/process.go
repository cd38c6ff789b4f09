package shell

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/internal/children"
	"understudy/internal/sandbox"
	"understudy/steps"
)

// Process is a program to run, with all that it starts.
type Process struct {
	Name string
	Args []string
	Dir  string
	Env  []string
	// Write are the folders in which it may write; nil: no restriction.
	Write  []string
	Input  *Input // nil: none
	Stdout io.Writer
	Stderr io.Writer
}

// outputGrace is how long the output of a program that has ended may be held open by
// its children.
const outputGrace = 100 * time.Millisecond

// Run runs the program and returns its exit status. If ctx ends first, the program and
// its process group are killed and the cause is returned. They die with this process
// too, where the system can do that.
func (p Process) Run(ctx context.Context) (int, error) {
	c := exec.CommandContext(ctx, p.Name, p.Args...)
	c.Dir, c.Env = p.Dir, p.Env
	if p.Input != nil {
		end, err := p.Input.connect(ctx, c)
		if err != nil {
			return 0, err
		}
		defer end()
	}
	if p.Write != nil {
		done, err := confine(c, p.Write)
		if err != nil {
			return 0, err
		}
		defer done()
	}
	c.WaitDelay = outputGrace
	c.Cancel = func() error { return endGroup(c.Process) }
	started, ended, err := p.readAll(c)
	if err != nil {
		return 0, err
	}
	free, err := children.StartGuarded(c)
	started()
	if err == nil {
		err = c.Wait()
		free()
	}
	ended()
	switch {
	case ctx.Err() != nil:
		return -1, steps.Ended(ctx)
	case c.Process == nil:
		return 0, notStarted(p.Name, err)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a background program keeps the output open, which is allowed
		return 0, nil
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitCode(e.ProcessState), nil
	}
	return 0, err
}

func notStarted(name string, err error) error {
	e := steps.Errorf(steps.Invalid, "%s cannot be started: %w", filepath.Base(name), err)
	if errors.Is(err, syscall.E2BIG) {
		e.Next = "put what is long into a file with write_file, or give it to a script with an engine"
	}
	return e
}

// confine restricts the writes of a program to some folders and one for its temporary
// files, which done removes.
func confine(c *exec.Cmd, write []string) (done func(), err error) {
	temp, remove, err := sandbox.Temp()
	if err != nil {
		return nil, err
	}
	if temp != "" {
		write = append(slices.Clone(write), temp)
		c.Env = append(c.Env, "TMPDIR="+temp)
	}
	if err := sandbox.Confine(c, write); err != nil {
		remove()
		return nil, err
	}
	return remove, nil
}

// findProgram finds a program. The error names what to install.
func findProgram(mend string, names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", &steps.Error{Code: steps.Unavailable, Err: errors.New(names[0] + " is not installed"), Next: mend}
}

// Environ returns the environment of child processes: the caller's, and the variables of
// the run's desktop. It is never nil, which would mean our own. In a sandbox it names neither
// a bus, whose services are not confined, nor what is our own.
func Environ(ctx context.Context, env *steps.Env) []string {
	all := append([]string{}, env.Environ...)
	if env.DesktopEnv != nil {
		all = append(all, env.DesktopEnv(ctx)...)
	}
	if !env.Sandbox {
		return all
	}
	all = slices.DeleteFunc(all, func(v string) bool {
		return strings.HasPrefix(v, "UNDERSTUDY_") || strings.HasPrefix(v, "AT_SPI_BUS_ADDRESS=")
	})
	return append(all, "DBUS_SESSION_BUS_ADDRESS=disabled:") // without a value, programs look for one
}

// WithVariables adds environment variables; a value that is not a string is written as
// JSON.
func WithVariables(environ []string, values map[string]any) []string {
	all := slices.Clone(environ)
	for name, v := range values {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v) // it came as JSON
			text = string(b)
		}
		all = append(all, name+"="+text)
	}
	return all
}

// lineFlag returns the flag with which a shell runs a line.
func lineFlag(shell string) string {
	switch strings.TrimSuffix(filepath.Base(shell), ".exe") {
	case "powershell", "pwsh":
		return "-Command"
	}
	return "-c"
}
