//go:build linux

package x11

import (
	"net"
	"sync"
)

// wire is the connection to a server. It can send several requests in one piece: xgb writes
// each by itself, and on a busy machine the server may run between two, and pass the first
// on to applications.
type wire struct {
	net.Conn
	mu        sync.Mutex
	gathering bool   // guarded by mu
	gathered  []byte // guarded by mu
}

// Write sends bytes, or keeps them while requests are gathered.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gathering {
		w.gathered = append(w.gathered, p...)
		return len(p), nil
	}
	return w.Conn.Write(p)
}

// buffered sends the requests of f in one piece. f must not wait for an answer.
func (w *wire) buffered(f func()) error {
	w.mu.Lock()
	w.gathering = true
	w.mu.Unlock()
	f()
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.Conn.Write(w.gathered)
	w.gathering, w.gathered = false, w.gathered[:0]
	return err
}
