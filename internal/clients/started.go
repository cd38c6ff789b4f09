package clients

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/words"
)

// startedServer is the transport to a server that it starts. Unlike the one of the SDK, it passes
// over the lines that are no messages, as most clients do: many servers greet or log there.
type startedServer struct {
	cmd *exec.Cmd
	out *messages
}

// Connect implements mcp.Transport.
func (s *startedServer) Connect(ctx context.Context) (mcp.Connection, error) {
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out.lines = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return (&mcp.IOTransport{Reader: s.out, Writer: &lifeline{in, s.cmd}}).Connect(ctx)
}

// lifeline is the standard input of a process; when it is closed, the process ends.
type lifeline struct {
	io.WriteCloser
	cmd *exec.Cmd
}

// endDelay is how long a server may take to end by itself, and then to end when told to.
const endDelay = 5 * time.Second

func (l *lifeline) Close() error {
	_ = l.WriteCloser.Close() // it fails if the process has ended
	defer time.AfterFunc(endDelay, func() { _ = l.cmd.Process.Signal(syscall.SIGTERM) }).Stop()
	defer time.AfterFunc(2*endDelay, func() { _ = l.cmd.Process.Kill() }).Stop()
	return l.cmd.Wait()
}

// messages reads the lines that are messages, and keeps the beginning of the first that is
// none.
type messages struct {
	lines *bufio.Reader
	rest  []byte // of a line

	mu    sync.Mutex
	stray string
}

// shownStray bounds the text of a line that is no message.
const shownStray = 100

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.lines.ReadBytes('\n')
		text := strings.TrimSpace(string(line))
		if _, wrong := jsonrpc.DecodeMessage([]byte(text)); wrong == nil {
			m.rest = line
			break
		}
		m.mu.Lock()
		if m.stray == "" {
			m.stray = words.Shorten(words.Line(strings.ToValidUTF8(text, "\uFFFD")), shownStray)
		}
		m.mu.Unlock()
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close implements io.Closer. The end of the process closes its output.
func (m *messages) Close() error { return nil }

func (m *messages) first() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stray
}
