package service

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// says tries to join as a process that says what the test wants.
func says(t *testing.T, dir string, v int, display string) error {
	t.Helper()
	c, err := greet(t.Context(), dir, Hello{Protocol: v, Version: "1.0", Display: display})
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return err
}

// connect is a connection to the owner over which the test says what it wants.
func connect(t *testing.T, dir string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", findSocket(dir).address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(scratch.Deadline(t))
	return conn
}

func TestWhoIsLetIn(t *testing.T) {
	dir := t.TempDir()
	host(t, dir) // it drives :7
	for _, c := range []struct {
		what    string
		version int
		display string
		says    string // "" when it is let in
	}{
		{"the same display", protocol, ":7", ""},
		{"any display", protocol, "auto", ""},
		{"no display", protocol, "", ""},
		{"another display", protocol, ":8", "--home"},
		{"a newer version", protocol + 1, ":7", "speaks version"},
		{"no version", 0, ":7", "speaks version"},
	} {
		t.Run(c.what, func(t *testing.T) {
			switch refused := says(t, dir, c.version, c.display); {
			case c.says == "" && refused != nil:
				t.Errorf("wanted it let in, got: %v", refused)
			case c.says != "" && (refused == nil || !strings.Contains(refused.Error(), c.says) || steps.CodeOf(refused) != steps.Unavailable):
				t.Errorf("wanted it refused with %q, got: %v", c.says, refused)
			}
		})
	}
}

func TestAnotherDisplayIsRefusedWithWhatToDo(t *testing.T) {
	dir := t.TempDir()
	host(t, dir, func(o *HostOptions) { o.Idle = 0 })
	o := optionsFor(dir)
	o.Hello.Display = ":8"
	_, err := Connect(t.Context(), o)
	if e := steps.AsError(err); err == nil || e.Code != steps.Unavailable || !strings.Contains(e.Next, "--home") {
		t.Errorf("wanted it refused and told of --home, got: %v", err)
	}
}

