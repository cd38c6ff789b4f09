package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// owed counts the answers that are not written yet. A handler returns before its
// answer is on its way, and a session that is closed then drops it; so the end of
// the server waits for these.
type owed struct {
	mu   sync.Mutex
	left int
	none chan struct{} // closed when nothing is left; nil: nobody waits
}

func (o *owed) add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left++
}

func (o *owed) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left--; o.left == 0 && o.none != nil {
		close(o.none)
		o.none = nil
	}
}

// lastWrite is how long the writing of the last answers may take: a client that
// does not read them is not waited for.
const lastWrite = time.Second

func (o *owed) wait(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastWrite)
	defer cancel()
	o.mu.Lock()
	if o.none == nil { // else another waits too
		o.none = make(chan struct{})
	}
	none := o.none
	if o.left == 0 {
		close(none)
		o.none = nil
	}
	o.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// counted is a transport that counts the requests that are not answered, and
// keeps the end of the input from the SDK, which would drop their answers.
type counted struct {
	mcp.Transport
	owed *owed
	gone chan struct{} // closed when the input has ended
	over chan struct{} // closed when the SDK may know
	once sync.Once
}

// Connect connects, and begins to count.
func (t *counted) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &countedConnection{Connection: c, counted: t, open: map[jsonrpc.ID]bool{}}, err
}

type countedConnection struct {
	mcp.Connection
	*counted

	mu   sync.Mutex
	open map[jsonrpc.ID]bool
}

// Read notes a request. A stream of changes is none: it has no end of its own.
func (c *countedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.once.Do(func() { close(c.gone) })
		select {
		case <-c.over:
		case <-ctx.Done():
		}
		return m, err
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.ID.IsValid() && req.Method != "subscriptions/listen" {
		c.mu.Lock()
		if !c.open[req.ID] {
			c.open[req.ID] = true
			c.owed.add()
		}
		c.mu.Unlock()
	}
	return m, nil
}

// Write notes an answer once it is written.
func (c *countedConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		if c.open[res.ID] {
			delete(c.open, res.ID)
			c.owed.settle()
		}
		c.mu.Unlock()
	}
	return err
}
