package mcpserver

import (
	"context"
	"flag"
	"net/http"
	"os"
	"runtime"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/steps/kinds"
	"understudy/store"
)

var calls = flag.Int("calls", 1000, "how many calls TestMemoryOfManyCalls makes")

// TestMemoryOfManyCalls makes many calls in one session, over a store on disk: memory,
// goroutines and open files do not grow.
func TestMemoryOfManyCalls(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	kinds := kinds.All()
	e := &engine.Engine{Store: st, Files: st, Kinds: kinds, Desk: desk{fake.New(fake.MustParse(notes)...)}}
	s := newStage(t, func(o *Options) {
		o.Kinds, o.Open = kinds, func(context.Context) (Backend, error) { return backendOf(e), nil }
	})
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	w := s.connect("2025-11-25", byhand.Object{})
	call := func(n int) {
		for i := range n {
			tool, args := "validate_element", byhand.Object{"selector": "role:entry"}
			switch {
			case i%50 == 0:
				tool, args = "get_window_tree", byhand.Object{"process": "notes"}
			case i%20 == 0:
				tool, args = "click_element", byhand.Object{"selector": "role:button && name:Save"}
			}
			if res := w.Call(tool, args); byhand.IsError(res) {
				t.Fatalf("call %d, %s: %s", i, tool, byhand.Said(res))
			}
		}
	}
	call(200)
	before := usedNow()
	call(*calls)
	after := usedNow()
	t.Logf("before: %+v, after %d calls: %+v", before, *calls, after)
	if after.heap > before.heap+4<<20 {
		t.Errorf("memory grew from %d to %d bytes", before.heap, after.heap)
	}
	if after.goroutines > before.goroutines+10 {
		t.Errorf("goroutines grew from %d to %d", before.goroutines, after.goroutines)
	}
	if after.files > before.files+5 {
		t.Errorf("open files grew from %d to %d", before.files, after.files)
	}
}

// used counts resources of a process that may leak.
type used struct {
	heap              uint64
	goroutines, files int
}

func usedNow() used {
	runtime.GC()
	runtime.GC() // frees what the first one has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // Linux only
	return used{m.HeapAlloc, runtime.NumGoroutine(), len(files)}
}

// TestSessionsLeaveNothing checks that ended sessions leak nothing.
func TestSessionsLeaveNothing(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	open := func(n int) {
		for range n {
			p := byhand.Visit(t, "2025-11-25", site+"/mcp")
			if _, res := p.Call(t, "delay", byhand.Object{"duration": "1ms"}); byhand.IsError(res) {
				t.Fatal(res)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, site+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", p.Session)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		}
	}
	sessions := func() (n int) {
		for range st.mcp.Sessions() {
			n++
		}
		return n
	}
	open(5)
	before := runtime.NumGoroutine()
	open(100)
	scratch.Until(t, "every session is gone", func() bool { return sessions() == 0 })
	scratch.Until(t, "what served them is gone", func() bool { return runtime.NumGoroutine() < before+20 })
}
