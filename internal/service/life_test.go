package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/workflows"
)

func idle(after time.Duration) func(*HostOptions) { return func(o *HostOptions) { o.Idle = after } }

// TestWhoIsGivenAnotherService has clients come that want another service than there is.
func TestWhoIsGivenAnotherService(t *testing.T) {
	for _, c := range []struct {
		say   string
		hello Hello
		busy  bool
		other bool   // it gets another one
		error string // "" if it is served
	}{
		{"the same", Hello{Version: "1.0", Setup: "first"}, false, false, ""},
		{"any setup", Hello{Version: "1.0"}, false, false, ""},
		{"another version, while nobody works", Hello{Version: "2.0", Setup: "first"}, false, true, ""},
		{"another version, while a run is under way", Hello{Version: "2.0", Setup: "first"}, true, false, ""},
		{"another setup, while nobody works", Hello{Version: "1.0", Setup: "second"}, false, true, ""},
		{"another setup, while a run is under way", Hello{Version: "1.0", Setup: "second"}, true, false, ""},
		{"another display, while a run is under way", Hello{Version: "1.0", Setup: "second", Display: ":8"}, true, false, `drives the display ":7"`},
		{"the folder, while a run is under way", Hello{Version: "1.0", Alone: true}, true, false, `has a service already`},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := t.TempDir()
			first := host(t, dir, idle(time.Minute))
			if c.busy {
				if _, err := first.Engine.Start(t.Context(), marking(dir, 2)); err != nil {
					t.Fatal(err)
				}
			}
			started := 0
			m, err := Connect(t.Context(), ClientOptions{Dir: dir, Hello: c.hello, Start: func(context.Context) error {
				started++
				o, err := hostFor(dir)
				if err != nil {
					return err
				}
				o.Version, o.Setup = c.hello.Version, c.hello.Setup
				h, err := Serve(o)
				if err == nil {
					t.Cleanup(func() { _ = h.Leave(context.Background()) })
				}
				return err
			}})
			if (err != nil) != (c.error != "") || err != nil && !strings.Contains(err.Error(), c.error) {
				t.Fatalf("%v, want %q", err, c.error)
			}
			if m != nil {
				defer m.Leave(context.Background())
			}
			if (started > 0) != c.other {
				t.Errorf("%d services were started", started)
			}
		})
	}
}

// TestAServiceOfAnotherProtocol is replaced while nobody works with it, and otherwise names the
// command that ends it.
func TestAServiceOfAnotherProtocol(t *testing.T) {
	dir := t.TempDir()
	h := host(t, dir, idle(time.Minute))
	if _, err := h.Engine.Start(t.Context(), marking(dir, 2)); err != nil {
		t.Fatal(err)
	}
	err := says(t, dir, protocol+1, "")
	if e := steps.AsError(err); err == nil || e.Code != steps.Unavailable || !strings.Contains(e.Next, "understudy service stop") {
		t.Errorf("while it works: %v", err)
	}
	openGate(t, dir)
	scratch.Until(t, "it is idle", func() bool {
		st, err := StatusOf(t.Context(), dir)
		return err == nil && !st.Busy()
	})
	if err := says(t, dir, protocol+1, ""); !isLost(err) {
		t.Errorf("while it is idle: %v", err)
	}
}

// TestWhenAServiceIsIdle lets a service be busy in each way that there is.
func TestWhenAServiceIsIdle(t *testing.T) {
	for _, c := range []struct {
		say  string
		s    Status
		busy bool
	}{
		{"nobody came", Status{}, false},
		{"a client is connected", Status{Clients: []string{"mcp"}}, true},
		{"a run is under way", Status{Running: []string{"x"}}, true},
		{"a run waits, whose secrets only the service has", Status{Waiting: []string{"x"}}, true},
		{"schedules will begin runs, which another service can do", Status{Scheduled: true}, false},
	} {
		if c.s.Busy() != c.busy {
			t.Errorf("%s: %t", c.say, !c.busy)
		}
	}
}

