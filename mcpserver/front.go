package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// front is what every request goes through, whatever its address, from the
// outside in:
//
//	patient      who does not read what is written, or write what it promised,
//	             is given up after a while.
//	sameMachine  the names by which the server may be called.
//	the gate     who calls; or SameUser, that a program of the server's user does.
//	received     the body is read whole, so far as it is not too large.
func (s *Server) front(next http.Handler) http.Handler {
	next = received(next)
	if s.o.Gate != nil {
		next = s.o.Gate.Wrap(next)
	}
	if s.o.SameUser != nil {
		next = s.o.SameUser.Wrap(next)
	}
	return s.patient(s.sameMachine(next))
}

// smallBody is what a request may hold that is not for a client's tools.
const smallBody = 64 << 10

// received reads the body of a request, so that no handler waits for one.
func received(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(smallBody)
		if r.URL.Path == auth.ClientPath || r.URL.Path == auth.ClientPath+"/ask" {
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
		answer(w, http.StatusRequestEntityTooLarge, map[string]any{"error": failureOf(steps.Errorf(steps.Invalid, "the request has more than %d bytes", large.Limit))})
		return
	}
	answer(w, http.StatusBadRequest, map[string]any{"error": failureOf(steps.Errorf(steps.Invalid, "the request could not be read: %w", err))})
}

// patient gives each body a time to come, and each part of an answer a time to
// be read. The times are not those of the http.Server, which count for a whole
// answer: a stream may take hours.
func (s *Server) patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(s.waits.body))
		}
		next.ServeHTTP(&patientWriter{w, control, s.waits.read}, r)
	})
}

type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

// part is how much must be read in the time: 30 s for 64 KiB is what a very slow
// line can do.
const part = 64 << 10

func (p *patientWriter) Write(b []byte) (written int, err error) {
	for chunk := range slices.Chunk(b, part) {
		_ = p.control.SetWriteDeadline(time.Now().Add(p.limit))
		n, err := p.ResponseWriter.Write(chunk)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// Flush sends what was written.
func (p *patientWriter) Flush() { _ = p.FlushError() }

// FlushError sends what was written, and says whether it could.
func (p *patientWriter) FlushError() error {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.limit))
	return p.control.Flush()
}

// Unwrap is for http.ResponseController.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// fromElsewhere says whether a browser sends a request on behalf of a page of
// another place. A person may follow a link from there, but a page may not load
// anything: not even a picture, of which it would learn that it is there.
func fromElsewhere(r *http.Request) bool {
	if !slices.Contains([]string{"cross-site", "same-site"}, r.Header.Get("Sec-Fetch-Site")) || r.Header.Get("Origin") != "" {
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Dest") != "document"
}
