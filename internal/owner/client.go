package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"understudy/steps"
)

// errNobody says that no process listens at the socket.
var errNobody = errors.New("no process owns the data folder")

// client is a connection to the owner.
type client struct {
	pipe
	gone chan struct{} // closed when the connection has ended

	// What the owner said when it left; known when gone is closed.
	left   bool
	handed farewell

	mu    sync.Mutex
	last  uint64
	calls map[uint64]chan message // nil when the connection has ended
}

// dial connects to the owner of a folder and introduces this process.
func dial(ctx context.Context, dir string, h hello) (*client, error) {
	path := findSocket(dir)
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, silent(dir, err)
		}
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	c := &client{pipe: pipe{conn: conn}, gone: make(chan struct{}), calls: map[uint64]chan message{}}
	if err := c.introduce(ctx, dir, h); err != nil {
		_ = conn.Close()
		return nil, err
	}
	go c.listen()
	return c, nil
}

// introduce says who this is, and hears whether it is welcome.
func (c *client) introduce(ctx context.Context, dir string, h hello) error {
	defer context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })()
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err = c.send(message{Method: helloMethod, With: raw}, requestLimit); errors.Is(err, errTooLarge) {
		return tooLarge(helloMethod, err)
	}
	var m message
	if err == nil {
		m, err = c.receive(answerLimit)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return silent(dir, err)
	case err != nil:
		return fmt.Errorf("%w: %w", errNobody, err)
	}
	return m.Error.error()
}

func silent(dir string, err error) error {
	return &steps.Error{
		Code: steps.Unavailable, Err: fmt.Errorf("the process that owns the data folder %s does not answer: %w", dir, err),
		Next: "see who it is in its file runs.lock, and end it",
	}
}

// listen hands the answers to the calls that wait for them.
func (c *client) listen() {
	defer close(c.gone)
	for {
		m, err := c.receive(answerLimit)
		c.mu.Lock()
		if err != nil {
			c.calls = nil
			c.mu.Unlock()
			_ = c.conn.Close()
			return
		}
		if err == nil && m.ID == 0 && m.Moved {
			c.left = json.Unmarshal(m.With, &c.handed) == nil
		}
		if answered := c.calls[m.ID]; answered != nil {
			delete(c.calls, m.ID)
			answered <- m
		}
		c.mu.Unlock()
	}
}

// call asks the owner, and waits for the answer, the end of the context, or
// the end of the connection.
func (c *client) call(ctx context.Context, name string, with json.RawMessage) (json.RawMessage, error) {
	answered := make(chan message, 1)
	id, ok := c.expect(answered)
	if !ok {
		return nil, errMoved
	}
	defer c.forget(id)
	if err := c.send(message{ID: id, Method: name, With: with}, requestLimit); err != nil {
		if errors.Is(err, errTooLarge) {
			return nil, tooLarge(name, err)
		}
		return nil, errLost
	}
	select {
	case m := <-answered:
		return c.answer(ctx, m)
	case <-ctx.Done():
		_ = c.send(message{ID: id, Method: cancelMethod}, requestLimit)
		return nil, context.Cause(ctx)
	case <-c.gone:
	}
	select {
	case m := <-answered: // it came just before the end
		return c.answer(ctx, m)
	default:
		return nil, errLost
	}
}

// answer takes an answer apart. After one that says that the owner is leaving,
// there is nothing to ask of anyone before it has left.
func (c *client) answer(ctx context.Context, m message) (json.RawMessage, error) {
	if !m.Moved {
		return m.With, m.Error.error()
	}
	select {
	case <-c.gone:
		return nil, errMoved
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (c *client) expect(answered chan message) (id uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return 0, false
	}
	c.last++
	c.calls[c.last] = answered
	return c.last, true
}

func (c *client) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

func (c *client) ended() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}
