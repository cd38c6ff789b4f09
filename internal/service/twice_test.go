package service

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"testing"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/steps"
)

func TestAStartIsNeverDoneTwice(t *testing.T) {
	dir := t.TempDir()
	openGate(t, dir)
	o, err := hostFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	door, _, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- dieAfterStart(door, o) }()
	m := join(t, optionsFor(dir))
	h, err := m.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := <-died; err != nil {
		t.Fatal(err)
	}
	end, err := m.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Succeeded || marks(t, dir) != 3 {
		t.Errorf("wanted one run with 3 marks, got %s, %v, %d", end.Status, err, marks(t, dir))
	}
	if all, err := m.List(t.Context(), engine.Query{}); err != nil || len(all) != 1 {
		t.Errorf("wanted one run, got %d, %v", len(all), err)
	}
}

// dieAfterStart is a service that does the first call, and is gone before it answers.
func dieAfterStart(door net.Listener, o HostOptions) error {
	died := make(chan error, 1)
	server := dyingService(func(method string, raw json.RawMessage) {
		ctx := context.Background()
		r, err := remote.Invoke(ctx, o.Engine, method, raw)
		if h, ok := r.(engine.Header); ok {
			_, err = o.Engine.Wait(ctx, h.ID)
		}
		died <- errors.Join(err, door.Close(), o.Close(ctx))
	})
	_ = server.Serve(door)
	err := <-died
	return errors.Join(err, server.Close())
}

// dyingService lets anybody join; a call ends it instead of being answered.
func dyingService(call func(method string, raw json.RawMessage)) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+helloPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, struct{}{}, nil) })
	mux.HandleFunc("POST "+callPath+"{method}", func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		_ = readRequest(w, r, &raw)
		call(r.PathValue("method"), raw)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	return &http.Server{Handler: mux, Protocols: protocols()}
}

func TestALostCallThatCouldBeDoneTwiceIsNotSentAgain(t *testing.T) {
	dir := t.TempDir()
	l, _, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	var server *http.Server // of a service that dies with the first call
	server = dyingService(func(string, json.RawMessage) { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	m := join(t, optionsFor(dir))
	_, err = m.Continue(t.Context(), engine.NewKey())
	if e := steps.AsError(err); err == nil || e.Code != steps.Interrupted || e.Next == "" {
		t.Errorf("wanted it said that nobody knows, got %v", err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil {
		t.Errorf("wanted another service to take over, got %v", err)
	}
}
