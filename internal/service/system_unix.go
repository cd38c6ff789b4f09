//go:build unix

package service

import "syscall"

// detached has the service get none of the signals of the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// enforced tells whether the system enforces file permissions.
const enforced = true
