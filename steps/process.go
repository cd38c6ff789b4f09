package steps

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"understudy/internal/children"
)

// process is a program to run, with all that it starts.
type process struct {
	name   string
	args   []string
	dir    string
	env    []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// drain is how long the output of a program that ended, or was ended, may
// still be held open by others.
const drain = 100 * time.Millisecond

// run runs the program and returns its exit status. When the context ends
// first, the program and all that it started in its group are ended, and
// the cause is returned. All that ends with this process too, where that can be.
func (p process) run(ctx context.Context) (int, error) {
	c := exec.CommandContext(ctx, p.name, p.args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = p.dir, p.env, p.stdin, p.stdout, p.stderr
	c.WaitDelay = drain
	c.Cancel = func() error { return endGroup(c.Process) }
	free, err := children.StartGuarded(c, syscall.SIGKILL)
	if err == nil {
		err = c.Wait()
		free()
	}
	if ctx.Err() != nil && c.Process != nil {
		return -1, ended(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a program in the background keeps the output; it may
		return 0, nil
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode(), nil
	}
	return 0, err
}

// program finds a program, or says what to install.
func program(mend string, names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", &Error{Code: Unavailable, Err: errors.New(names[0] + " is not installed"), Next: mend}
}
