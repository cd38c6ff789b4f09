package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/steps"
)

// ServeStdio serves one client over a pair of streams until the client closes its side,
// or the context ends. Either way the runs of the client are stopped so that they can
// be resumed, and their replies are written first. Runs that outlive the client
// continue to their end, or until the context ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	w := &lockedWriter{w: out}
	t := &countingTransport{
		Transport: &mcp.IOTransport{Reader: io.NopCloser(&messageReader{in: bufio.NewReader(in), answer: w}), Writer: nopCloser{w}}, unsent: &s.unsent,
		gone: make(chan struct{}), over: make(chan struct{}),
	}
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return err
	}
	cause := errStopping
	select {
	case <-t.gone:
		cause = errInputEnd
	case <-ctx.Done():
	}
	first, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err = s.drain(first, cause)
	close(t.over)
	steps.WaitFor(ctx, &s.inflight.orphaned)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err = errors.Join(err, s.Close(last))
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case why := <-ended:
		if ctx.Err() == nil && !errors.Is(why, io.EOF) && !errors.Is(why, mcp.ErrConnectionClosed) {
			err = errors.Join(err, why)
		}
	case <-last.Done(): // the client never read what was written
	}
	return err
}

// messageReader reads the lines of a stream that are messages. Other lines are answered
// with an error, and the client can continue; the SDK would end its session.
type messageReader struct {
	in     *bufio.Reader
	answer io.Writer
	line   []byte // the unread rest of the current line
	err    error
}

// maxLine bounds a line; a longer one is read and dropped.
const maxLine = 16 << 20

func (m *messageReader) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.next()
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

// next reads a line, and keeps it if it is a message or blank.
func (m *messageReader) next() {
	var line []byte
	dropped := false
	for {
		part, err := m.in.ReadSlice('\n')
		if dropped = dropped || len(line)+len(part) > maxLine; !dropped {
			line = append(line, part...)
		}
		if m.err = err; !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	code, why := -32700, "this line is no JSON"
	switch {
	case dropped:
		why = fmt.Sprintf("this line is longer than %d bytes", maxLine)
	case len(bytes.TrimSpace(line)) == 0:
		return
	case isPlainRequest(line):
		m.line = line
		return
	case json.Valid(line):
		if isMessage(line) {
			m.line = line
			return
		}
		code, why = -32600, "this line is no message of JSON-RPC"
	}
	fmt.Fprintf(m.answer, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// plainDepth is a number of objects and lists that cannot be nested too deeply for the
// SDK.
const plainDepth = 100

// isPlainRequest recognizes most requests in a few microseconds. Decoding with the SDK,
// which will decode the line again, takes ten times as long.
func isPlainRequest(line []byte) bool {
	var m map[string]json.RawMessage
	switch {
	case bytes.Count(line, []byte("{"))+bytes.Count(line, []byte("[")) > plainDepth,
		!utf8.Valid(line) || bytes.Contains(line, []byte(`\u`)), // JSON readers disagree on these
		json.Unmarshal(line, &m) != nil:
		return false
	}
	for name, v := range m {
		begin := v[0]
		switch name {
		case "jsonrpc":
			if string(v) != `"2.0"` {
				return false
			}
		case "method":
			if begin != '"' {
				return false
			}
		case "id":
			if _, err := strconv.Atoi(string(v)); err != nil && begin != '"' {
				return false
			}
		case "params":
			if begin != '{' {
				return false
			}
		default:
			return false
		}
	}
	return m["jsonrpc"] != nil && m["method"] != nil
}

// isMessage reports whether a line is a message, or a batch of messages.
func isMessage(line []byte) bool {
	batch := []json.RawMessage{line}
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t\r"), []byte("[")) && json.Unmarshal(line, &batch) != nil {
		return false
	}
	for _, one := range batch {
		m, err := jsonrpc.DecodeMessage(one)
		if r, ok := m.(*jsonrpc.Response); err != nil || ok && r.Result == nil && r.Error == nil {
			return false
		}
	}
	return len(batch) > 0
}

// lockedWriter serializes the messages of several writers, each of which is one write.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// drain refuses new calls, stops the others, and waits until their replies are written.
func (s *Server) drain(ctx context.Context, cause error) error {
	err := s.inflight.close(ctx, cause)
	timed, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	_ = s.unsent.wait(timed)
	return err
}

// Close ends the server: calls are refused, those that run are stopped with the
// cause shutdown and answered, then the sessions are closed.
func (s *Server) Close(ctx context.Context) error {
	err := s.drain(ctx, errStopping)
	s.recorder.close()
	s.changes.close()
	closed := make(chan struct{})
	go func() { // closing may block while a client does not read
		defer close(closed)
		for session := range s.mcp.Sessions() {
			_ = session.Close()
		}
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		err = errors.Join(err, context.Cause(ctx))
	}
	return errors.Join(err, s.asker.Close())
}
