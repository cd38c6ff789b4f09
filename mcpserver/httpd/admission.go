package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/tasks"
	"understudy/steps"
)

// clients reads a request far enough to answer "busy" at once, notes the mode of its
// path, and ties its call to the connection.
func (s *Server) clients(mode access.Mode, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(ModeHeader, string(mode))
		var messages []message
		if r.Method == http.MethodPost {
			var batch bool
			if messages, batch = peek(r); batch && r.Header.Get(sessionHeader) == "" {
				writeError(w, http.StatusBadRequest, errBatchFirst)
				return
			}
		}
		if answerMisnamed(w, r, messages) {
			return
		}
		leave, err := s.admit(r, mode, messages)
		if err != nil {
			w.Header().Set("Retry-After", "1")
			writeError(w, err.status, err.err)
			return
		}
		defer leave()
		if opensSession(r, messages) {
			defer func() { s.quotas.noteSession(w.Header().Get(sessionHeader), ownerOf(r)) }()
		}
		next.ServeHTTP(w, r)
	})
}

// admit counts what a request has in flight, and takes the slot that its calls need, until
// leave is called.
func (s *Server) admit(r *http.Request, mode access.Mode, messages []message) (leave func(), refused *quotaError) {
	release, refused := s.reserve(r, messages)
	if refused != nil {
		return nil, refused
	}
	var slot func()
	if !mayOnlyLook(r, mode) && slices.ContainsFunc(messages, s.needsSlot) {
		var ok bool
		if slot, ok = s.acquireSlot(r.Context()); !ok {
			release()
			return nil, errBusy()
		}
	}
	replied := func() {}
	if slices.ContainsFunc(messages, message.isCall) {
		replied = s.o.Replying()
	}
	end := s.begin(r, slot)
	return func() {
		end()
		replied()
		release()
	}, nil
}

// Admit admits the call of a tool for a page, as if it were a request of a client, until
// leave is called. It ties the call to the request by its headers.
func (s *Server) Admit(r *http.Request, tool string, arguments json.RawMessage) (leave func(), err error) {
	m := message{Method: callMethod}
	m.Params.Name, m.Params.Arguments = tool, arguments
	leave, refused := s.admit(r, access.Act, []message{m})
	if refused != nil {
		return nil, refused.err
	}
	return leave, nil
}

// codeMisnamed is the code of the error for a header that does not fit the body.
const codeMisnamed = -32020

// answerMisnamed answers a request about a task whose header names another task. The SDK
// compares the headers of its own methods only.
func answerMisnamed(w http.ResponseWriter, r *http.Request, messages []message) bool {
	if r.Header.Get(versionHeader) < Modern || len(messages) != 1 || !tasks.Names(messages[0].Method) {
		return false
	}
	m, named := messages[0], r.Header.Get("Mcp-Name")
	if named == m.Params.TaskID {
		return false
	}
	writeJSON(w, http.StatusBadRequest, map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{
		"code": codeMisnamed, "message": fmt.Sprintf("the header Mcp-Name is %q, and the taskId of the body is %q", named, m.Params.TaskID),
	}})
	return true
}

// errBatchFirst is the error of a batch without a session. With initialize and a call
// in one request, a call would act for a client that was never answered.
var errBatchFirst = &steps.Error{
	Code: steps.Invalid, Err: errors.New("a batch of messages needs a session"), Next: "send initialize by itself first",
}

// errBusy returns the error at the concurrency limit: another server may take the call.
func errBusy() *quotaError {
	e := steps.Errorf(steps.Busy, "the limit of concurrent runs is reached")
	e.Next = "try again later; get_run and stop_execution still work"
	return &quotaError{http.StatusServiceUnavailable, e}
}

// message holds the fields of a request that admission examines.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name         string
		TaskID       string
		RequestState string
		Arguments    json.RawMessage
	}
}

// UnmarshalJSON matches names exactly, as the handler of the message does:
// encoding/json would take METHOD for method.
func (m *message) UnmarshalJSON(raw []byte) error {
	var fields, params map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	_ = json.Unmarshal(fields["method"], &m.Method) // a value that is not a string counts as no name
	_ = json.Unmarshal(fields["params"], &params)
	m.ID = fields["id"]
	_ = json.Unmarshal(params["name"], &m.Params.Name)
	_ = json.Unmarshal(params["taskId"], &m.Params.TaskID)
	_ = json.Unmarshal(params["requestState"], &m.Params.RequestState)
	m.Params.Arguments = params["arguments"]
	return nil
}

