package service

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
)

func TestAnOwnerThatDoesNotAnswerIsNamed(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Connect(ctx, optionsFor(dir))
	if e := steps.AsError(err); err == nil || e.Code != steps.Unavailable || e.Next == "" {
		t.Errorf("wanted it unavailable, and what to do, got %v", err)
	}
}

// FuzzRequest holds that no request of a client, whatever its method and body, does more harm
// than to be refused.
func FuzzRequest(f *testing.F) {
	runs := reflect.TypeFor[engine.Runs]()
	for m := range runs.Methods() {
		f.Add(m.Name, []byte(`["x",{}]`))
		f.Add(m.Name, []byte(`[`))
	}
	f.Add("nothing", []byte(`{}`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		h := &Host{leaving: true}
		p := &peer{host: h}
		h.peers = map[*peer]bool{p: true}
		r := httptest.NewRequest(http.MethodPost, callPath+url.PathEscape(name), bytes.NewReader(body))
		w := httptest.NewRecorder()
		h.routes().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
		_, known := runs.MethodByName(name)
		if known && json.Valid(body) && w.Code != statusMoved {
			t.Errorf("wanted a leaving service to begin nothing, got status %d", w.Code)
		}
		if known && !json.Valid(body) && w.Code != statusFailed {
			t.Errorf("wanted it refused, got status %d", w.Code)
		}
	})
}
