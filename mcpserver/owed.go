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
	none := make(chan struct{})
	o.mu.Lock()
	if o.left == 0 {
		close(none)
	} else {
		o.none = none
	}
	o.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// counted is a transport that counts the calls of tools that are not answered.
type counted struct {
	mcp.Transport
	owed *owed
}

// Connect connects, and begins to count.
func (t *counted) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &countedConnection{Connection: c, owed: t.owed, calls: map[jsonrpc.ID]bool{}}, err
}

type countedConnection struct {
	mcp.Connection
	owed *owed

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool
}

// Read notes a call.
func (c *countedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == "tools/call" && req.ID.IsValid() {
		c.mu.Lock()
		if !c.calls[req.ID] {
			c.calls[req.ID] = true
			c.owed.add()
		}
		c.mu.Unlock()
	}
	return m, err
}

// Write notes an answer once it is written.
func (c *countedConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		if c.calls[res.ID] {
			delete(c.calls, res.ID)
			c.owed.settle()
		}
		c.mu.Unlock()
	}
	return err
}
