package httpd

import (
	"encoding/json"
	"net/http"

	"understudy/steps"
)

// statuses is the only table from codes to HTTP statuses.
var statuses = map[steps.Code]int{
	steps.Invalid:       http.StatusBadRequest,
	steps.NotFound:      http.StatusNotFound,
	steps.Ambiguous:     http.StatusConflict,
	steps.NotActionable: http.StatusConflict,
	steps.Unexpected:    http.StatusConflict,
	steps.Timeout:       http.StatusGatewayTimeout,
	steps.Cancelled:     http.StatusConflict,
	steps.Interrupted:   http.StatusConflict,
	steps.Unavailable:   http.StatusServiceUnavailable,
	steps.Denied:        http.StatusForbidden,
	steps.Busy:          http.StatusServiceUnavailable,
	steps.LoopLimit:     http.StatusConflict,
	steps.Internal:      http.StatusInternalServerError,
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// refuse replies with an error, under the status of its code.
func refuse(w http.ResponseWriter, err error) { writeError(w, StatusOf(err), err) }

// StatusOf returns the HTTP status of an error.
func StatusOf(err error) int { return statuses[steps.CodeOf(err)] }

func writeError(w http.ResponseWriter, status int, err error) {
	e := steps.AsError(err)
	body := struct {
		Code    steps.Code `json:"code"`
		Message string     `json:"message"`
		Next    string     `json:"next,omitempty"`
	}{Code: e.Code, Next: e.Next}
	if e.Err != nil {
		body.Message = e.Err.Error()
	}
	writeJSON(w, status, map[string]any{"error": body})
}
