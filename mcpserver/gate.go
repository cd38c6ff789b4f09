package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
			refuse(w, forbidden("the host "+strconv.QuoteToASCII(r.Host), "--allow-host"))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !s.ofUs(r, origin) {
				refuse(w, forbidden("the origin "+strconv.QuoteToASCII(origin), "--allow-origin"))
				return
			}
		}
		if fromElsewhere(r) {
			refuse(w, forbidden("a request on behalf of a page of another place", "--allow-origin"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ofUs says whether a page of an origin may call: one of this machine, one that
// is allowed, and our own pages by the name under which they were asked for.
func (s *Server) ofUs(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	own := u.Host == r.Host && (u.Scheme == "https") == (r.TLS != nil)
	return own || local(u.Hostname(), nil) || slices.Contains(s.o.Origins, origin)
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
			calls := peek(r)
			if s.crowded(r, calls) {
				busy(w)
				return
			}
			if slices.ContainsFunc(calls, message.isCall) {
				s.owed.add()
				defer s.owed.settle()
			}
			if s.wantsPlace(calls) {
				var ok bool
				if give, ok = s.place(r.Context()); !ok {
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

const (
	// placePatience is how long a call waits for a place: the one before it may
	// have been answered a moment ago, and its place not be given back yet.
	placePatience = 250 * time.Millisecond
	// placeLook is the pause between two looks; other processes take places too.
	placeLook = 10 * time.Millisecond
)

// place takes a place for a call that acts, if there is one soon.
func (s *Server) place(ctx context.Context) (give func(), ok bool) {
	limited, cancel := context.WithTimeout(ctx, placePatience)
	defer cancel()
	for {
		if give, ok = s.work.take(s.places(ctx)); ok || steps.Sleep(limited, placeLook) != nil {
			return give, ok
		}
	}
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

// peek gives what a body says, which was received before; one that is no
// message is left to the handler, which has an error for it.
func peek(r *http.Request) []message {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var one message
	if json.Unmarshal(body, &one) == nil {
		return []message{one}
	}
	var many []message
	_ = json.Unmarshal(body, &many)
	return many
}

// Bounds of what clients may have under way over HTTP, all together: beyond them
// the server is busy. They are far from what any use needs.
const (
	maxCalls    = 256
	maxSessions = 2_000
)

// crowded says whether a request would go beyond a bound. What looks at runs and
// ends them is always heard.
func (s *Server) crowded(r *http.Request, messages []message) bool {
	return slices.ContainsFunc(messages, func(m message) bool {
		switch {
		case m.Method == "initialize" && r.Header.Get(sessionHeader) == "":
			return count(s.mcp.Sessions()) >= maxSessions
		case m.isCall() && m.Params.RequestState == "":
			t := s.tools[m.Params.Name]
			return t != nil && t.toolset != steps.Runs && s.work.underWay() >= maxCalls
		}
		return false
	})
}

// sessionHeader names the session of a request.
const sessionHeader = "Mcp-Session-Id"

func count[T any](all iter.Seq[T]) (n int) {
	for range all {
		n++
	}
	return n
}

// wantsPlace says whether a request may begin a run that acts. An answer to a
// question belongs to a run that has begun.
func (s *Server) wantsPlace(messages []message) bool {
	return slices.ContainsFunc(messages, func(m message) bool {
		t := s.tools[m.Params.Name]
		return m.isCall() && t != nil && t.acts && t.name != "answer_run" && m.Params.RequestState == ""
	})
}
