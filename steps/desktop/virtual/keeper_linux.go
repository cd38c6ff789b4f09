package virtual

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// endTimeout is how long a program may take to end when it is asked to,
// before it is killed.
const endTimeout = 2 * time.Second

// keeper starts programs that must not outlive this process, and ends them.
//
// The kernel sends a child its death signal when the thread that forked it
// ends, not the process; so one thread, locked for as long as the keeper
// lives, forks them all.
type keeper struct {
	folder *folder
	tasks  chan func()

	mu       sync.Mutex
	children []*child // guarded by mu
	closed   bool     // guarded by mu
}

var errClosed = errors.New("the display is closed")

type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

func newKeeper(f *folder) *keeper {
	k := &keeper{folder: f, tasks: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its children
		for task := range k.tasks {
			task()
		}
	}()
	return k
}

// start starts a program and writes it into the state file. It closes ended,
// unless that is nil, when the program has ended.
func (k *keeper) start(cmd *exec.Cmd, ended chan struct{}) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return errClosed
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.WaitDelay = endTimeout
	if ended == nil {
		ended = make(chan struct{})
	}
	started := make(chan error)
	k.tasks <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return err
	}
	c := &child{cmd, ended}
	k.children = append(k.children, c)
	go func() {
		_ = cmd.Wait()
		close(c.ended)
	}()
	return k.folder.record(cmd.Process.Pid)
}

// close ends the programs, the last started first.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range slices.Backward(k.children) {
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		// A stopped program cannot hear that it should end.
		_ = c.cmd.Process.Signal(syscall.SIGCONT)
		select {
		case <-c.ended:
		case <-time.After(endTimeout):
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
	}
	k.children, k.closed = nil, true
	close(k.tasks)
}
