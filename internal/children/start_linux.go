package children

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// tasks are for the thread that starts all children.
//
// The kernel sends a child its death signal when the thread that forked it
// ends, not the process; so one thread, locked for as long as the process
// lives, forks them all.
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

// Start starts a program in a process group of its own. It gets the signal
// when this process ends.
func Start(c *exec.Cmd, death syscall.Signal) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	started := make(chan error)
	tasks() <- func() { started <- c.Start() }
	return <-started
}
