package clients

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
)

// Handler returns a handler that is between clients and the server at an address. Each path
// is passed to the same path there; an answer in parts is passed part by part. It uses only
// Log and Contents.
func (r Relay) Handler(to *url.URL) http.Handler {
	h := &exchanges{l: &ledger{log: r.Log, contents: r.Contents, open: map[string]request{}}}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	h.proxy = httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ModifyResponse: h.answered, ErrorHandler: h.failed,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
			p.Out.Header.Del("Accept-Encoding") // what is compressed cannot be shown
		},
	}
	return h
}

// exchanges passes HTTP requests and answers. Each client counts its requests on its own,
// so an answer is looked for in its exchange; what the server asks is answered in another
// exchange of its session.
type exchanges struct {
	l     *ledger
	proxy httputil.ReverseProxy
	count atomic.Uint64
}

// sessionHeader names the session of a message.
const sessionHeader = "Mcp-Session-Id"

type scopesKey struct{}

// ServeHTTP implements http.Handler.
func (h *exchanges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		// The server would see its own name instead of that of a page which was led here.
		http.Error(w, fmt.Sprintf("this proxy is called at a name of this machine, not at %q", host), http.StatusForbidden)
		return
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	at := scopes{exchange: fmt.Sprint(h.count.Add(1)), session: r.Header.Get(sessionHeader)}
	h.l.note(fromClient, at, sent)
	r.Body = io.NopCloser(bytes.NewReader(sent))
	h.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), scopesKey{}, at)))
}

// answered notes an answer of the server while it passes.
func (h *exchanges) answered(res *http.Response) error {
	at, _ := res.Request.Context().Value(scopesKey{}).(scopes)
	if session := res.Header.Get(sessionHeader); session != "" {
		at.session = session
	}
	if res.StatusCode >= http.StatusBadRequest {
		h.l.write("%s HTTP %s", fromServer, res.Status)
	}
	note := func(message []byte) { h.l.note(fromServer, at, message) }
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	switch strings.TrimSpace(kind) {
	case "text/event-stream":
		res.Body = &watched{ReadCloser: res.Body, to: &events{note: note}}
	case "application/json":
		res.Body = &watched{ReadCloser: res.Body, to: &whole{note: note}}
	}
	return nil
}

func (h *exchanges) failed(w http.ResponseWriter, _ *http.Request, err error) {
	h.l.write("%s no answer: %v", fromServer, err)
	w.WriteHeader(http.StatusBadGateway)
}

// reading is given what passes, before it does.
type reading interface {
	io.Writer
	end()
}

type watched struct {
	io.ReadCloser
	to reading
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	_, _ = w.to.Write(p[:n]) // it only keeps a copy
	if err != nil {
		w.to.end()
	}
	return n, err
}

// whole is a message that is a body.
type whole struct {
	bytes.Buffer
	note func([]byte)
}

func (w *whole) end() {
	w.note(w.Bytes())
	w.Reset()
}

// events are messages that are events of a stream; one may have several lines.
type events struct {
	note func([]byte)
	line []byte
	data []byte
}

func (e *events) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		e.line = append(e.line, part...)
		if bytes.HasSuffix(part, []byte("\n")) {
			e.take(bytes.TrimRight(e.line, "\r\n"))
			e.line = e.line[:0]
		}
	}
	return len(p), nil
}

func (e *events) take(line []byte) {
	if len(line) == 0 {
		e.end()
		return
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(data, []byte(" "))...)
	}
}

func (e *events) end() {
	e.note(e.data)
	e.data = nil
}
