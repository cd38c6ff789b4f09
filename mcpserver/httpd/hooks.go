package httpd

import (
	"io"
	"net/http"
)

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
