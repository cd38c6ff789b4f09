package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"understudy/internal/desktop"
)

// A Client calls methods of a browser over a connection to its broker. It implements
// desktop.Browser.
type Client struct {
	conn io.ReadWriteCloser

	writing sync.Mutex // held while a call is written

	mu        sync.Mutex
	last      int64                              // guarded by mu
	pending   map[int64]chan<- message           // guarded by mu
	listeners map[int]func(desktop.BrowserEvent) // guarded by mu
	names     int                                // guarded by mu; the last key of listeners
	done      chan struct{}
}

var _ desktop.Browser = (*Client)(nil)

// ErrEnded is the error of calls to a browser that has ended.
var ErrEnded = errors.New("the browser has ended")

// NewClient returns a client over a connection, which it closes.
func NewClient(conn io.ReadWriteCloser) *Client {
	c := &Client{conn: conn, pending: map[int64]chan<- message{}, listeners: map[int]func(desktop.BrowserEvent){}, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		_ = readMessages(conn, c.receive)
	}()
	return c
}

func (c *Client) receive(m message) {
	c.mu.Lock()
	if m.ID != 0 {
		answer := c.pending[m.ID]
		delete(c.pending, m.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
		return
	}
	listeners := make([]func(desktop.BrowserEvent), 0, len(c.listeners))
	for _, f := range c.listeners {
		listeners = append(listeners, f)
	}
	c.mu.Unlock()
	for _, f := range listeners {
		f(desktop.BrowserEvent{Session: m.Session, Method: m.Method, Params: m.Params})
	}
}

// Call calls a method, in the session of a page unless that is empty, and decodes its answer
// into result, unless that is nil. A call that its context ends may still be performed.
func (c *Client) Call(ctx context.Context, session, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if params == nil {
		raw = nil
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	m := message{ID: c.last, Session: session, Method: method, Params: raw}
	c.pending[m.ID] = answer
	c.mu.Unlock()
	defer c.forget(m.ID)
	if err := c.write(m); err != nil {
		return fmt.Errorf("%s: %w: %w", method, ErrEnded, err)
	}
	select {
	case a := <-answer:
		return decode(method, a, result)
	case <-c.done:
		select {
		case a := <-answer: // the last one
			return decode(method, a, result)
		default:
			return fmt.Errorf("%s: %w", method, ErrEnded)
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Client) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func (c *Client) write(m message) error {
	raw, err := m.bytes()
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.conn.Write(raw)
	return err
}

func decode(method string, a message, result any) error {
	if a.Error != nil {
		return fmt.Errorf("%s: %w", method, a.Error)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return fmt.Errorf("answer to %s: %w", method, err)
	}
	return nil
}

// Listen calls f for each event, in order, until stop is called. f must not call the browser.
func (c *Client) Listen(f func(desktop.BrowserEvent)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names++
	name := c.names
	c.listeners[name] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listeners, name)
	}
}

// Close disconnects from the broker, which detaches what this client attached to.
func (c *Client) Close() error {
	err := c.conn.Close()
	<-c.done
	return err
}
