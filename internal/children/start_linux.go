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
// when this process ends.
func Start(c *exec.Cmd, death syscall.Signal) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	started := make(chan error)
	tasks() <- func() { started <- c.Start() }
	return <-started
}

// AdoptOrphans makes this process the parent of every descendant whose own parent ends.
func AdoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
