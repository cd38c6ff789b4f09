package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/store"
	"understudy/workflows"
)

// memberVariable makes this binary a client of the folder that it names.
const memberVariable = "SERVICE_TEST_DIR"

// serviceCommand makes this binary the service of the folder that is the next argument.
const serviceCommand = "service-of"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serviceCommand {
		os.Exit(beService(os.Args[2]))
	}
	if dir := os.Getenv(memberVariable); dir != "" {
		os.Exit(serveCommands(dir))
	}
	os.Exit(m.Run())
}

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(errors.New("no desktop in this test")), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

type markArgs struct {
	File  string `json:"file" jsonschema:"where it leaves its mark"`
	Until string `json:"until,omitzero" jsonschema:"the file that it waits for"`
}

type markResult struct {
	Mark string `json:"mark"`
}

// mark adds a line to a file, and then waits for another file: so a test sees
// how often a step was done, and says when it ends.
func mark(ctx context.Context, env *steps.Env, a markArgs) (markResult, error) {
	err := env.Act(func() error {
		f, err := os.OpenFile(a.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f, "x")
		return errors.Join(err, f.Close())
	})
	for a.Until != "" && err == nil {
		if _, gone := os.Stat(a.Until); gone == nil {
			break
		}
		err = steps.Sleep(ctx, 5*time.Millisecond)
	}
	return markResult{"x"}, err
}

var testKinds = []steps.Kind{
	steps.Define(steps.Kind{Name: "mark", Summary: "For tests."}, markArgs{}, mark),
	kinds.AskUser,
}

// hostFor are the options of a service with a real store, which may not be opened while another
// process has it.
func hostFor(dir string) (HostOptions, error) {
	s, err := store.Open(dir, store.Options{Wait: 50 * time.Millisecond})
	if err != nil {
		return HostOptions{}, err
	}
	e := &engine.Engine{Store: s, Files: s, Maintainer: s, Kinds: testKinds, Desk: noDesk{}, Lease: engine.Lease{Places: 4}}
	return HostOptions{Dir: dir, Display: ":7", Version: "1.0", Setup: "first", Engine: e, Close: func(context.Context) error { return s.Close() }}, nil
}

// beService is another process that is the service of a folder, until it is to leave.
func beService(dir string) int {
	o, err := hostFor(dir)
	if err == nil {
		o.Idle = time.Minute
		var h *Host
		if h, err = Serve(o); err == nil {
			_ = Report(os.Stdout, nil)
			<-h.Ended()
			err = h.Leave(context.Background())
		}
	} else if errors.Is(err, engine.ErrLocked) {
		_ = Report(os.Stdout, nil) // another process is faster
		return 0
	}
	if err != nil {
		_ = Report(os.Stdout, err)
		return 1
	}
	return 0
}

// startProcess starts a service in another process.
func startProcess(dir string) func(context.Context) error {
	return func(ctx context.Context) error { return Start(ctx, dir, serviceCommand, dir) }
}

// optionsFor are those of a client whose service is in another process.
func optionsFor(dir string) ClientOptions {
	return ClientOptions{Dir: dir, Hello: Hello{Client: "client", Version: "1.0", Display: ":7"}, Start: startProcess(dir)}
}

// join is a client for the time of a test, at whose end the service is stopped.
func join(t *testing.T, o ClientOptions) *Client {
	t.Helper()
	c, err := Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithDeadline(context.Background(), scratch.Deadline(t))
		defer cancel()
		if err := c.Leave(ctx); err != nil {
			t.Error(err)
		}
		if err := Stop(ctx, o.Dir); err != nil && !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	})
	return c
}

// host is a service in this process.
func host(t *testing.T, dir string, adjust ...func(*HostOptions)) *Host {
	t.Helper()
	o, err := hostFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range adjust {
		f(&o)
	}
	h, err := Serve(o)
	if err != nil {
		t.Fatal(errors.Join(err, o.Close(t.Context())))
	}
	leave := sync.OnceValue(func() error {
		ctx, cancel := context.WithDeadline(context.Background(), scratch.Deadline(t))
		defer cancel()
		return h.Leave(ctx)
	})
	go func() {
		<-h.Ended()
		if err := leave(); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		if err := leave(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// pair is a service in this process, and a client of it.
func pair(t *testing.T, dir string) (*Host, *Client) {
	t.Helper()
	return host(t, dir), join(t, optionsFor(dir))
}

// marking is a workflow of steps that each leave a mark in a file. The second
// waits for the file gate.
func marking(dir string, n int) engine.Request {
	type step = map[string]any
	var list []step
	for i := range n {
		args := map[string]any{"file": filepath.Join(dir, "marks")}
		if i == 1 {
			args["until"] = filepath.Join(dir, "gate")
		}
		list = append(list, step{"id": fmt.Sprintf("s%d", i), "tool_name": "mark", "arguments": args})
	}
	text, err := json.Marshal(map[string]any{"steps": list})
	if err != nil {
		panic(err)
	}
	return engine.Request{Bundle: engine.Bundle{Main: workflows.Source{Name: "marking", Text: text}}}
}

func marks(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "marks"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(b) / 2
}

func openGate(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "gate"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// An order is what a test asks of a client in another process.
type order struct {
	Do      string         `json:"do"` // start, wait, list or leave
	Run     string         `json:"run,omitempty"`
	Request engine.Request `json:"request,omitzero"`
}

type outcome struct {
	Header engine.Header   `json:"header,omitzero"`
	List   []engine.Header `json:"list,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// serveCommands is the other process: a line of JSON in, a line out.
func serveCommands(dir string) int {
	ctx := context.Background()
	out := json.NewEncoder(os.Stdout)
	m, err := Connect(ctx, optionsFor(dir))
	if err != nil {
		_ = out.Encode(outcome{Error: err.Error()})
		return 1
	}
	_ = out.Encode(outcome{})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c order
		err := json.Unmarshal(in.Bytes(), &c)
		var o outcome
		switch c.Do {
		case "start":
			o.Header, err = m.Start(ctx, c.Request)
		case "wait":
			o.Header, err = m.Wait(ctx, c.Run)
		case "list":
			o.List, err = m.List(ctx, engine.Query{})
		case "leave":
			err = m.Leave(ctx)
		}
		if err != nil {
			o.Error = err.Error()
		}
		_ = out.Encode(o)
	}
	return 0
}

// process is a client in another process.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *json.Encoder
	out *json.Decoder
	end func()
}

func spawn(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), memberVariable+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, in: json.NewEncoder(in), out: json.NewDecoder(out)}
	p.end = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(p.end)
	p.read()
	return p
}

func (p *process) read() outcome {
	p.t.Helper()
	var o outcome
	if err := p.out.Decode(&o); err != nil {
		p.t.Fatalf("the other process: %v", err)
	}
	if o.Error != "" {
		p.t.Fatalf("the other process: %s", o.Error)
	}
	return o
}

func (p *process) send(c order) {
	p.t.Helper()
	if err := p.in.Encode(c); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) ask(c order) outcome {
	p.t.Helper()
	p.send(c)
	return p.read()
}
