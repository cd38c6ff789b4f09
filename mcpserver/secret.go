package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
)

// secretPage serves pages on which a person gives secrets, on an address of
// this machine only. A page has an address that cannot be guessed and takes one
// answer, so a secret never passes through a client or its model.
type secretPage struct {
	mu     sync.Mutex
	base   string // the address, once it is served
	server *http.Server
	pages  map[string]*secretForm
}

// secretForm is one page.
type secretForm struct {
	run   string
	names []string
	given chan map[string]string // holds one answer
	until time.Time
}

// secretCommand is how a person gives secrets at the command line.
func secretCommand(run string, names []string) string {
	var text strings.Builder
	text.WriteString("a secret cannot be given through this client; the user runs: understudy resume " + run)
	for _, n := range names {
		text.WriteString(fmt.Sprintf(" --input %s=@FILE", n))
	}
	return text.String()
}

// askSecret sends a person to a page on which the secrets are given.
func (s *Server) askSecret(ctx context.Context, c *call, runs engine.Runs, h *engine.Header) (*reply, bool, error) {
	if !c.asks(true) {
		return nil, false, nil
	}
	token, address, err := s.secrets.open(h.ID, h.Question.Choices)
	if err != nil {
		s.o.Log.Warn("no page for secrets", "error", err)
		return nil, false, nil
	}
	q := &mcp.ElicitParams{Mode: "url", Message: h.Question.Text, URL: address, ElicitationID: token}
	res, out, err := s.elicit(ctx, c, q, parked{Run: h.ID, Page: token})
	if err != nil || out != nil || res.Action != "accept" {
		return out, false, err
	}
	given, err := s.secrets.wait(ctx, token)
	if err != nil {
		return nil, false, nil // the run goes on waiting
	}
	return s.giveSecrets(ctx, c, runs, h, given)
}

func (s *Server) giveSecrets(ctx context.Context, c *call, runs engine.Runs, h *engine.Header, given map[string]string) (*reply, bool, error) {
	next, err := runs.Answer(context.WithoutCancel(ctx), h.ID, engine.Answer{Secrets: given, By: c.id(), Environ: s.o.Environ})
	if err != nil {
		return nil, false, err
	}
	*h = next
	s.inflight.noteRun(h.ID, c.caller)
	return nil, true, nil
}

// givenSecrets takes up a run when a modern client says that its user went to
// the page.
func (s *Server) givenSecrets(ctx context.Context, c *call, runs engine.Runs, h engine.Header, state parked) (engine.Header, error) {
	if res := c.brought(); res == nil || res.Action != "accept" {
		return h, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longPoll)
	defer cancel()
	given, err := s.secrets.wait(ctx, state.Page)
	if err != nil {
		return h, nil
	}
	_, _, err = s.giveSecrets(ctx, c, runs, &h, given)
	return h, err
}

// open makes a page, and begins to serve pages when it is the first.
func (p *secretPage) open(run string, names []string) (token, address string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", "", err
		}
		p.server = &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
		p.base, p.pages = "http://"+l.Addr().String()+"/", map[string]*secretForm{}
		go func() { _ = p.server.Serve(l) }()
	}
	for t, f := range p.pages {
		if time.Now().After(f.until) {
			delete(p.pages, t)
		}
	}
	token = rand.Text()
	p.pages[token] = &secretForm{run, names, make(chan map[string]string, 1), time.Now().Add(parkedTime)}
	return token, p.base + token, nil
}

var errNoPage = errors.New("the page for the secret is gone")

// wait waits until a page was filled in.
func (p *secretPage) wait(ctx context.Context, token string) (map[string]string, error) {
	p.mu.Lock()
	f := p.pages[token]
	p.mu.Unlock()
	if f == nil {
		return nil, errNoPage
	}
	select {
	case given := <-f.given:
		p.mu.Lock()
		delete(p.pages, token)
		p.mu.Unlock()
		return given, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// close ends the pages.
func (p *secretPage) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	return p.server.Close()
}

// ServeHTTP shows a page and takes its answer.
func (p *secretPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	f, own := p.pages[strings.TrimPrefix(r.URL.Path, "/")], strings.TrimSuffix(p.base, "/")
	p.mu.Unlock()
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	switch {
	case f == nil || "http://"+r.Host != own || origin != "" && origin != own && origin != "null":
		http.Error(w, "There is no such page.", http.StatusNotFound)
	case r.Method == http.MethodGet:
		_ = secretTemplate.Execute(w, f.names)
	case r.Method == http.MethodPost:
		p.filled(w, r, f)
	default:
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
	}
}

func (p *secretPage) filled(w http.ResponseWriter, r *http.Request, f *secretForm) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	given := map[string]string{}
	for _, n := range f.names {
		given[n] = r.PostForm.Get(n)
	}
	select {
	case f.given <- given:
		fmt.Fprintln(w, "Thank you. The run goes on; this page can be closed.")
	default:
		http.Error(w, "The answer was given already.", http.StatusConflict)
	}
}

var secretTemplate = template.Must(template.New("secret").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A secret for Understudy</title>
<h1>A run needs a secret</h1>
<p>What is written here goes to the run on this machine, and is stored nowhere.</p>
<form method="post">{{range .}}
<p><label>{{.}} <input type="password" name="{{.}}" autocomplete="off" required></label></p>{{end}}
<p><button>Give it to the run</button></p>
</form></html>
`))
