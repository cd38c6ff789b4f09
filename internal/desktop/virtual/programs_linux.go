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

// endTimeout is how long a program may take to end before it is killed.
const endTimeout = 2 * time.Second

// programs starts and ends programs that must not outlive this process.
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

// start starts a program and records it in the state file, or kills it if that fails. It closes
// ended when the program has ended.
func (p *programs) start(cmd *exec.Cmd, ended chan struct{}) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	cmd.WaitDelay = endTimeout
	if err := children.Start(cmd, syscall.SIGTERM); err != nil {
		return err
	}
	c := &child{cmd, ended}
	p.children = append(p.children, c)
	go func() {
		_ = cmd.Wait()
		close(c.ended)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.children = slices.DeleteFunc(p.children, func(x *child) bool { return x == c })
	}()
	err := p.folder.record(cmd.Process.Pid)
	if err != nil {
		_ = cmd.Process.Kill()
	}
	return err
}

// ready records that the X server, the first of the programs, is ready.
func (p *programs) ready(display string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.folder.procs) == 0 {
		return nil // it has ended already
	}
	p.folder.procs[0].Display = display
	return p.folder.write()
}

// close ends the programs: first those that were started on the display, all together, then those
// of the display itself, the last one first.
func (p *programs) close() {
	p.mu.Lock()
	all := p.children
	p.children, p.closed = nil, true
	p.mu.Unlock()
	core := all[:min(coreTotal, len(all))]
	endAll(all[len(core):])
	for _, c := range slices.Backward(core) {
		endAll([]*child{c})
	}
}

// coreTotal is the number of programs of a display itself: server, manager and bus.
const coreTotal = 3

// endAll ends programs that do not need one another.
func endAll(children []*child) {
	for _, c := range children {
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		// A stopped program does not handle the signal.
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
