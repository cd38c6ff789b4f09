//go:build unix && !linux

package children

import (
	"os/exec"
	"syscall"
)

// Start starts a program in a process group of its own.
func Start(c *exec.Cmd, _ syscall.Signal) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c.Start()
}
