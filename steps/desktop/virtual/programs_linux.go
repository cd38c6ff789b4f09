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

// programs starts programs that must not outlive this process, and ends them.
type programs struct {
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

func newPrograms(f *folder) *programs { return &programs{folder: f} }

// start starts a program and writes it into the state file. It closes ended,
// unless that is nil, when the program has ended.
func (p *programs) start(cmd *exec.Cmd, ended chan struct{}) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
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
	p.children = append(p.children, c)
	go func() {
		_ = cmd.Wait()
		close(c.ended)
		p.forget(c)
	}()
	return p.folder.record(cmd.Process.Pid)
}

// ready writes down that the X server, the first of the programs, is ready.
func (p *programs) ready(display string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.folder.procs) == 0 {
		return nil // it has ended already
	}
	p.folder.procs[0].Display = display
	return p.folder.write()
}

// forget drops a program that has ended.
func (p *programs) forget(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.children = slices.DeleteFunc(p.children, func(x *child) bool { return x == c })
}

// close ends the programs: what was started there later at once, all together,
// and then those that it needed, the last first.
func (p *programs) close() {
	p.mu.Lock()
	all := p.children
	p.children, p.closed = nil, true
	p.mu.Unlock()
	var late []*child
	for len(all) > coreTotal {
		late, all = append(late, all[len(all)-1]), all[:len(all)-1]
	}
	endAll(late)
	for _, c := range slices.Backward(all) {
		endAll([]*child{c})
	}
}

// coreTotal is how many programs make a display: server, manager and bus.
const coreTotal = 3

// endAll ends programs that need one another no more.
func endAll(children []*child) {
	for _, c := range children {
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		// A stopped program cannot hear that it should end.
		_ = c.cmd.Process.Signal(syscall.SIGCONT)
	}
	patience := time.NewTimer(endTimeout)
	defer patience.Stop()
	for _, c := range children {
		select {
		case <-c.ended:
		case <-patience.C:
			patience.Reset(0)
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
	}
}
