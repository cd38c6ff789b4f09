package ask

import (
	"context"
	"crypto/rand"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// secretPages serves pages on which a person enters secrets, on the loopback interface
// only. The address of a page cannot be guessed, and a page takes one answer.
type secretPages struct {
	mu     sync.Mutex
	base   string // URL of the server, once it listens
	server *http.Server
	pages  map[string]*secretForm
}

type secretForm struct {
	run   string
	names []string
	lasts bool                   // it outlives the call that asked
	given chan map[string]string // holds one answer
	until time.Time
}

func (f *secretForm) ended() bool { return !time.Now().Before(f.until) }

// open makes a page. One that lasts is returned again while its run asks: the person may
// still be there. The first call starts the server.
func (p *secretPages) open(run string, names []string, lasts bool) (token, address string, err error) {
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
	until := time.Now().Add(stateLifetime)
	for t, f := range p.pages {
		switch {
		case lasts && f.lasts && f.run == run && slices.Equal(f.names, names) && !f.ended():
			f.until = until
			return t, p.base + t, nil
		case time.Since(f.until) > stateLifetime:
			delete(p.pages, t)
		}
	}
	token = rand.Text()
	p.pages[token] = &secretForm{run, names, lasts, make(chan map[string]string, 1), until}
	return token, p.base + token, nil
}

// end ends a page: nobody waits for its answer any more. It still says so for a while.
func (p *secretPages) end(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.pages[token]; f != nil && !f.ended() {
		f.until = time.Now()
	}
}

// wait returns what a person entered on a page, and ends the page. It returns nil if
// the context or the page ends before.
func (p *secretPages) wait(ctx context.Context, token string) map[string]string {
	p.mu.Lock()
	f := p.pages[token]
	p.mu.Unlock()
	if f == nil {
		return nil
	}
	select {
	case given := <-f.given:
		p.end(token)
		return given
	case <-ctx.Done():
		return nil
	}
}

func (p *secretPages) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	return p.server.Close()
}

// ServeHTTP shows a page and takes its answer. It refuses other hosts and origins.
func (p *secretPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	f, own := p.pages[strings.TrimPrefix(r.URL.Path, "/")], strings.TrimSuffix(p.base, "/")
	ended := f != nil && f.ended()
	p.mu.Unlock()
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	switch {
	case f == nil || "http://"+r.Host != own || origin != "" && origin != own && origin != "null":
		http.Error(w, "There is no such page.", http.StatusNotFound)
	case ended:
		http.Error(w, requestEnded, http.StatusGone)
	case r.Method == http.MethodGet:
		_ = secretTemplate.Execute(w, f.names)
	case r.Method == http.MethodPost:
		p.submit(w, r, f)
	default:
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
	}
}

func (p *secretPages) submit(w http.ResponseWriter, r *http.Request, f *secretForm) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	given := map[string]string{}
	for _, n := range f.names {
		given[n] = r.PostForm.Get(n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case f.ended():
		http.Error(w, requestEnded, http.StatusGone)
	case len(f.given) > 0:
		http.Error(w, "The answer was given already.", http.StatusConflict)
	default:
		f.given <- given
		fmt.Fprintln(w, "Thank you. The run goes on; this page can be closed.")
	}
}

const requestEnded = "The request has ended: what is entered here goes nowhere. Resume the run to be asked again."

var secretTemplate = template.Must(template.New("secret").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A secret for Understudy</title>
<h1>A run needs a secret</h1>
<p>What is written here goes to the run on this machine, and is stored nowhere.</p>
<form method="post">{{range .}}
<p><label>{{.}} <input type="password" name="{{.}}" autocomplete="off" required></label></p>{{end}}
<p><button>Give it to the run</button></p>
</form></html>
`))
