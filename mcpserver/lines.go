package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/tasks"
)

// lines is a connection over a pair of streams, each line of which is a message or a batch
// of messages. A line that is neither is answered with an error, and the client can
// continue; the SDK's own transport would end the session.
//
// It counts the requests whose replies are not written: a handler returns before that,
// and a session that is closed then drops the reply. So it also delays the end of the
// input, at which the SDK closes the session. Make one with newLines.
type lines struct {
	in       *bufio.Reader
	unsent   *outstanding
	incoming chan jsonrpc.Message
	gone     chan struct{} // closed when the input has ended
	over     chan struct{} // closed when the SDK may see the end of the input
	end      error         // of the input; set before gone is closed
	closed   context.Context
	close    context.CancelFunc

	mu   sync.Mutex
	open map[jsonrpc.ID]request // those that are not answered

	writing sync.Mutex // serializes lines
	out     io.Writer
}

// request is a request that is not answered.
type request struct {
	batch   *batch // nil: it came alone
	at      int    // among the replies of the batch
	written func() // notes that its reply is written
}

// batch holds the replies to the requests of one line, which are written together.
type batch struct {
	mu      sync.Mutex
	replies []json.RawMessage
	left    int
}

func newLines(in io.Reader, out io.Writer, unsent *outstanding) *lines {
	l := &lines{
		in: bufio.NewReader(in), out: out, unsent: unsent,
		incoming: make(chan jsonrpc.Message), gone: make(chan struct{}), over: make(chan struct{}), open: map[jsonrpc.ID]request{},
	}
	l.closed, l.close = context.WithCancel(context.Background())
	return l
}

// Connect implements mcp.Transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go l.receive()
	return l, nil
}

// SessionID implements mcp.Connection: there is one session.
func (*lines) SessionID() string { return "" }

// Close implements mcp.Connection.
func (l *lines) Close() error {
	l.close()
	return nil
}

// Read implements mcp.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.incoming:
		return m, nil
	case <-l.gone:
		select {
		case <-l.over:
		case <-l.closed.Done():
		case <-ctx.Done():
		}
		return nil, l.end
	case <-l.closed.Done():
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// receive reads lines until the input ends or the connection is closed.
func (l *lines) receive() {
	defer close(l.gone)
	for l.end == nil {
		var line []byte
		var all []jsonrpc.Message
		var refused *jsonrpc.Error
		if line, l.end = l.next(); line == nil {
			refused = &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf("this line is longer than %d bytes", maxLine)}
		} else if len(bytes.TrimSpace(line)) > 0 {
			all, refused = l.accept(line)
		}
		if refused != nil {
			l.refuse(refused)
		}
		for _, m := range all {
			select {
			case l.incoming <- m:
			case <-l.closed.Done():
				l.end = io.EOF
				return
			}
		}
	}
}

// maxLine bounds a line; a longer one is read and dropped.
const maxLine = 16 << 20

// next reads a line; nil if it is too long.
func (l *lines) next() (line []byte, err error) {
	line = []byte{}
	for {
		part, err := l.in.ReadSlice('\n')
		if line != nil {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// accept decodes the messages of a line, and notes its requests.
func (l *lines) accept(line []byte) ([]jsonrpc.Message, *jsonrpc.Error) {
	if !json.Valid(line) { // the SDK accepts what follows a message
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "this line is not JSON"}
	}
	all, isBatch := decodeLine(tasks.Lift(line))
	if len(all) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this line is not a JSON-RPC message"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var requests []*jsonrpc.Request
	ids := map[jsonrpc.ID]bool{}
	for _, m := range all {
		req, ok := m.(*jsonrpc.Request)
		if !ok || !req.ID.IsValid() {
			continue
		}
		if _, open := l.open[req.ID]; open || ids[req.ID] {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a request with the id %v is not answered yet", req.ID.Raw())}
		}
		requests, ids[req.ID] = append(requests, req), true
	}
	var together *batch
	if isBatch {
		together = &batch{replies: make([]json.RawMessage, len(requests)), left: len(requests)}
	}
	for i, req := range requests {
		written := func() {}
		if req.Method != "subscriptions/listen" { // that has no end of its own
			written = l.unsent.begin()
		}
		l.open[req.ID] = request{together, i, written}
	}
	return all, nil
}

// decodeLine returns the messages of a line, or none if it is not valid.
func decodeLine(line []byte) (all []jsonrpc.Message, isBatch bool) {
	raw := []json.RawMessage{line}
	if isBatch = bytes.HasPrefix(bytes.TrimLeft(line, " \t\r"), []byte("[")); isBatch {
		raw = nil
		if json.Unmarshal(line, &raw) != nil {
			return nil, true
		}
	}
	for _, one := range raw {
		m, err := jsonrpc.DecodeMessage(one)
		if r, ok := m.(*jsonrpc.Response); err != nil || ok && r.Result == nil && r.Error == nil {
			return nil, isBatch
		}
		all = append(all, m)
	}
	return all, isBatch
}

// Write implements mcp.Connection.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if res, ok := m.(*jsonrpc.Response); ok {
		r := l.answered(res.ID)
		defer r.written()
		if r.batch != nil && err == nil {
			line, err = r.batch.add(r.at, line)
		}
	}
	if line == nil || err != nil {
		return err
	}
	return l.writeLine(line)
}

// answered returns the request with an id, and forgets it: the client may use the id
// again.
func (l *lines) answered(id jsonrpc.ID) request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, known := l.open[id]
	if !known {
		r.written = func() {}
	}
	delete(l.open, id)
	return r
}

// add adds a reply, and returns the line with all of them after the last one.
func (b *batch) add(at int, reply json.RawMessage) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replies[at] = reply
	if b.left--; b.left > 0 {
		return nil, nil
	}
	return json.Marshal(b.replies)
}

// refuse answers a line that is no message.
func (l *lines) refuse(why *jsonrpc.Error) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": why})
	if err == nil {
		_ = l.writeLine(line) // the next reply reports the error
	}
}

func (l *lines) writeLine(line []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(line, '\n'))
	return err
}
