package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A ProbeResult is what a server answered.
type ProbeResult struct {
	Name      string        `json:"name"`
	Version   string        `json:"version"`
	Protocol  string        `json:"protocol"`
	Protocols []string      `json:"protocols,omitempty"` // all that it speaks, if it says so
	Tools     []Offer       `json:"tools"`
	Prompts   []Offer       `json:"prompts"`
	Resources []Offer       `json:"resources"`       // templates too
	Stray     string        `json:"stray,omitempty"` // the first line of its standard output that is no message
	Hello     time.Duration `json:"-"`               // how long the start with the handshake took
	List      time.Duration `json:"-"`               // how long the lists took
}

// Probe starts or calls a server as a client does, and lists what it offers; it calls no tool. Its
// error ends with the last line that a started server has written.
func (s Server) Probe(ctx context.Context) (ProbeResult, error) {
	began, stderr, over, out := time.Now(), &tail{}, &headerTransport{headers: s.Headers}, &messages{}
	r, err := probe(ctx, s.transport(ctx, stderr, over, out))
	r.Stray = out.first()
	if err == nil {
		return r, nil
	}
	if over.refused.Load() {
		return r, ErrCredential
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer in %s: %w", time.Since(began).Round(time.Second), context.Cause(ctx))
	}
	if r.Stray != "" {
		err = fmt.Errorf("%w; its standard output is for messages only, and it wrote there: %s", err, r.Stray)
	}
	if last := stderr.last(); last != "" {
		err = fmt.Errorf("%w; it said: %s", err, last)
	}
	return r, err
}

func (s Server) transport(ctx context.Context, stderr *tail, over *headerTransport, out *messages) mcp.Transport {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{
			Endpoint: s.URL, HTTPClient: &http.Client{Transport: over}, MaxRetries: -1, DisableStandaloneSSE: true,
		}
	}
	cmd := exec.CommandContext(ctx, s.Command, s.Args...)
	cmd.Env, cmd.Stderr, cmd.WaitDelay = os.Environ(), stderr, time.Second
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return &startedServer{cmd, out}
}

func probe(ctx context.Context, transport mcp.Transport) (r ProbeResult, err error) {
	began := time.Now()
	client := mcp.NewClient(&mcp.Implementation{Name: "understudy doctor", Version: "1"}, nil)
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if d, ok := res.(*mcp.DiscoverResult); ok && d != nil {
				r.Protocols = d.SupportedVersions
			}
			return res, err
		}
	})
	s, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return r, err
	}
	// How a server ends after it has answered does not matter.
	defer func() { _ = s.Close() }()
	hello := s.InitializeResult()
	if hello == nil {
		return r, errors.New("it did not say who it is")
	}
	r.Protocol, r.Hello = hello.ProtocolVersion, time.Since(began)
	if hello.ServerInfo != nil {
		r.Name, r.Version = hello.ServerInfo.Name, hello.ServerInfo.Version
	}
	began = time.Now()
	err = r.list(ctx, s)
	r.List = time.Since(began)
	return r, err
}

// ErrCredential is the error of a server that asks for a credential and was given none,
// or a wrong one.
var ErrCredential = errors.New("the server requires a valid token")

// headerTransport is an http.RoundTripper that adds the same headers to each request.
type headerTransport struct {
	headers map[string]string
	refused atomic.Bool // a request was refused for its credential
}

func (c *headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && res.StatusCode == http.StatusUnauthorized {
		c.refused.Store(true)
	}
	return res, err
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail bounds the text of a tail.
const maxTail = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

// last returns the last line that is not blank.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
