package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/engine"
)

func testTwoWorkers(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 1))
	for round := range 20 {
		seq := uint64(round + 1)
		var won atomic.Int32
		var workers sync.WaitGroup
		for worker := range 2 {
			workers.Go(func() {
				b := Batch("run1", round+2, seq, 1) // both resume
				b.Events[0].Path = fmt.Sprint(worker)
				b.Lazy = round%3 == 0
				err := k.Append(t.Context(), "run1", b)
				if err == nil {
					won.Add(1)
				} else if _, stale := errors.AsType[*engine.StaleError](err); !stale {
					t.Errorf("the other got %v, want a StaleError", err)
				}
			})
		}
		workers.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: %d workers won", round, won.Load())
		}
	}
	k.wantEvents("run1", 21)
}

func testManyRuns(t *testing.T, k *kit) {
	const runs, batches = 12, 15
	var writers sync.WaitGroup
	for i := range runs {
		writers.Go(func() {
			id := fmt.Sprintf("run%02d", i)
			for n := range batches {
				b := Batch(id, 1, uint64(2*n), 2)
				b.Lazy = (i+n)%3 == 0
				if err := k.Append(t.Context(), id, b); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	writers.Wait()
	k.reopen()
	for i := range runs {
		id := fmt.Sprintf("run%02d", i)
		same(t, id, k.events(id, 1), Batch(id, 1, 0, 2*batches).Events)
	}
	same(t, "runs", len(k.list(engine.Query{})), runs)
}

func testReadWhileWriting(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 3))
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := uint64(1); n < 60; n++ {
			b := Batch("run1", 1, 3*n, 3)
			b.Lazy = n%2 == 0
			if err := k.Append(t.Context(), "run1", b); err != nil {
				t.Errorf("append: %v", err)
			}
		}
	})
	for seen := 0; seen < 180; {
		n := len(k.events("run1", 1))
		if n%3 != 0 || n < seen {
			t.Fatalf("saw %d events after %d; batches are of 3", n, seen)
		}
		if h := k.header("run1"); h.Seq%3 != 0 || int(h.Seq) < n {
			t.Fatalf("the header says %d after %d events were seen", h.Seq, n)
		}
		same(t, "runs", k.list(engine.Query{}), []string{"run1"})
		seen = n
	}
	writer.Wait()
}

func testLongReader(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 1500))
	seen := uint64(0)
	for ev, err := range k.Events(t.Context(), "run1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; ev.Seq != seen {
			t.Fatalf("event %d after %d", ev.Seq, seen-1)
		}
		if seen%500 == 1 && seen < 1500 { // in the middle of reading, from the same goroutine
			b := Batch("other", 1, seen/500*100, 100)
			b.Events[0].Data = []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
			k.append(b)
		}
	}
	same(t, "events", seen, 1500)
	for h, err := range k.Runs(t.Context(), engine.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		k.append(Batch(h.ID, h.Attempt, h.Seq, 1))
	}
}

func testCancelled(t *testing.T, k *kit) {
	if err := k.Append(cancelled(), "run1", Batch("run1", 1, 0, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("append: got %v", err)
	}
	same(t, "runs", k.list(engine.Query{}), nil)
	k.append(Batch("run1", 1, 0, 1))
	if err := drain(k.Events(cancelled(), "run1", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("events: got %v", err)
	}
}

func testRemove(t *testing.T, k *kit) {
	remover, ok := k.Store.(interface {
		Remove(ctx context.Context, run string) error
	})
	if !ok {
		t.Skip("this store removes nothing")
	}
	k.append(Batch("run1", 1, 0, 30))
	k.append(Batch("run2", 1, 0, 30))
	lazy := Batch("run3", 1, 0, 1)
	lazy.Lazy = true
	k.append(lazy)
	for _, run := range []string{"run1", "run3"} {
		if err := remover.Remove(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if _, _, err := k.Run(t.Context(), run); !errors.Is(err, engine.ErrNoRun) {
			t.Errorf("%s is still there: %v", run, err)
		}
		k.wantStale(Batch(run, 1, 30, 1))
	}
	if err := remover.Remove(t.Context(), "run1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("removing it again: got %v, want ErrNoRun", err)
	}
	same(t, "runs", k.list(engine.Query{}), []string{"run2"})
	k.wantEvents("run2", 30)
	k.append(Batch("run1", 1, 0, 2)) // an id may come back
	k.wantEvents("run1", 2)
}

func testFiles(t *testing.T, k *kit) {
	files, ok := k.Store.(engine.Files)
	if !ok {
		t.Skip("this store keeps no files")
	}
	hashes := map[engine.FileSort]string{}
	for _, sort := range []engine.FileSort{engine.Documents, engine.Captures, engine.Artifacts} {
		for _, content := range []string{"", "steps: []", strings.Repeat("large", 100_000), "of " + string(sort)} {
			hash, err := files.Put(t.Context(), sort, []byte(content))
			if err != nil {
				t.Fatal(err)
			}
			again, err := files.Put(t.Context(), sort, []byte(content))
			if err != nil || again != hash {
				t.Errorf("equal content got %s and %s, %v", hash, again, err)
			}
			hashes[sort] = hash
		}
	}
	reopened := func() engine.Files { k.reopen(); return k.Store.(engine.Files) }()
	for sort, hash := range hashes {
		content, err := reopened.Get(t.Context(), sort, hash)
		if err != nil || string(content) != "of "+string(sort) {
			t.Errorf("%s: got %q, %v", sort, content, err)
		}
		for _, other := range []string{hashes[engine.Captures][1:] + "0", "", "../runs.db", "nothing"} {
			if _, err := reopened.Get(t.Context(), sort, other); !errors.Is(err, engine.ErrNoFile) {
				t.Errorf("%s %q: got %v, want ErrNoFile", sort, other, err)
			}
		}
	}
}
