//go:build linux

package x11

import (
	"net"
	"sync"
)

// wire is the connection to a server, over which several requests can go in one
// piece. xgb writes each by itself, and on a busy machine the server may get its
// turn between two, and tell the applications of the first.
type wire struct {
	net.Conn
	mu        sync.Mutex
	gathering bool   // guarded by mu
	gathered  []byte // guarded by mu
}

// Write sends bytes, or keeps them while they are gathered.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gathering {
		w.gathered = append(w.gathered, p...)
		return len(p), nil
	}
	return w.Conn.Write(p)
}

// buffered sends in one piece what f requests. It must not wait for an answer.
func (w *wire) buffered(f func()) error {
	w.gather()
	f()
	return w.send()
}

func (w *wire) gather() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gathering = true
}

func (w *wire) send() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.Conn.Write(w.gathered)
	w.gathering, w.gathered = false, w.gathered[:0]
	return err
}
