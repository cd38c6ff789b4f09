package owner

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
)

func TestEveryMethodOfRunsIsServed(t *testing.T) {
	if want, got := reflect.TypeFor[engine.Runs]().NumMethod(), len(served); want != got {
		t.Errorf("engine.Runs has %d methods, %d are served", want, got)
	}
}

func TestAnOwnerThatDoesNotAnswerIsNamed(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Join(ctx, optionsFor(dir))
	if e := steps.AsError(err); err == nil || e.Code != steps.Unavailable || e.Next == "" {
		t.Errorf("wanted it unavailable, and what to do, got %v", err)
	}
}

// FuzzRequest holds that no request of a guest, whatever its method and body,
// does more harm than to be refused.
func FuzzRequest(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(served)) {
		f.Add(name, []byte(`{"run":"x","with":{}}`))
		f.Add(name, []byte(`[`))
	}
	f.Add("nothing", []byte(`{}`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		h := &host{guests: map[*guest]bool{}, leaving: true}
		h.guests[&guest{Client: Client{ID: "x"}}] = true
		r := httptest.NewRequest(http.MethodPost, callPath+url.PathEscape(name), bytes.NewReader(body))
		r.Header.Set(memberHeader, "x")
		w := httptest.NewRecorder()
		h.routes().ServeHTTP(w, r)
		_, known := served[name]
		if known && json.Valid(body) && w.Code != statusMoved {
			t.Errorf("wanted a leaving owner to begin nothing, got status %d", w.Code)
		}
		if known && !json.Valid(body) && w.Code != statusFailed {
			t.Errorf("wanted it refused, got status %d", w.Code)
		}
	})
}

// TestAMemberJoinsWithALargeHandover joins with the environments and secrets of many runs.
func TestAMemberJoinsWithALargeHandover(t *testing.T) {
	o := optionsFor(t.TempDir())
	join(t, o)
	run := engine.NewKey()
	m := &Member{o: o, id: engine.NewKey(), mutex: make(chan struct{}, 1), handed: farewell{Runs: handover{
		run: {Belongings: engine.Unstored{Environ: []string{"A=" + strings.Repeat("x", requestLimit)}}},
	}}}
	if _, err := m.connect(t.Context()); err != nil {
		t.Fatalf("it cannot join with what the last owner handed to it: %v", err)
	}
	if err := m.Leave(t.Context()); err != nil {
		t.Error(err)
	}
}
