package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy/steps"
)

// sameMachine refuses requests whose Host or Origin is of another machine: a
// page in a browser must not reach the server by a name that leads here. It
// holds for every method and address.
func (s *Server) sameMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(hostOf(r.Host), s.o.Hosts) {
			refuse(w, forbidden("the host "+r.Host, "--allow-host"))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			u, err := url.Parse(origin)
			if err != nil || !local(u.Hostname(), nil) && !slices.Contains(s.o.Origins, origin) {
				refuse(w, forbidden("the origin "+origin, "--allow-origin"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func forbidden(what, flag string) error {
	e := steps.Errorf(steps.Denied, "%s is not allowed", what)
	e.Next = "start the server with " + flag + " if it is to be"
	return e
}

func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// local says whether a host is this machine by name or number, or allowed.
func local(host string, allowed []string) bool {
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return strings.EqualFold(host, "localhost") || slices.Contains(allowed, host)
}

// gate reads a request far enough to say busy at once, notes the mode of its
// path, and ties its call to the connection.
func (s *Server) gate(mode Mode, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(modeHeader, string(mode))
		var give func()
		if r.Method == http.MethodPost {
			calls, err := peek(w, r)
			if err != nil {
				refuseBody(w, err)
				return
			}
			if slices.ContainsFunc(calls, message.isCall) {
				s.owed.add()
				defer s.owed.settle()
			}
			if s.wantsPlace(calls) {
				var ok bool
				if give, ok = s.work.take(s.places(r.Context())); !ok {
					busy(w)
					return
				}
			}
		}
		end := s.bridge.begin(r, give)
		defer end()
		next.ServeHTTP(w, r)
	})
}

// busy is the answer at the limit: another server may take the call.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	e := steps.Errorf(steps.Busy, "as many runs act as may do so at once")
	e.Next = "try again later; get_run and stop_execution still work"
	refuse(w, e)
}

// message is what a request says about itself at its beginning.
type message struct {
	Method string `json:"method"`
	Params struct {
		Name         string `json:"name"`
		RequestState string `json:"requestState"`
	} `json:"params"`
}

func (m message) isCall() bool { return m.Method == "tools/call" }

// peek reads the body, and gives what it says; a body that is no message is
// left to the handler, which has an error for it.
func peek(w http.ResponseWriter, r *http.Request) ([]message, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	_ = control.SetReadDeadline(time.Time{})
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var one message
	if json.Unmarshal(body, &one) == nil {
		return []message{one}, nil
	}
	var many []message
	_ = json.Unmarshal(body, &many)
	return many, nil
}

func refuseBody(w http.ResponseWriter, err error) {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		answer(w, http.StatusRequestEntityTooLarge, map[string]any{"error": failureOf(steps.Errorf(steps.Invalid, "the request has more than %d bytes", bodyLimit))})
		return
	}
	answer(w, http.StatusBadRequest, map[string]any{"error": failureOf(steps.Errorf(steps.Invalid, "the request could not be read: %w", err))})
}

// wantsPlace says whether a request may begin a run that acts. An answer to a
// question belongs to a run that has begun.
func (s *Server) wantsPlace(messages []message) bool {
	return slices.ContainsFunc(messages, func(m message) bool {
		t := s.tools[m.Params.Name]
		return m.isCall() && t != nil && t.acts && t.name != "answer_run" && m.Params.RequestState == ""
	})
}