func TestEverythingWorksThroughTheSocket(t *testing.T) {
	dir := t.TempDir()
	_, m := pair(t, dir)
	ctx := t.Context()
	openGate(t, dir)
	h, err := m.Start(ctx, marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	ended, err := m.Wait(ctx, h.ID)
	if err != nil || ended.Status != engine.Succeeded {
		t.Fatalf("%s, %v", ended.Status, err)
	}
	if at, err := m.Await(ctx, h.ID, 0); err != nil || at.Seq != ended.Seq {
		t.Errorf("await: %d of %d events, %v", at.Seq, ended.Seq, err)
	}
	if evs, err := m.Events(ctx, h.ID, 2); err != nil || len(evs) != int(ended.Seq)-1 || evs[0].Seq != 2 {
		t.Errorf("events: %d, %v", len(evs), err)
	}
	if r, err := m.Report(ctx, h.ID, engine.Page{}); err != nil || len(r.Steps) != 3 {
		t.Errorf("report: %d steps, %v", len(r.Steps), err)
	}
	if b, err := m.File(ctx, engine.Documents, ended.Document); err != nil || !strings.Contains(string(b), "marking") {
		t.Errorf("file: %q, %v", b, err)
	}
	if p, err := m.Plan(ctx, h.ID, engine.ResumeRequest{From: "s1"}); err != nil || p.RunID != h.ID {
		t.Errorf("plan: %+v, %v", p, err)
	}
	f, err := m.Fork(ctx, h.ID, "s1", engine.ResumeRequest{})
	if err != nil || f.Parent != h.ID {
		t.Errorf("fork: %+v, %v", f, err)
	}
	if f, err = m.Wait(ctx, f.ID); err != nil || f.Status != engine.Succeeded {
		t.Errorf("fork: %s, %v", f.Status, err)
	}
	if c, err := m.Check(ctx); err != nil || c.Runs != 2 || !c.Clean() {
		t.Errorf("check: %+v, %v", c, err)
	}
	if err := m.Backup(ctx, filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Errorf("backup: %v", err)
	}
	if err := m.Remove(ctx, f.ID, true); err != nil {
		t.Errorf("remove: %v", err)
	}
	if p, err := m.Prune(ctx, engine.Retention{Count: 10}); err != nil || p.Runs != 0 {
		t.Errorf("prune: %+v, %v", p, err)
	}
	if l, err := m.List(ctx, engine.Query{Limit: 5}); err != nil || len(l) != 1 {
		t.Errorf("list: %d, %v", len(l), err)
	}
}

func TestStoppingPausingAndAnswering(t *testing.T) {
	dir := t.TempDir()
	_, m := pair(t, dir)
	ctx := t.Context()
	h, err := m.Start(ctx, marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := m.Pause(ctx, h.ID); err != nil {
		t.Fatal(err)
	}
	openGate(t, dir)
	if p, err := m.Wait(ctx, h.ID); err != nil || p.Status != engine.Paused {
		t.Fatalf("wanted it paused, got %s, %v", p.Status, err)
	}
	if _, err := m.Continue(ctx, h.ID); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Wait(ctx, h.ID); err != nil || p.Status != engine.Succeeded {
		t.Fatalf("wanted it to succeed, got %s, %v", p.Status, err)
	}
	if err := os.Remove(filepath.Join(dir, "gate")); err != nil {
		t.Fatal(err)
	}
	if h, err = m.Start(ctx, marking(dir, 2)); err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 5 })
	if _, err := m.Stop(ctx, h.ID, engine.ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Wait(ctx, h.ID); err != nil || p.Status != engine.Cancelled {
		t.Fatalf("wanted it cancelled, got %s, %v", p.Status, err)
	}
	if all, err := m.StopAll(ctx, engine.ByUser, "all"); err != nil || len(all) != 0 {
		t.Errorf("wanted nothing left to stop, got %d, %v", len(all), err)
	}
	ask := engine.Request{}
	ask.Bundle.Main.Text = []byte(`steps: [{id: q, tool_name: ask_user, arguments: {question: "Which?"}}]`)
	if h, err = m.Start(ctx, ask); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Wait(ctx, h.ID); err != nil || p.Status != engine.Waiting {
		t.Fatalf("wanted it to wait, got %s, %v", p.Status, err)
	}
	if _, err := m.Answer(ctx, h.ID, engine.Answer{Value: "this"}); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Wait(ctx, h.ID); err != nil || p.Status != engine.Succeeded {
		t.Fatalf("wanted it to succeed, got %s, %v", p.Status, err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	_, m := pair(t, dir)
	h, err := m.Start(t.Context(), marking(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
	if _, err := m.Wait(ctx, h.ID); !errors.Is(err, enough) {
		t.Errorf("wanted the cause of the cancellation, got %v", err)
	}
	if at, err := m.Get(t.Context(), h.ID); err != nil || at.Status != engine.Running {
		t.Errorf("wanted the run to go on, got %s, %v", at.Status, err)
	}
	openGate(t, dir)
	if _, err := m.Wait(t.Context(), h.ID); err != nil {
		t.Error(err)
	}
}

func TestSixteenCallersAtOnce(t *testing.T) {
	dir := t.TempDir()
	owner, guest := pair(t, dir)
	var wg sync.WaitGroup
	for i := range 16 {
		var m engine.Runs = guest
		if i%4 == 0 {
			m = owner.Engine
		}
		wg.Go(func() {
			for range 3 {
				r := marking(dir, 1)
				r.Queue = true
				h, err := m.Start(t.Context(), r)
				if err != nil {
					t.Error(err)
					return
				}
				if h, err = m.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded {
					t.Errorf("%s, %v", h.Status, err)
				}
			}
		})
	}
	wg.Wait()
	if n := marks(t, dir); n != 48 {
		t.Errorf("wanted 48 marks, got %d", n)
	}
}

// TestTheOwnerHearsOfAClientThatDies has the run of a client that died end, unless it outlives
// its client.
func TestTheOwnerHearsOfAClientThatDies(t *testing.T) {
	dir := t.TempDir()
	owner := host(t, dir)
	other := spawn(t, dir)
	h := other.ask(order{Do: "start", Request: marking(dir, 2)}).Header
	other.send(order{Do: "wait", Run: h.ID}) // it dies in this call
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if s := owner.status(); len(s.Clients) != 1 {
		t.Errorf("wanted one client, got %v", s.Clients)
	}
	other.end()
	end, err := owner.Engine.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Cancelled || owner.status().Busy() {
		t.Errorf("its client is gone, and the run is %s, %v", end.Status, err)
	}
}

func TestGarbageHarmsNobody(t *testing.T) {
	dir := t.TempDir()
	_, m := pair(t, dir)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		conn := connect(t, dir)
		if i%2 == 0 { // behind a good beginning
			_, _ = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		}
		junk := make([]byte, noise.IntN(4096))
		for i := range junk {
			junk[i] = byte(noise.Uint32())
		}
		_, _ = conn.Write(junk)
		_ = conn.Close()
	}
	conn := connect(t, dir)
	if _, err := conn.Write([]byte{0xff, 0xff, 0xff, 0xff, '\r', '\n', '\r', '\n'}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("wanted the connection closed, got %v", err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil {
		t.Errorf("wanted the guest served still, got %v", err)
	}
}

func TestARequestThatIsTooLargeIsRefused(t *testing.T) {
	_, m := pair(t, t.TempDir())
	r := engine.Request{Call: "mark", Args: map[string]any{"file": strings.Repeat("x", requestLimit)}}
	if _, err := m.Start(t.Context(), r); steps.CodeOf(err) != steps.Invalid {
		t.Errorf("wanted it refused as invalid, got %v", err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil {
		t.Errorf("wanted the connection to be good still, got %v", err)
	}
}
