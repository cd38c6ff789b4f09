//go:build unix

package shell

import (
	"cmp"
	"errors"
	"os"
	"syscall"
)

// endGroup kills a program and its group.
func endGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
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
