package mcpserver

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// stage is a server over a desktop in memory.
type stage struct {
	*Server
	t      *testing.T
	engine *engine.Engine
	desk   *fake.Desktop
	began  chan string // runs in which the kinds hang and pause have begun to wait
	goOn   chan bool   // closed: the kind pause returns
}

// noLimit is the timeout of the kinds of these tests, which a loaded machine must not
// reach.
const noLimit = 10 * time.Minute

const notes = `
- frame "Notes" [process=notes]
  - entry "Title": "Monday"
  - button "Save"
  - button "Close"
`

// backendOf returns the backend of an engine of this process.
func backendOf(e *engine.Engine) Backend {
	return Backend{Runs: e, WhileHeld: e.WhileHeld, Forget: e.Forget}
}

func newStage(t *testing.T, adjust ...func(*Options)) *stage {
	t.Helper()
	st := &stage{t: t, desk: fake.New(fake.MustParse(notes)...), began: make(chan string, 100), goOn: make(chan bool)}
	store := storetest.NewMemory()
	kinds := append(kinds.All(), st.hang("hang", false), st.hang("hang_reading", true), st.pause(), boom(), large())
	folder := t.TempDir()
	pictures := filepath.Join(folder, "pictures")
	st.engine = &engine.Engine{Store: store, Files: store, Kinds: kinds, Desk: desk{st.desk}, PictureRoots: []string{pictures}}
	dir := t.TempDir()
	o := Options{
		Open: func(context.Context) (Backend, error) { return backendOf(st.engine), nil }, Kinds: kinds,
		Folder: folder, Pictures: pictures, Dir: dir, Roots: []string{dir}, Version: "test", Structured: true, Audit: audit.New(t.TempDir()),
	}
	for _, f := range adjust {
		f(&o)
	}
	st.Server = New(o)
	st.engine.Allow = st.Allow
	t.Cleanup(func() {
		ctx, cancel := context.WithDeadline(context.Background(), scratch.Deadline(t))
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

// pause is a kind that waits until the test lets it continue.
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

// large is a kind whose result exceeds the buffers of a connection.
func large() steps.Kind {
	return steps.Define(steps.Kind{Name: "large", Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Reads: true}, nothing{},
		func(context.Context, *steps.Env, nothing) (heap, error) { return heap{strings.Repeat("x", 8<<20)}, nil })
}

func boom() steps.Kind {
	return steps.Define(steps.Kind{Name: "boom", Summary: "For tests.", Toolset: steps.Flow, Timeout: noLimit, Reads: true}, nothing{},
		func(context.Context, *steps.Env, nothing) (nothing, error) { panic("boom") })
}

// hanging waits until the kind hang has begun.
func (st *stage) hanging() string {
	st.t.Helper()
	select {
	case id := <-st.began:
		return id
	case <-time.After(time.Until(scratch.Deadline(st.t))):
		st.t.Fatal("nothing hangs")
		return ""
	}
}

// wire is a client from package byhand over a pair of pipes.
type wire struct {
	*byhand.Client
	t     *testing.T
	in    io.WriteCloser
	ended chan error // ServeStdio returned
}

// connect starts a client of a protocol version.
func (st *stage) connect(version string, caps byhand.Object) *wire {
	st.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	st.t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	w := &wire{t: st.t, in: in, ended: make(chan error, 1)}
	go func() { w.ended <- st.ServeStdio(context.Background(), fromClient, toClient) }()
	w.Client = byhand.Talk(st.t, version, caps, in, out)
	return w
}

// code returns the code of a tool's error.
func code(res byhand.Object) any { return byhand.Dig(res, "result", "_meta", failureKey, "code") }

// toolNames returns the names in a list of tools.
func toolNames(res byhand.Object) (names []string) {
	list, _ := byhand.Dig(res, "result", "tools").([]any)
	for _, t := range list {
		names = append(names, byhand.Dig(t, "name").(string))
	}
	slices.Sort(names)
	return names
}