// TestAServiceEndsWhenNobodyNeedsIt stays while a run is under way, a client is connected, or
// schedules are enabled.
func TestAServiceEndsWhenNobodyNeedsIt(t *testing.T) {
	dir := t.TempDir()
	var scheduled atomic.Bool
	served := host(t, dir, idle(30*time.Millisecond), func(o *HostOptions) { o.Scheduled = scheduled.Load })
	m, err := Connect(t.Context(), optionsFor(dir))
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.Start(t.Context(), marking(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	time.Sleep(100 * time.Millisecond) // more than it is idle for
	if got, err := m.Get(t.Context(), h.ID); err != nil || got.Status != engine.Running || served.isLeaving() {
		t.Fatalf("%s, %v", got.Status, err)
	}
	openGate(t, dir)
	if _, err := m.Wait(t.Context(), h.ID); err != nil {
		t.Fatal(err)
	}
	scheduled.Store(true)
	if err := m.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // more than it is idle for
	if served.isLeaving() {
		t.Fatal("it ends, although runs will begin")
	}
	scheduled.Store(false)
	scratch.Until(t, "it ends", func() bool {
		_, err := StatusOf(t.Context(), dir)
		return errors.Is(err, ErrNone)
	})
}

// TestAServiceEndsWithItsFolder removes the data folder of a service: no command can reach it any
// more, and what it would keep alive for cannot go on.
func TestAServiceEndsWithItsFolder(t *testing.T) {
	for _, c := range []struct {
		say  string
		work func(t *testing.T, h *Host, dir string)
	}{
		{"nobody works with it", func(*testing.T, *Host, string) {}},
		{"a run at rest keeps secrets", func(t *testing.T, h *Host, _ string) {
			text := `{variables: {password: {secret: true}}, steps: [{tool_name: ask_user, arguments: {question: "go on?"}}]}`
			_, err := h.Engine.Start(t.Context(), engine.Request{Bundle: engine.Bundle{Main: workflows.Source{Name: "asks", Text: []byte(text)}}, Secrets: map[string]string{"password": "swordfish"}})
			if err != nil {
				t.Fatal(err)
			}
			scratch.Until(t, "the run rests", func() bool { s := h.status(); return len(s.Running) == 0 && len(s.Waiting) == 1 })
		}},
		{"a run is under way", func(t *testing.T, h *Host, dir string) {
			if _, err := h.Engine.Start(t.Context(), marking(dir, 2)); err != nil {
				t.Fatal(err)
			}
			scratch.Until(t, "its second step acts", func() bool { return marks(t, dir) == 2 })
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			h := host(t, dir, idle(time.Hour))
			c.work(t, h, dir)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			select {
			case <-h.Ended():
			case <-time.After(time.Until(scratch.Deadline(t))):
				t.Errorf("it stays: %+v", h.status())
			}
		})
	}
}

func TestAServiceIsStopped(t *testing.T) {
	dir := t.TempDir()
	m := join(t, optionsFor(dir))
	h, err := m.Start(t.Context(), marking(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	served := host(t, dir) // the folder is free
	if got, err := served.Engine.Get(t.Context(), h.ID); err != nil || got.Status != engine.Interrupted {
		t.Errorf("%s, %v", got.Status, err)
	}
	if _, err := StatusOf(t.Context(), t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("a folder without a service: %v", err)
	}
}

// TestHowAStreamEnds has the service tell a client that ends its stream from one that dies.
func TestHowAStreamEnds(t *testing.T) {
	for _, c := range []struct {
		say  string
		dies bool
		want error
	}{
		{"the client ends it", false, nil},
		{"the client dies", true, io.ErrUnexpectedEOF},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir, got := t.TempDir(), make(chan error, 1)
			host(t, dir, func(o *HostOptions) {
				o.Attach = func(_ context.Context, _ json.RawMessage, in io.Reader, out io.Writer) error {
					_, err := fmt.Fprintln(out, "hello")
					_, copied := io.Copy(io.Discard, in)
					got <- errors.Join(err, copied)
					return nil
				}
			})
			m := join(t, optionsFor(dir))
			in, input := io.Pipe()
			output, out := io.Pipe()
			attached := make(chan error, 1)
			go func() { attached <- m.Attach(t.Context(), "who", in, out) }()
			if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "hello\n" {
				t.Fatal(line, err)
			}
			if c.dies {
				_ = m.conn.Close()
			} else {
				_ = input.Close()
			}
			if err := <-got; !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%v, want %v", err, c.want)
			}
			if err := <-attached; (err != nil) != c.dies {
				t.Errorf("the client: %v", err)
			}
		})
	}
}

// TestAStreamIsAttached sends a request and a line, and hears what the service makes of them.
func TestAStreamIsAttached(t *testing.T) {
	dir := t.TempDir()
	var living atomic.Bool
	host(t, dir, func(o *HostOptions) {
		o.Attach = func(life context.Context, request json.RawMessage, in io.Reader, out io.Writer) error {
			line, err := bufio.NewReader(in).ReadString('\n')
			if err == nil {
				_, err = out.Write([]byte(strings.TrimSpace(string(request)) + line))
			}
			<-life.Done()
			living.Store(true)
			return err
		}
	})
	m := join(t, optionsFor(dir))
	in, input := io.Pipe()
	output, out := io.Pipe()
	attached := make(chan error, 1)
	go func() { attached <- m.Attach(t.Context(), "who", in, out) }()
	if _, err := io.WriteString(input, " asks\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != `"who" asks`+"\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := Stop(t.Context(), dir); err != nil || !living.Load() {
		t.Errorf("the service ended before its stream: %v", err)
	}
	if err := <-attached; steps.CodeOf(err) != steps.Unavailable {
		t.Errorf("the client hears: %v", err)
	}
	host(t, dir)
	if err := m.Attach(t.Context(), "who", in, out); steps.CodeOf(err) != steps.Invalid {
		t.Errorf("where nothing can be attached: %v", err)
	}
}

// TestAStreamIsAttachedToTheNextService asks a service that is leaving, and still has a stream
// that has to end.
func TestAStreamIsAttachedToTheNextService(t *testing.T) {
	dir := t.TempDir()
	began, end := make(chan bool), make(chan bool)
	first := host(t, dir, func(o *HostOptions) {
		o.Attach = func(context.Context, json.RawMessage, io.Reader, io.Writer) error {
			close(began)
			<-end
			return nil
		}
	})
	staying, moving := join(t, optionsFor(dir)), optionsFor(dir)
	moving.Hello.Client = "moving"
	m := join(t, moving)
	left, attached := make(chan error, 1), make(chan error, 1)
	go func() { _ = staying.Attach(t.Context(), "stays", strings.NewReader(""), io.Discard) }()
	<-began
	go func() { left <- Stop(t.Context(), dir) }()
	scratch.Until(t, "the service is leaving", first.isLeaving)
	in, input := io.Pipe()
	defer input.Close()
	go func() { attached <- m.Attach(t.Context(), "moves", in, io.Discard) }()
	scratch.Until(t, "the client has left it", func() bool { return !slices.Contains(first.status().Clients, "moving") })
	close(end)
	if err := <-left; err != nil {
		t.Error(err)
	}
	if err := <-attached; steps.CodeOf(err) != steps.Invalid { // it attaches nothing
		t.Errorf("the next service says %v", err)
	}
}

// TestThePortOfALoopback is open to those who can read the folder, where a file cannot be a
// socket.
func TestThePortOfALoopback(t *testing.T) {
	dir := t.TempDir()
	h := host(t, dir)
	l, token, err := listenOnLoopback(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.token = token
	h.serving.Go(func() { _ = h.server.Serve(peers{l, h}) })
	defer l.Close()
	m := join(t, optionsFor(dir))
	if at := findSocket(dir); at.network != "tcp" || at.token != token || !reachable(dir) {
		t.Fatalf("the service is found at %+v", at)
	}
	if _, err := m.List(t.Context(), engine.Query{}); err != nil {
		t.Error(err)
	}
	if err := point(dir, l.Addr().String()+"\nguessed"); err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(t.Context(), optionsFor(dir)); steps.CodeOf(err) != steps.Denied {
		t.Errorf("with another token: %v", err)
	}
	if err := point(dir, l.Addr().String()+"\n"+token); err != nil {
		t.Fatal(err)
	}
}
