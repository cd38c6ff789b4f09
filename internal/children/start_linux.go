package children

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// tasks returns the channel of functions for the thread that starts all children.
//
// The kernel sends a child its death signal when the thread that forked it ends, not the
// process. So one thread, which never ends, forks them all.
var tasks = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread() // never unlocked: the thread must not end
		for task := range c {
			task()
		}
	}()
	return c
})

// Start starts a program in a process group of its own. The program gets the signal death
// when this process ends. Other attributes of the process may be given.
func Start(c *exec.Cmd, death syscall.Signal) error {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setpgid, c.SysProcAttr.Pdeathsig = true, death
	return OnThread(c.Start)
}

// OnThread calls a function on the thread that starts all programs. They inherit what the
// function changes of its thread, such as what is mounted.
func OnThread(f func() error) error {
	done := make(chan error)
	tasks() <- func() { done <- f() }
	return <-done
}

// WithholdRights keeps ambient capabilities of this process, which others inherit, from the
// programs that it starts.
func WithholdRights() error {
	return OnThread(func() error { return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) })
}

// AdoptOrphans makes this process the parent of every descendant whose own parent ends.
func AdoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
