package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/telemetry"
	"understudy/mcpserver/auth"
)

// Options configure a server.
type Options struct {
	// Clients answers the requests of MCP clients.
	Clients *mcp.Server
	Runs    func(context.Context) (engine.Runs, error)
	// RunsFor returns the runs that the sender of a request may see, if it may use the
	// tool that discloses the same.
	RunsFor func(r *http.Request, tool string) (engine.Runs, error)
	// Operate performs an operation for the sender of a request. It returns NotFound
	// if there is no such operation.
	Operate func(r *http.Request, things, operation string, args json.RawMessage) (Operated, error)
	// Hook handles a request to a webhook, which is signed instead of having a
	// credential. It reports whether the message is new.
	Hook func(ctx context.Context, name string, h http.Header, body []byte) (heard any, isNew bool, err error)
	// Readings returns further metrics; nil: there are none.
	Readings func(context.Context) []telemetry.Reading
	// MaxConcurrent is how many runs may act at once.
	MaxConcurrent int
	// Tool returns the properties of a tool, or nil if there is no such tool.
	Tool func(name string) *Tool
	// Replying counts a request that has no reply yet, until done is called.
	Replying func() (done func())
	// Counts returns how many calls and runs of clients are in flight.
	Counts func() Counts
	// RunsOf counts the runs in flight of a credential, and of all.
	RunsOf func(credential string) (own, all int)
	// SetMode sets the mode of a client, on behalf of an operator; by is "" if nobody needs
	// a credential.
	SetMode func(by, client string, mode access.Limits)
	// Check examines the machine; nil: it is ready.
	Check func(context.Context) []desktop.Finding
	// Life ends the streams of events.
	Life context.Context
	// Gate asks for credentials; nil: none are needed.
	Gate *auth.Authenticator
	// SameUser refuses the other users of this machine; nil: they may call.
	SameUser *auth.SameUser
	// Hosts and Origins are allowed beside those of this machine.
	Hosts, Origins []string
	// Pages serves the pages for people, at PagePaths.
	Pages     http.Handler
	PagePaths []string
	Log       *slog.Logger
}

// Tool holds the properties of a tool that admission examines.
type Tool struct {
	Acts    func(arguments json.RawMessage) bool // reports whether a call takes a slot of the concurrency limit
	Resumes bool                                 // its run may ask, and it verifies the request state that a client brings back
	Manages bool                                 // it reads or ends runs, so the bound of calls does not apply
}

// Counts are the calls and runs of clients.
type Counts struct {
	Calls, Runs int
	Total       uint64    // calls so far
	Activity    time.Time // of the last call
}

// Timeouts bound how long a client may take.
type Timeouts struct {
	Header, Body time.Duration // to send them
	Read         time.Duration // to read a part of a reply
	Idle         time.Duration // between two requests of a connection
	Session      time.Duration // between two requests of a session
}

// DefaultTimeouts are those of a new server.
var DefaultTimeouts = Timeouts{
	Header: 10 * time.Second, Body: 30 * time.Second, Read: 30 * time.Second, Idle: 2 * time.Minute, Session: 30 * time.Minute,
}

// Size limits of a request.
const (
	bodyLimit   = 4 << 20
	headerLimit = 64 << 10
)

// Server serves HTTP. Make one with New.
type Server struct {
	Exchanges
	Timeouts Timeouts

	o      Options
	slots  slots
	quotas quotas
	conns  connections
	began  time.Time
	// unsigned counts the messages to webhooks that are refused.
	unsigned *auth.Limiter
}

// New makes a server. It does not listen.
func New(o Options) *Server {
	return &Server{Timeouts: DefaultTimeouts, o: o, slots: slots{limit: max(1, o.MaxConcurrent)}, began: time.Now(), unsigned: auth.NewLimiter()}
}

// Handler serves clients at /mcp, and operators and pages at the other addresses.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	clients := Streamable(s.o.Clients, s.Timeouts.Session)
	if s.o.Gate != nil {
		clients = withTokenInfo(clients)
	}
	mux.Handle("/mcp", s.clients(access.Act, clients))
	mux.Handle("/mcp/ask", s.clients(access.Ask, clients))
	op := operator{s, &lastCheck{slot: make(chan struct{}, 1)}}
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": "ok"})
	})
	mux.HandleFunc("GET /status", op.status)
	mux.HandleFunc("GET /ready", op.ready)
	mux.HandleFunc("GET /metrics", op.metrics)
	mux.HandleFunc("GET /events", op.events)
	mux.HandleFunc("POST /mode", op.changeMode)
	mux.HandleFunc("GET /api/{things}/{operation}", s.operate)
	mux.HandleFunc("POST /api/{things}/{operation}", s.operate)
	for _, path := range s.o.PagePaths {
		mux.Handle(path, s.o.Pages)
	}
	mux.Handle("GET /{$}", http.RedirectHandler("/runs", http.StatusFound))
	return s.guarded(mux)
}

// Modern is the first protocol version without sessions: each request states its sender
// and the sender's capabilities.
const Modern = "2026-07-28"

// versionHeader states the protocol version, so that it is known before a body is read.
const versionHeader = "Mcp-Protocol-Version"

// Streamable routes each protocol version to the handler that supports it: the SDK
// accepts modern requests only in a handler without sessions.
func Streamable(s *mcp.Server, session time.Duration) http.Handler {
	get := func(*http.Request) *mcp.Server { return s }
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: bodyLimit,
	})
	sessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		SessionTimeout: session, DisableLocalhostProtection: true, MaxRequestBodyBytes: bodyLimit,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= Modern {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// shutdownTime bounds the shutdown of a server.
const shutdownTime = 10 * time.Second

// Serve serves a listener until the context ends. Then stop ends the calls and waits
// for their replies, and the connections are closed.
func (s *Server) Serve(ctx context.Context, l net.Listener, stop func(context.Context) error) error {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: s.Timeouts.Header, IdleTimeout: s.Timeouts.Idle, MaxHeaderBytes: headerLimit, ConnState: s.conns.track,
	}
	if s.o.SameUser != nil {
		h.ConnContext = s.o.SameUser.Note
	}
	h.ErrorLog = slog.NewLogLogger(s.o.Log.Handler(), slog.LevelInfo)
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err = errors.Join(err, stop(last))
	s.conns.closeSilent()
	if h.Shutdown(last) != nil {
		err = errors.Join(err, h.Close())
	}
	return err
}
