package httpd

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Operated is the result of an operation.
type Operated struct {
	Value   any
	Picture []byte // PNG; nil: none
}

// operate performs an operation on desktops, schedules or versions. All can be
// requested with POST and JSON arguments; those that only read also with GET and
// arguments in the query.
func (s *Server) operate(w http.ResponseWriter, r *http.Request) {
	args, err := argumentsOf(r)
	if err != nil {
		refuse(w, err)
		return
	}
	done, err := s.o.Operate(r, r.PathValue("things"), r.PathValue("operation"), args)
	switch {
	case err != nil:
		refuse(w, err)
	case done.Picture != nil:
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(done.Picture)
	default:
		writeJSON(w, http.StatusOK, done.Value)
	}
}

// argumentsOf returns the arguments of a request. POST must be JSON and may not come
// from a page of another site: browsers ask the server before a page sends JSON to
// another origin.
func argumentsOf(r *http.Request) (json.RawMessage, error) {
	if r.Method != http.MethodPost {
		args := map[string]string{}
		for key := range r.URL.Query() {
			args[key] = r.URL.Query().Get(key)
		}
		return json.Marshal(args)
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, steps.Errorf(steps.Invalid, "wanted the arguments as application/json, found %q", kind)
	}
	if auth.FromElsewhere(r) {
		return nil, steps.Errorf(steps.Denied, "a page of another origin cannot change anything")
	}
	return io.ReadAll(r.Body)
}

// hookPath begins the addresses of webhooks.
const hookPath = "/hooks/"

// hook takes a message for a webhook.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, err)
		return
	}
	heard, isNew, err := s.o.Hook(r.Context(), r.PathValue("name"), r.Header, body)
	switch {
	case steps.CodeOf(err) == steps.Denied && s.unsigned.Exceeded(w, r):
	case err != nil:
		refuse(w, err)
	case isNew:
		writeJSON(w, http.StatusAccepted, heard)
	default:
		writeJSON(w, http.StatusOK, heard)
	}
}
