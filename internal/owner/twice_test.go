package owner

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"understudy/engine"
	"understudy/steps"
)

func TestAStartIsNeverDoneTwice(t *testing.T) {
	dir := t.TempDir()
	openGate(t, dir)
	o := optionsFor(dir)
	l, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	door, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- dieAfterStart(door, l) }()
	m := join(t, o)
	h, err := m.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := <-died; err != nil {
		t.Fatal(err)
	}
	end, err := m.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Succeeded || marks(t, dir) != 3 || !m.Owns() {
		t.Errorf("wanted one run with 3 marks, got %s, %v, %d", end.Status, err, marks(t, dir))
	}
	if all, err := m.List(t.Context(), engine.Query{}); err != nil || len(all) != 1 {
		t.Errorf("wanted one run, got %d, %v", len(all), err)
	}
}

// dieAfterStart is an owner that does the first call, and is gone before it
// answers.
func dieAfterStart(door net.Listener, l Local) error {
	died := make(chan error, 1)
	server := dyingOwner(func(method string, raw json.RawMessage) {
		ctx := context.Background()
		r, err := served[method].do(ctx, l.Engine, raw)
		if h, ok := r.(engine.Header); ok {
			_, err = l.Engine.Wait(ctx, h.ID)
		}
		died <- errors.Join(err, door.Close(), l.Close(ctx))
	})
	_ = server.Serve(door)
	err := <-died
	return errors.Join(err, server.Close())
}

// dyingOwner lets anybody join; a call ends it instead of being answered.
func dyingOwner(call func(method string, raw json.RawMessage)) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+joinPath, func(w http.ResponseWriter, r *http.Request) {
		_ = readRequest(w, r, new(hello))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST "+callPath+"{method}", func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		_ = readRequest(w, r, &raw)
		call(r.PathValue("method"), raw)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	return &http.Server{Handler: mux}
}

func TestALostCallThatCouldBeDoneTwiceIsNotSentAgain(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	var server *http.Server // of an owner that dies with the first call
	server = dyingOwner(func(string, json.RawMessage) { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	m := join(t, optionsFor(dir))
	_, err = m.Continue(t.Context(), engine.NewKey())
	if e := steps.AsError(err); err == nil || e.Code != steps.Interrupted || e.Next == "" {
		t.Errorf("wanted it said that nobody knows, got %v", err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil || !m.Owns() {
		t.Errorf("wanted this process to take over, got %v", err)
	}
}
