package virtual

import (
	"errors"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"understudy/internal/children"
)

// endTimeout is how long a program may take to end when it is asked to,
// before it is killed.
const endTimeout = 2 * time.Second

// keeper starts programs that must not outlive this process, and ends them.
type keeper struct {
	folder *folder

	mu       sync.Mutex
	children []*child // guarded by mu
	closed   bool     // guarded by mu
}

var errClosed = errors.New("the display is closed")

type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

func newKeeper(f *folder) *keeper { return &keeper{folder: f} }

// start starts a program and writes it into the state file. It closes ended,
// unless that is nil, when the program has ended.
func (k *keeper) start(cmd *exec.Cmd, ended chan struct{}) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return errClosed
	}
	cmd.WaitDelay = endTimeout
	if ended == nil {
		ended = make(chan struct{})
	}
	if err := children.Start(cmd, syscall.SIGTERM); err != nil {
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
}
