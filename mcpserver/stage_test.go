package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
	"understudy/store/storetest"
)

// stage is a server over a desktop in memory.
type stage struct {
	*Server
	t      *testing.T
	engine *engine.Engine
	desk   *fake.Desktop
	began  chan string // the runs in which the kinds hang and pause wait
	goOn   chan bool   // closed: the kind pause waits no more
}

// noLimit is how long a kind of ours may take: a loaded machine is slow, and
// none of our tests is about this limit.
const noLimit = 10 * time.Minute

const notes = `
- frame "Notes" [process=notes]
  - entry "Title": "Monday"
  - button "Save"
  - button "Close"
`

func newStage(t *testing.T, adjust ...func(*Options)) *stage {
	t.Helper()
	st := &stage{t: t, desk: fake.New(fake.MustParse(notes)...), began: make(chan string, 100), goOn: make(chan bool)}
	store := storetest.NewMemory()
	kinds := append(steps.All(), st.hang("hang", false), st.hang("hang_reading", true), st.pause(), boom(), large())
	st.engine = &engine.Engine{Store: store, Files: store, Kinds: kinds, Desk: desk{st.desk}, Lease: engine.NewLease(1)}
	o := Options{
		Open: func(context.Context) (engine.Runs, error) { return st.engine, nil }, Kinds: kinds,
		Folder: t.TempDir(), Dir: t.TempDir(), Version: "test",
	}
	for _, f := range adjust {
		f(&o)
	}
	st.Server = New(o)
	st.engine.Allow = st.Allow
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := st.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
		if err := st.engine.Shutdown(ctx); err != nil {
			t.Errorf("shutting down: %v", err)
		}
	})
	return st
}

type desk struct{ fake *fake.Desktop }

func (d desk) Open(context.Context) (*desktop.Desktop, error) { return d.fake.Desktop(), nil }
func (desk) Drop(*desktop.Desktop)                            {}

type nothing struct{}

// hang is a kind that waits until it is stopped.
func (st *stage) hang(name string, reads bool) steps.Kind {
	touches := steps.Act
	if reads {
		touches = steps.None
	}
	return steps.Define(steps.Kind{Name: name, Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Touches: touches, Reads: reads}, nothing{},
		func(ctx context.Context, env *steps.Env, _ nothing) (nothing, error) {
			wait := func() error {
				st.began <- env.Run.ID
				<-ctx.Done()
				return context.Cause(ctx)
			}
			if reads {
				return nothing{}, wait()
			}
			return nothing{}, env.Act(wait)
		})
}

// pause is a kind that waits until the test goes on.
func (st *stage) pause() steps.Kind {
	return steps.Define(steps.Kind{Name: "pause", Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Reads: true}, nothing{},
		func(ctx context.Context, env *steps.Env, _ nothing) (nothing, error) {
			st.began <- env.Run.ID
			select {
			case <-st.goOn:
				return nothing{}, nil
			case <-ctx.Done():
				return nothing{}, context.Cause(ctx)
			}
		})
}

// heap is the result of the kind large.
type heap struct {
	Text string `json:"text"`
}

// large is a kind with a result that no buffer of a connection holds.
func large() steps.Kind {
	return steps.Define(steps.Kind{Name: "large", Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Reads: true}, nothing{},
		func(context.Context, *steps.Env, nothing) (heap, error) { return heap{strings.Repeat("x", 8<<20)}, nil })
}

func boom() steps.Kind {
	return steps.Define(steps.Kind{Name: "boom", Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Reads: true}, nothing{},
		func(context.Context, *steps.Env, nothing) (nothing, error) { panic("boom") })
}

// hanging waits until the kind hang waits.
func (st *stage) hanging() string {
	st.t.Helper()
	select {
	case id := <-st.began:
		return id
	case <-time.After(time.Minute):
		st.t.Fatal("nothing hangs")
		return ""
	}
}

// object is a JSON object.
type jsonObject = map[string]any

// wire is a client that speaks the protocol by hand over a pair of pipes.
type wire struct {
	t       *testing.T
	in      io.WriteCloser
	version string
	caps    jsonObject
	ended   chan error // ServeStdio returned

	mu      sync.Mutex
	next    int
	notes   []jsonObject
	waiting map[string]chan jsonObject
	asked   func(jsonObject) jsonObject // answers requests of the server
}

