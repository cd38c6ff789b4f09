//go:build unix

package local

import (
	"os/exec"
	"syscall"
)

// detach gives a program a session of its own, so that neither our end nor a
// Ctrl-C on our terminal ends it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
