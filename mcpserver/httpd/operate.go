package httpd

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Operated is what came of an operation.
type Operated struct {
	Value   any
	Picture []byte // PNG; nil: none
}

// operate does an operation: one that reads is asked for with GET and its
// arguments in the address, each with POST and its arguments as JSON.
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

// argumentsOf are the arguments of a request. What a page of another place could
// make a browser send is refused: a browser asks before it sends JSON.
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
	if r.Header.Get("Origin") != "" && !auth.FromOwnPage(r) {
		return nil, steps.Errorf(steps.Denied, "nothing is changed from a page of another place")
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
	case err != nil:
		refuse(w, err)
	case isNew:
		writeJSON(w, http.StatusAccepted, heard)
	default:
		writeJSON(w, http.StatusOK, heard)
	}
}
