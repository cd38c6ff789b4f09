package owner

import (
	"context"
	"errors"
	"net"
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
	conn, err := door.Accept()
	if err != nil {
		return err
	}
	p := pipe{conn: conn}
	if _, err := p.receive(requestLimit); err != nil {
		return err
	}
	if err := p.send(message{}, answerLimit); err != nil {
		return err
	}
	m, err := p.receive(requestLimit)
	if err != nil {
		return err
	}
	ctx := context.Background()
	r, err := methods()[m.Method].do(ctx, l.Engine, m.With)
	if err != nil {
		return err
	}
	if h, ok := r.(engine.Header); ok {
		_, err = l.Engine.Wait(ctx, h.ID)
	}
	return errors.Join(err, door.Close(), l.Close(ctx), conn.Close())
}

func TestALostCallThatCouldBeDoneTwiceIsNotSentAgain(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	go func() { // an owner that dies with the first call
		conn, err := l.Accept()
		if err != nil {
			return
		}
		p := pipe{conn: conn}
		_, _ = p.receive(requestLimit)
		_ = p.send(message{}, answerLimit)
		_, _ = p.receive(requestLimit)
		_ = l.Close()
		_ = conn.Close()
	}()
	m := join(t, optionsFor(dir))
	_, err = m.Continue(t.Context(), engine.NewKey())
	if e := steps.AsError(err); err == nil || e.Code != steps.Interrupted || e.Next == "" {
		t.Errorf("wanted it said that nobody knows, got %v", err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil || !m.Owns() {
		t.Errorf("wanted this process to take over, got %v", err)
	}
}
