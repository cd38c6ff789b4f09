package devtools

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"sync"
)

// A Broker shares one browser among clients.
type Broker struct {
	writing sync.Mutex // held while a call is written, which a busy browser delays
	to      io.Writer

	mu       sync.Mutex
	last     int64              // guarded by mu
	pending  map[int64]pending  // guarded by mu
	sessions map[string]*served // guarded by mu; the client that attached
	clients  map[*served]bool   // guarded by mu
	over     bool               // guarded by mu
}

// pending is a call that the browser has not answered.
type pending struct {
	by     *served // nil: the broker itself
	id     int64
	method string
}

// served is a client of a broker.
type served struct {
	conn  io.ReadWriteCloser
	queue chan message
}

// maxQueue bounds the messages for a client that does not read. It is disconnected then: a
// message left out could be the answer that it waits for.
const maxQueue = 4096

// NewBroker returns a broker of a browser that reads calls and writes answers.
func NewBroker(to io.Writer) *Broker {
	// A pipe may still hold answers to the calls of another broker.
	return &Broker{to: to, last: int64(rand.Int32N(1 << 30)), pending: map[int64]pending{}, sessions: map[string]*served{}, clients: map[*served]bool{}}
}

// Run hands the messages of the browser to the clients until the browser ends, and then
// disconnects them.
func (b *Broker) Run(from io.Reader) error {
	err := readMessages(from, b.deliver)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	for c := range b.clients {
		b.drop(c)
	}
	return err
}

// Serve serves a client until it is gone, and then detaches what it attached to.
func (b *Broker) Serve(conn io.ReadWriteCloser) {
	defer conn.Close()
	c := &served{conn: conn, queue: make(chan message, maxQueue)}
	if !b.add(c) {
		return
	}
	var written sync.WaitGroup
	written.Go(c.write)
	_ = readMessages(conn, func(m message) { b.call(c, m) })
	for _, session := range b.remove(c) {
		b.detach(session)
	}
	written.Wait()
}

func (b *Broker) detach(session string) {
	params, _ := json.Marshal(map[string]string{"sessionId": session})
	b.call(nil, message{Method: "Target.detachFromTarget", Params: params})
}

// write writes the queue of a client, until that is closed.
func (c *served) write() {
	for m := range c.queue {
		if raw, err := m.bytes(); err == nil {
			_, _ = c.conn.Write(raw) // an error shows in reading, too
		}
	}
}

func (b *Broker) add(c *served) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.clients[c] = true
	}
	return !b.over
}

// remove forgets a client, and returns its sessions.
func (b *Broker) remove(c *served) (sessions []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(c)
	for session, owner := range b.sessions {
		if owner == c {
			sessions = append(sessions, session)
			delete(b.sessions, session)
		}
	}
	return sessions
}

// drop disconnects a client. The mutex is held.
func (b *Broker) drop(c *served) {
	if b.clients[c] {
		delete(b.clients, c)
		close(c.queue)
		_ = c.conn.Close()
	}
}

// call passes a call on under a number of our own.
func (b *Broker) call(by *served, m message) {
	b.mu.Lock()
	b.last++
	b.pending[b.last] = pending{by, m.ID, m.Method}
	m.ID = b.last
	b.mu.Unlock()
	raw, err := m.bytes()
	if err != nil {
		return
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	_, _ = b.to.Write(raw) // an error shows in reading, too
}

// deliver hands a message of the browser to the clients that it is for: an answer to the one
// that asked, an event of a session to the one that attached, and others to all.
func (b *Broker) deliver(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.ID != 0 {
		p := b.pending[m.ID]
		delete(b.pending, m.ID)
		if p.method == "Target.attachToTarget" {
			b.own(p.by, m.Result)
		}
		m.ID = p.id
		b.send(p.by, m)
		return
	}
	if m.Session == "" {
		for c := range b.clients {
			b.send(c, m)
		}
		return
	}
	owner := b.sessions[m.Session]
	if m.Method == "Target.attachedToTarget" { // a session inside a session, such as of a frame
		b.own(owner, m.Params)
	}
	b.send(owner, m)
}

// own notes the client that a session belongs to, or detaches it if that is gone.
func (b *Broker) own(c *served, raw json.RawMessage) {
	var attached struct{ SessionID string }
	if err := json.Unmarshal(raw, &attached); err != nil || attached.SessionID == "" {
		return
	}
	if b.clients[c] {
		b.sessions[attached.SessionID] = c
	} else {
		go b.detach(attached.SessionID) // the caller holds the mutex
	}
}

func (b *Broker) send(c *served, m message) {
	if !b.clients[c] {
		return // it is gone
	}
	select {
	case c.queue <- m:
	default:
		b.drop(c)
	}
}
