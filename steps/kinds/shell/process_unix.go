//go:build unix

package shell

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// endGroup kills a program and its group.
func endGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}

// exitCode returns the exit status of a program. For one that a signal ended, it is the one
// that shells give.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// Command returns the command with which a shell runs a line or a file.
func Command(shell, line, file string) (string, []string, error) {
	shell = cmp.Or(shell, "sh")
	path, err := findProgram("install it, or name another shell", shell)
	if err != nil {
		return "", nil, err
	}
	if file != "" {
		return path, []string{file}, nil
	}
	return path, []string{lineFlag(shell), line}, nil
}

// readAll connects the output of a program to its writers. The caller calls started after
// the start and ended after the exit of the program; ended returns when all that it wrote
// has been read. Programs that it left running may go on writing for a moment; exec.Cmd
// would drop what it could not read in that time.
func (p Process) readAll(c *exec.Cmd) (started, ended func(), err error) {
	var pipes []*pipe
	for _, out := range []struct {
		from *io.Writer
		to   io.Writer
	}{{&c.Stdout, p.Stdout}, {&c.Stderr, p.Stderr}} {
		if out.to == nil {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			for _, o := range pipes {
				_ = errors.Join(o.r.Close(), o.w.Close())
			}
			return nil, nil, err
		}
		*out.from = w
		pipes = append(pipes, &pipe{r: r, w: w, to: out.to, done: make(chan struct{})})
	}
	started = func() {
		for _, o := range pipes {
			o.w.Close()
			go o.copy()
		}
	}
	ended = func() {
		deadline := time.Now().Add(outputGrace)
		for _, o := range pipes {
			_ = o.r.SetReadDeadline(deadline)
		}
		for _, o := range pipes {
			<-o.done
			o.r.Close()
		}
	}
	return started, ended, nil
}

// pipe reads one output of a program.
type pipe struct {
	r, w *os.File
	to   io.Writer
	done chan struct{}
}

func (o *pipe) copy() {
	defer close(o.done)
	if _, err := io.Copy(o.to, o.r); errors.Is(err, os.ErrDeadlineExceeded) {
		o.rest()
	}
}

// pipeHolds is the largest capacity of a pipe.
const pipeHolds = 1 << 20

// rest reads what is in the pipe without waiting for more.
func (o *pipe) rest() {
	conn, err := o.r.SyscallConn()
	if err != nil || o.r.SetReadDeadline(time.Time{}) != nil {
		return
	}
	buf := make([]byte, 32<<10)
	for left := pipeHolds; left > 0; {
		var n int
		var failed error
		err := conn.Read(func(fd uintptr) bool {
			n, failed = syscall.Read(int(fd), buf)
			return true
		})
		switch {
		case errors.Is(failed, syscall.EINTR):
			continue
		case err != nil || n <= 0:
			return
		}
		left -= n
		if _, err := o.to.Write(buf[:n]); err != nil {
			return
		}
	}
}
