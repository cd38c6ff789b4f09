package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A handler returns before its reply is written, and a session that is closed then
// drops the reply. So the server waits at its end until all replies are written.

// writeTimeout bounds the wait for the last replies to be written: a client that does
// not read them is not waited for.
const writeTimeout = time.Second

// countingTransport is a transport that counts the requests without a reply, and delays
// the end of the input, at which the SDK would drop replies.
type countingTransport struct {
	mcp.Transport
	unsent *outstanding
	gone   chan struct{} // closed when the input has ended
	over   chan struct{} // closed when the SDK may see the end of the input
	once   sync.Once
}

// Connect wraps the connection of the transport.
func (t *countingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &countingConnection{Connection: c, countingTransport: t, open: map[jsonrpc.ID]bool{}}, err
}

type countingConnection struct {
	mcp.Connection
	*countingTransport

	mu   sync.Mutex
	open map[jsonrpc.ID]bool
}

// Read notes a request, but not a subscription: that has no end of its own.
func (c *countingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
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
			c.unsent.begin()
		}
		c.mu.Unlock()
	}
	return m, nil
}

// Write notes a reply once it is written.
func (c *countingConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		if c.open[res.ID] {
			delete(c.open, res.ID)
			c.unsent.done()
		}
		c.mu.Unlock()
	}
	return err
}
