package audit

import (
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
)

func TestOf(t *testing.T) {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		says string
		call string
		fact any
		want Act
		kept bool
	}{
		{"a client starts a run", "", engine.Created{}, Act{By: "c", Verb: Started}, true},
		{"a schedule starts one", "", engine.Created{Terms: engine.Terms{Schedule: "nightly"}}, Act{By: "c", Verb: Started, Detail: "by the schedule nightly"}, true},
		{"a single call is not kept", "log", engine.Created{}, Act{By: "c", Verb: Started}, false},
		{"a person resumes with a decision", "", engine.Resumed{By: "ada", Decision: "redo"}, Act{By: "ada", Verb: Resumed, Detail: "redo"}, true},
		{"an answer is kept without its value", "", engine.Answered{By: "ada", Value: "private"}, Act{By: "ada", Verb: Answered}, true},
		{"a person takes over", "", engine.Taken{By: "ada"}, Act{By: "ada", Verb: TookOver}, true},
		{"and hands back", "", engine.Returned{By: "ada"}, Act{By: "ada", Verb: HandedBack}, true},
		{"a step is no act of a person", "", engine.Started{}, Act{By: "c"}, false},
	} {
		t.Run(row.says, func(t *testing.T) {
			got, kept := Of(engine.Header{ID: "r", Owner: "o", Client: "c", Workflow: "w", Call: row.call}, engine.Event{At: at}, row.fact)
			row.want.At, row.want.Run, row.want.Owner, row.want.Workflow = at, "r", "o", "w"
			if diff := cmp.Diff(row.want, got); diff != "" || kept != row.kept {
				t.Errorf("kept: %t\n%s", kept, diff)
			}
		})
	}
}

// TestATrailSurvivesALineCutShort reads acts of two months, with half a line between, and
// one that was added after that.
func TestATrailSurvivesALineCutShort(t *testing.T) {
	trail := New(filepath.Join(t.TempDir(), "audit"))
	first := Act{At: time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC), By: "ada", Verb: Started, Run: "a"}
	second := Act{At: time.Date(2026, 2, 1, 1, 0, 0, 0, time.UTC), By: "bob", Verb: Dismissed, Run: "b"}
	for _, a := range []Act{second, first} {
		if err := trail.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(trail.dir, "2026-01.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"by": "ad`); err != nil {
		t.Fatal(err)
	}
	after := Act{At: first.At.Add(time.Minute), By: "eve", Verb: Stopped, Run: "c"}
	if err := trail.Add(after); err != nil {
		t.Fatal(err)
	}
	all, err := trail.Acts("", func(Act) bool { return true })
	if diff := cmp.Diff([]Act{first, after, second}, all); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestKeepDoesNotWaitForTheDisk keeps two acts while the disk syncs an earlier one.
func TestKeepDoesNotWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trail, disk := New(filepath.Join(t.TempDir(), "audit")), make(chan error)
		var syncs atomic.Int32
		trail.sync = func(string) error { syncs.Add(1); return <-disk }
		var failed []error
		keep := func(run string) {
			trail.Keep(Act{Verb: Started, Run: run}, func(err error) { failed = append(failed, err) })
		}
		keep("a")
		synctest.Wait()
		keep("b")
		keep("c")
		if all, err := trail.Acts("", func(Act) bool { return true }); len(all) != 3 || err != nil {
			t.Errorf("kept %v, %v", all, err)
		}
		disk <- nil
		disk <- io.ErrShortWrite
		trail.Close()
		if n := syncs.Load(); n != 2 || len(failed) != 1 {
			t.Errorf("%d syncs, of which these failed: %v", n, failed)
		}
	})
}