// connect starts a client of a protocol version. Versions with sessions are
// greeted.
func (st *stage) connect(version string, caps jsonObject) *wire {
	st.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	w := &wire{t: st.t, in: in, version: version, caps: caps, ended: make(chan error, 1), waiting: map[string]chan jsonObject{}}
	go func() { w.ended <- st.ServeStdio(context.Background(), fromClient, toClient) }()
	go w.read(out)
	st.t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	if version < modern {
		res := w.request("initialize", jsonObject{"protocolVersion": version, "capabilities": caps, "clientInfo": jsonObject{"name": "by-hand", "version": "1"}})
		if got := dig(res, "result", "protocolVersion"); got != version {
			st.t.Fatalf("initialize answered with version %v, want %s: %v", got, version, res)
		}
		w.notify("notifications/initialized", jsonObject{})
	}
	return w
}

func (w *wire) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m jsonObject
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
			w.t.Errorf("not JSON-RPC on the output: %s", lines.Bytes())
			continue
		}
		w.take(m)
	}
}

func (w *wire) take(m jsonObject) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprint(m["id"])
	switch {
	case m["method"] != nil && m["id"] != nil && w.asked != nil:
		answer := w.asked(m)
		go w.send(jsonObject{"jsonrpc": "2.0", "id": m["id"], "result": answer})
	case m["method"] != nil:
		w.notes = append(w.notes, m)
	case w.waiting[id] != nil:
		w.waiting[id] <- m
		delete(w.waiting, id)
	default:
		w.t.Errorf("an answer to nothing: %v", m)
	}
}

func (w *wire) send(m jsonObject) {
	raw, err := json.Marshal(m)
	if err != nil {
		w.t.Error(err)
	}
	if _, err := w.in.Write(append(raw, '\n')); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		w.t.Error(err)
	}
}

func (w *wire) notify(method string, params jsonObject) {
	w.send(jsonObject{"jsonrpc": "2.0", "method": method, "params": w.meta(params)})
}

// meta adds what every modern request says of itself.
func (w *wire) meta(params jsonObject) jsonObject {
	if w.version < modern {
		return params
	}
	meta, _ := params["_meta"].(jsonObject)
	if meta == nil {
		meta = jsonObject{}
	}
	meta["io.modelcontextprotocol/protocolVersion"] = w.version
	meta["io.modelcontextprotocol/clientInfo"] = jsonObject{"name": "by-hand", "version": "1"}
	meta["io.modelcontextprotocol/clientCapabilities"] = w.caps
	params["_meta"] = meta
	return params
}

// begin sends a request, and gives its number and where its answer comes.
func (w *wire) begin(method string, params jsonObject) (int, chan jsonObject) {
	w.mu.Lock()
	w.next++
	id, answer := w.next, make(chan jsonObject, 1)
	w.waiting[fmt.Sprint(id)] = answer
	w.mu.Unlock()
	w.send(jsonObject{"jsonrpc": "2.0", "id": id, "method": method, "params": w.meta(params)})
	return id, answer
}

func (w *wire) await(answer chan jsonObject) jsonObject {
	w.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-time.After(time.Minute):
		w.t.Fatal("no answer")
		return nil
	}
}

func (w *wire) request(method string, params jsonObject) jsonObject {
	w.t.Helper()
	_, answer := w.begin(method, params)
	return w.await(answer)
}

func (w *wire) call(tool string, args jsonObject) jsonObject {
	w.t.Helper()
	return w.request("tools/call", jsonObject{"name": tool, "arguments": args})
}

// notices are the notifications of a method so far.
func (w *wire) notices(method string) (out []jsonObject) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.notes {
		if n["method"] == method {
			out = append(out, n)
		}
	}
	return out
}

// dig goes down into an object.
func dig(v any, path ...string) any {
	for _, p := range path {
		m, _ := v.(jsonObject)
		v = m[p]
	}
	return v
}

// said is the text of a result, or the message of an error.
func said(res jsonObject) string {
	if m, ok := dig(res, "error", "message").(string); ok {
		return m
	}
	var lines []string
	content, _ := dig(res, "result", "content").([]any)
	for _, c := range content {
		if text, ok := dig(c, "text").(string); ok {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func isError(res jsonObject) bool { return dig(res, "result", "isError") == true }

// code is the code of a tool's error.
func code(res jsonObject) any { return dig(res, "result", "_meta", failureKey, "code") }

// toolNames are the names in a list of tools.
func toolNames(res jsonObject) (names []string) {
	list, _ := dig(res, "result", "tools").([]any)
	for _, t := range list {
		names = append(names, dig(t, "name").(string))
	}
	slices.Sort(names)
	return names
}

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}
