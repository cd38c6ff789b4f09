package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/viewer"
)

// versionHeader tells the protocol versions apart before a body is read.
const versionHeader = "Mcp-Protocol-Version"

// Handler answers over HTTP: clients at /mcp, operators at the other addresses.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	clients := clients(s.mcp, s.waits.session)
	if s.o.Gate != nil {
		clients = identified(clients)
	}
	mux.Handle("/mcp", s.gate(Act, clients))
	mux.Handle("/mcp/ask", s.gate(Ask, clients))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, map[string]any{"status": "ok"}) })
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("GET /ready", s.ready)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("POST /mode", s.changeMode)
	pages := viewer.New(s.opened)
	mux.Handle("/runs", pages)
	mux.Handle("/runs/", pages)
	mux.Handle("/captures/", pages)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/runs", http.StatusFound) })
	return s.front(mux)
}

// clients routes each protocol era to the handler that speaks it: the SDK
// accepts modern requests only where it keeps no sessions.
func clients(s *mcp.Server, session time.Duration) http.Handler {
	get := func(*http.Request) *mcp.Server { return s }
	modernHandler := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: bodyLimit,
	})
	legacy := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		SessionTimeout: session, DisableLocalhostProtection: true, MaxRequestBodyBytes: bodyLimit,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= modern {
			modernHandler.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	})
}

// waits are how long a client over HTTP may take.
type waits struct {
	header, body time.Duration // to send them
	read         time.Duration // to read a part of an answer
	idle         time.Duration // between two requests of a connection
	session      time.Duration // between two requests of a session
}

var usualWaits = waits{
	header: 10 * time.Second, body: 30 * time.Second, read: 30 * time.Second, idle: 2 * time.Minute, session: 30 * time.Minute,
}

// How much a client may send.
const (
	bodyLimit   = 4 << 20
	headerLimit = 64 << 10
)

// ServeHTTP answers on a listener until the context ends; then the runs are
// stopped, their answers let out, and the connections closed.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener) error {
	fresh := newcomers{}
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: s.waits.header, IdleTimeout: s.waits.idle, MaxHeaderBytes: headerLimit, ConnState: fresh.note,
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
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err = errors.Join(err, s.Close(last))
	fresh.close()
	if h.Shutdown(last) != nil {
		err = errors.Join(err, h.Close())
	}
	return err
}

// newcomers are the connections that have not sent anything. The shutdown of a
// server waits some seconds for them, though nothing was asked.
type newcomers struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (n *newcomers) note(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state != http.StateNew {
		delete(n.open, c)
		return
	}
	if n.open == nil {
		n.open = map[net.Conn]bool{}
	}
	n.open[c] = true
}

func (n *newcomers) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		_ = c.Close()
	}
}

// answer writes a JSON document.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// refuse answers with what went wrong.
func refuse(w http.ResponseWriter, err error) {
	f := failureOf(err)
	answer(w, httpStatus[f.Code], map[string]any{"error": f})
}
