package httpd

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// guarded puts in front of a handler the layers that every request passes, whatever
// its address, from the outside in:
//
//	withDeadlines  drops a client that does not read its reply, or does not send
//	               the body that it announced.
//	sameMachine    refuses a Host or Origin of another machine, unless allowed.
//	Gate           checks the credential; SameUser instead, that a program of the
//	               server's user calls. A message for a webhook is signed instead.
//	bounded        refuses a credential with too many requests in flight.
//	withBody       reads the whole body, up to a limit.
func (s *Server) guarded(next http.Handler) http.Handler {
	next = withBody(next)
	if s.o.Gate != nil {
		next = s.o.Gate.Wrap(s.quotas.bounded(next))
	}
	if s.o.SameUser != nil {
		next = s.o.SameUser.Wrap(next)
	}
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.Handle("POST "+hookPath+"{name}", withBody(http.HandlerFunc(s.hook)))
	return s.withDeadlines(s.sameMachine(mux))
}

// smallBody bounds the bodies of requests other than calls of tools.
const smallBody = 64 << 10

// withBody reads the whole body of a request first, so that no handler waits for it.
func withBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(smallBody)
		if r.URL.Path == auth.ClientPath || r.URL.Path == auth.ClientPath+"/ask" || strings.HasPrefix(r.URL.Path, "/runs/") { // forms there can hold a mended document
			limit = bodyLimit
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			refuseBody(w, err)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func refuseBody(w http.ResponseWriter, err error) {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		writeError(w, http.StatusRequestEntityTooLarge, steps.Errorf(steps.Invalid, "the request has more than %d bytes", large.Limit))
		return
	}
	writeError(w, http.StatusBadRequest, steps.Errorf(steps.Invalid, "the request could not be read: %w", err))
}

// withDeadlines bounds the time in which a body must arrive, and in which each part of
// a reply must be read. The timeouts of http.Server cover a whole reply, but a stream
// may take hours.
func (s *Server) withDeadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(s.Timeouts.Body))
		}
		next.ServeHTTP(&deadlineWriter{w, control, s.Timeouts.Read}, r)
	})
}

type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

// chunkSize is how much must be read within the deadline: 64 KiB in 30 s suits a very
// slow line.
const chunkSize = 64 << 10

func (p *deadlineWriter) Write(b []byte) (written int, err error) {
	for chunk := range slices.Chunk(b, chunkSize) {
		_ = p.control.SetWriteDeadline(time.Now().Add(p.limit))
		n, err := p.ResponseWriter.Write(chunk)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

func (p *deadlineWriter) Flush() { _ = p.FlushError() }

// FlushError is used by http.ResponseController.
func (p *deadlineWriter) FlushError() error {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.limit))
	return p.control.Flush()
}

// Unwrap is used by http.ResponseController.
func (p *deadlineWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// sameMachine refuses requests whose Host or Origin is of another machine, for every
// method and address: a web page must not reach the server through a name that resolves
// to this machine (DNS rebinding).
func (s *Server) sameMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(hostOf(r.Host), s.o.Hosts) {
			refuse(w, errForbidden("the host "+strconv.QuoteToASCII(r.Host), "--allow-host"))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !s.allowsOrigin(r, origin) {
				refuse(w, errForbidden("the origin "+strconv.QuoteToASCII(origin), "--allow-origin"))
				return
			}
			if s.isPublic(origin) { // a proxy in front may have replaced the host, by which our own pages are known
				_, r.Host, _ = strings.Cut(origin, "://")
			}
		}
		if crossSite(r) {
			refuse(w, errForbidden("a request from a page of another origin", "--allow-origin"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allowsOrigin reports whether pages of an origin may send requests: those of this
// machine, the allowed ones, and our own pages under the name by which they were
// requested.
func (s *Server) allowsOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	own := u.Host == r.Host && (u.Scheme == "https") == (r.TLS != nil) || s.isPublic(origin)
	return own || isLocal(u.Hostname(), nil) || slices.Contains(s.o.Origins, origin)
}

// isPublic reports whether an origin is the address of this server behind a proxy.
func (s *Server) isPublic(origin string) bool { return s.o.Gate != nil && s.o.Gate.IsPublic(origin) }

// crossSite reports whether a browser sends a request on behalf of a page of another
// site. A person may follow a link from there, but such a page may load nothing, not
// even a picture, whose existence would tell it something.
func crossSite(r *http.Request) bool {
	if !slices.Contains([]string{"cross-site", "same-site"}, r.Header.Get("Sec-Fetch-Site")) || r.Header.Get("Origin") != "" {
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Dest") != "document"
}

func errForbidden(what, flag string) error {
	return steps.Errorf(steps.Denied, "%s is not allowed", what).WithNext("start the server with " + flag + " if it is to be")
}

func hostOf(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return address // localhost:junk.evil.com is not this machine
		}
		return host
	}
	return strings.Trim(address, "[]")
}

// isLocal reports whether a host is this machine, or is allowed.
func isLocal(host string, allowed []string) bool {
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return strings.EqualFold(host, "localhost") || slices.Contains(allowed, host)
}
