package auth

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// stage is an authenticator in front of a handler that replies with the grant.
type stage struct {
	*Authenticator
	t      *testing.T
	tokens *Tokens
	log    *scratch.Buffer
	clock  *clock
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newStage(t *testing.T, adjust ...func(*Options)) *stage {
	t.Helper()
	st := &stage{t: t, tokens: NewTokens(filepath.Join(t.TempDir(), "tokens.json")), log: &scratch.Buffer{}, clock: &clock{now: time.Now()}}
	o := Options{Tokens: st.tokens, Log: slog.New(slog.NewTextHandler(st.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, f := range adjust {
		f(&o)
	}
	o.Now = st.clock.time
	st.Authenticator = New(o)
	return st
}

func (st *stage) add(x Token) string {
	st.t.Helper()
	token, err := st.tokens.Add(x)
	if err != nil {
		st.t.Fatal(err)
	}
	return token
}

// whoami replies with the grant.
func whoami(w http.ResponseWriter, r *http.Request) {
	g, ok := From(r.Context())
	if !ok {
		io.WriteString(w, "nobody")
		return
	}
	io.WriteString(w, g.Name+" "+g.Mode)
	for _, t := range g.Toolsets {
		io.WriteString(w, " "+string(t))
	}
}

// try sends a request and returns the reply.
func (st *stage) try(method, path string, headers ...string) *http.Response {
	st.t.Helper()
	r := httptest.NewRequestWithContext(st.t.Context(), method, path, nil)
	return st.do(r, headers...)
}

func (st *stage) do(r *http.Request, headers ...string) *http.Response {
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	st.Wrap(http.HandlerFunc(whoami)).ServeHTTP(w, r)
	return w.Result()
}

func (st *stage) form(path string, values url.Values, headers ...string) *http.Response {
	st.t.Helper()
	r := httptest.NewRequestWithContext(st.t.Context(), http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return st.do(r, headers...)
}

func textOf(t *testing.T, res *http.Response) string {
	t.Helper()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

var laptop = Token{Name: "laptop", Mode: Act, Toolsets: []steps.Toolset{steps.Core, steps.Files}}
