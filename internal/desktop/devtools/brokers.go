package devtools

import (
	"context"
	"net"
	"os/exec"
	"slices"
	"sync"

	"understudy/internal/desktop"
)

// Brokers are the brokers of the browsers that this process started. They implement
// desktop.BrowserLister for this process.
type Brokers struct {
	mu  sync.Mutex
	all []held // guarded by mu; the latest last
}

type held struct {
	desktop.BrowserProcess
	broker *Broker
}

// Start starts a program, and holds its pipe if it is a browser.
func (b *Brokers) Start(cmd *exec.Cmd, start func() error) error {
	if !wantsPipe(cmd) {
		return start()
	}
	broker, run, started, err := pipe(cmd)
	if err != nil {
		return start() // without a connection
	}
	err = start()
	started()
	if err != nil {
		run() // which ends at once
		return err
	}
	h := held{processOf(cmd), broker}
	b.mu.Lock()
	b.all = append(b.all, h)
	b.mu.Unlock()
	go func() {
		run()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all = slices.DeleteFunc(b.all, func(x held) bool { return x == h })
	}()
	return nil
}

// List returns the browsers that run, the latest first.
func (b *Brokers) List() (all []desktop.BrowserProcess) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range slices.Backward(b.all) {
		all = append(all, h.BrowserProcess)
	}
	return all
}

// Find returns the broker of a browser, or nil.
func (b *Brokers) Find(pid int) *Broker {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.all {
		if h.PID == pid {
			return h.broker
		}
	}
	return nil
}

func (b *Brokers) Browsers(context.Context) ([]desktop.BrowserProcess, error) { return b.List(), nil }

func (b *Brokers) Browse(_ context.Context, pid int) (desktop.Browser, error) {
	broker := b.Find(pid)
	if broker == nil {
		return nil, desktop.ErrNotFound
	}
	ours, its := net.Pipe()
	go broker.Serve(its)
	return NewClient(ours), nil
}