// callMethod calls a tool.
const callMethod = "tools/call"

func (m message) isCall() bool { return m.Method == callMethod }

// peek reads the messages of a body, and reports whether they are a batch. A body that
// cannot be read is left to the handler, which has an error for it.
func peek(r *http.Request) (messages []message, batch bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false
	}
	body = tasks.Lift(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	var one message
	if json.Unmarshal(body, &one) == nil {
		return []message{one}, false
	}
	_ = json.Unmarshal(body, &messages)
	return messages, bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
}

// sessionHeader names the session of a request.
const sessionHeader = "Mcp-Session-Id"

// reserve counts what a request has in flight until release is called. Calls that look
// at runs or end them are always let in; reading a resource may begin a run, as a call.
func (s *Server) reserve(r *http.Request, messages []message) (release func(), err *quotaError) {
	calls := 0
	for _, m := range messages {
		if t := s.o.Tool(m.Params.Name); m.isCall() && t != nil && !t.Manages || m.Method == "resources/read" {
			calls++
		}
	}
	live := func() (ids []string) {
		for session := range s.o.Clients.Sessions() {
			ids = append(ids, session.ID())
		}
		return ids
	}
	return s.quotas.take(ownerOf(r), calls, opensSession(r, messages), live, s.o.RunsOf)
}

// opensSession reports whether a request asks for a session.
func opensSession(r *http.Request, messages []message) bool {
	return r.Header.Get(sessionHeader) == "" && slices.ContainsFunc(messages, func(m message) bool { return m.Method == "initialize" })
}

// mayOnlyLook reports whether a request may not act, whatever it calls. It takes no slot,
// because it is refused later.
func mayOnlyLook(r *http.Request, mode access.Mode) bool {
	g, known := auth.From(r.Context())
	return mode == access.Ask || known && g.Mode == auth.Ask
}

// needsSlot reports whether a message may begin a run that acts. A message that carries
// an answer to a question belongs to a run that has begun.
func (s *Server) needsSlot(m message) bool {
	t := s.o.Tool(m.Params.Name)
	return m.isCall() && t != nil && t.Acts(m.Params.Arguments) && (m.Params.RequestState == "" || !t.Resumes)
}

const (
	// slotTimeout bounds the wait for a slot: the call before may have been
	// answered a moment ago, and its slot not be released yet.
	slotTimeout = 250 * time.Millisecond
	// slotPoll is the pause between two attempts; other processes take slots too.
	slotPoll = 10 * time.Millisecond
)

// acquireSlot takes a slot for a call that acts, if one becomes free soon.
func (s *Server) acquireSlot(ctx context.Context) (release func(), ok bool) {
	limited, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	for {
		if release, ok = s.slots.take(s.places(ctx)); ok || steps.Sleep(limited, slotPoll) != nil {
			return release, ok
		}
	}
}

// places returns the runs that act on the desktop, including those of other servers.
func (s *Server) places(ctx context.Context) engine.Places {
	runs, err := s.o.Runs(ctx)
	if err != nil {
		return engine.Places{} // the call itself reports the error
	}
	p, err := runs.Places(ctx)
	if err != nil {
		return engine.Places{}
	}
	return p
}

// slots counts the calls over HTTP that act, up to a limit.
type slots struct {
	limit int

	mu    sync.Mutex
	taken int
}

// take takes a slot; release returns it and may be called again.
func (s *slots) take(p engine.Places) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, full := s.acting(p); full {
		return nil, false
	}
	s.taken++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
	}), true
}

// state returns how many runs act, and whether the limit is reached.
func (s *slots) state(p engine.Places) (acting int, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acting(p)
}

// acting joins two counts: the engine's includes runs of the command line and of other
// servers with the same data folder, ours the calls whose runs have not begun yet, and
// the sequences that only look or wait: a load balancer must not send another one. The
// caller holds mu.
func (s *slots) acting(p engine.Places) (acting int, full bool) {
	acting = max(s.taken, len(p.Taken), len(p.Busy))
	return acting, acting >= s.limit || p.Total > 0 && acting >= p.Total
}
