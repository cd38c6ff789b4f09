//go:build unix

package crash

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// die ends this process as a power cut would: nothing is put in order.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func killed(err error) bool {
	e, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false
	}
	s, ok := e.Sys().(syscall.WaitStatus)
	return ok && s.Signaled() && s.Signal() == syscall.SIGKILL
}
