package storetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
)

func testOrder(t *testing.T, k *kit) {
	b := Batch("run1", 1, 0, 5)
	b.Events[1].Data, b.Events[1].Path = nil, ""
	b.Events[2].Data = json.RawMessage(`"` + strings.Repeat("long ", 20_000) + `"`)
	b.Events[3].At = time.Time{}
	k.append(b)
	k.append(Batch("run1", 1, 5, 3))
	want := slices.Concat(b.Events, Batch("run1", 1, 5, 3).Events)
	same(t, "events", k.events("run1", 0), want)
	same(t, "header", k.header("run1").Seq, 8)
}

func testFrom(t *testing.T, k *kit) {
	b := Batch("run1", 1, 0, 2000) // more than a store may read at once
	k.append(b)
	for _, from := range []uint64{0, 1, 2, 1000, 2000, 2001, 5000} {
		want := b.Events[min(max(from, 1)-1, 2000):]
		got := k.events("run1", from)
		if len(got) != len(want) || len(want) > 0 && got[0].Seq != want[0].Seq {
			t.Errorf("from %d: got %d events, want %d", from, len(got), len(want))
		}
	}
	for ev, err := range k.Events(t.Context(), "run1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Seq == 3 {
			break // a caller may stop
		}
	}
}

func testNoRun(t *testing.T, k *kit) {
	if _, _, err := k.Run(t.Context(), "nobody"); !errors.Is(err, engine.ErrNoRun) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("Run: got %v, want ErrNoRun with the id", err)
	}
	if err := drain(k.Events(t.Context(), "nobody", 1)); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("Events: got %v, want ErrNoRun", err)
	}
	same(t, "runs", k.list(engine.Query{}), nil)
}

func testStale(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 3))
	for _, c := range []struct {
		say string
		b   engine.Batch
	}{
		{"as if the run did not exist", Batch("run1", 1, 0, 3)},
		{"one event too early", Batch("run1", 1, 2, 2)},
		{"one event too late", Batch("run1", 1, 4, 1)},
		{"two attempts further", Batch("run1", 3, 3, 1)},
		{"another run that is not there", Batch("run2", 1, 3, 1)},
	} {
		stale := k.wantStale(c.b)
		if stale.WantSeq != c.b.Seq || stale.WantAttempt != c.b.Attempt || stale.Run != c.b.Header.ID {
			t.Errorf("%s: the error names other numbers: %v", c.say, stale)
		}
	}
	k.append(Batch("run1", 2, 3, 1)) // another worker resumes
	stale := k.wantStale(Batch("run1", 1, 4, 1))
	if stale.Attempt != 2 || stale.Seq != 4 {
		t.Errorf("the error says where the run is as %+v", stale)
	}
	if n := len(k.events("run1", 1)); n != 4 {
		t.Errorf("the run has %d events, want the 4 that were accepted", n)
	}
	same(t, "runs", k.list(engine.Query{}), []string{"run1"})
}

func testMisfit(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 2))
	for say, change := range map[string]func(*engine.Batch){
		"a gap between events":          func(b *engine.Batch) { b.Events[1].Seq++ },
		"an event twice":                func(b *engine.Batch) { b.Events[1].Seq-- },
		"attempts that fall":            func(b *engine.Batch) { b.Events[0].Attempt, b.Header.Attempt = 2, 1 },
		"two new attempts":              func(b *engine.Batch) { b.Events[0].Attempt, b.Events[1].Attempt, b.Header.Attempt = 2, 3, 3 },
		"a header of another run":       func(b *engine.Batch) { b.Header.ID = "run2" },
		"a header of another event":     func(b *engine.Batch) { b.Header.Seq++ },
		"a header of another attempt":   func(b *engine.Batch) { b.Header.Attempt++ },
		"a snapshot of what is to come": func(b *engine.Batch) { b.Snapshot = &engine.Snapshot{Seq: 5} },
	} {
		b := Batch("run1", 1, 2, 2)
		change(&b)
		if err := k.Append(t.Context(), "run1", b); err == nil {
			t.Errorf("%s was accepted", say)
		}
	}
	k.wantEvents("run1", 2)
	if err := k.Append(t.Context(), "run9", engine.Batch{Header: engine.Header{ID: "run9"}}); err == nil {
		t.Error("a run without events was accepted")
	}
	k.append(Batch("run1", 1, 2, 2))
}

func testAttempts(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 2))
	k.append(Batch("run1", 2, 2, 1)) // the batch is of the attempt that it begins
	b := Batch("run1", 3, 3, 2)      // or of the one before
	b.Attempt = 2
	k.append(b)
	b = Batch("run1", 3, 5, 2) // the last event of one and the first of the next
	b.Events[1].Attempt, b.Header.Attempt = 4, 4
	k.append(b)
	var attempts []int
	for _, ev := range k.events("run1", 1) {
		attempts = append(attempts, ev.Attempt)
	}
	same(t, "attempts", attempts, []int{1, 1, 2, 3, 3, 3, 4})
	same(t, "attempt", k.header("run1").Attempt, 4)
}

func testSnapshot(t *testing.T, k *kit) {
	for i, state := range []string{"", "first", "second, longer", ""} {
		b := Batch("run1", 1, uint64(2*i), 2)
		if state != "" {
			b.Snapshot = &engine.Snapshot{Seq: uint64(2*i + 1), State: []byte(state)}
		}
		k.append(b)
		_, snap := k.run("run1")
		want := []*engine.Snapshot{nil, {Seq: 3, State: []byte("first")}, {Seq: 5, State: []byte("second, longer")}, {Seq: 5, State: []byte("second, longer")}}
		same(t, "snapshot", snap, want[i])
	}
}

func testHeaderAlone(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 2))
	b := Batch("run1", 1, 2, 0)
	b.Header.Status, b.Header.Executed = engine.Paused, 7
	b.Header.Question = &engine.Question{Sort: "ask_user", Step: "confirm", Text: "Pay?", Choices: []string{"yes", "no"}}
	b.Header.Error = &engine.ErrorRecord{Code: "not_found", Message: "no such element", Step: "save"}
	b.Header.EndedAt = start.Add(time.Hour)
	k.append(b)
	same(t, "header", k.header("run1"), b.Header)
	k.wantEvents("run1", 2)
}

func testReopen(t *testing.T, k *kit) {
	b := Batch("run1", 1, 0, 3)
	b.Snapshot = &engine.Snapshot{Seq: 3, State: []byte("state")}
	k.append(b)
	k.reopen()
	same(t, "events", k.events("run1", 1), b.Events)
	h, snap := k.run("run1")
	same(t, "header", h, b.Header)
	same(t, "snapshot", snap, b.Snapshot)
	k.wantStale(Batch("run1", 1, 0, 3))
	k.append(Batch("run1", 2, 3, 1))
	k.reopen()
	k.wantEvents("run1", 4)
	same(t, "runs", k.list(engine.Query{Workflow: "invoice-entry"}), []string{"run1"})
}

func testLazy(t *testing.T, k *kit) {
	lazy := func(attempt int, seq uint64, n int) engine.Batch {
		b := Batch("run1", attempt, seq, n)
		b.Lazy = true
		return b
	}
	first := lazy(1, 0, 2)
	first.Snapshot = &engine.Snapshot{Seq: 1, State: []byte("s")}
	k.append(first)
	k.append(lazy(1, 2, 2))
	k.wantStale(lazy(1, 0, 2))
	k.wantStale(Batch("run1", 1, 2, 2))
	same(t, "events", len(k.events("run1", 2)), 3)
	same(t, "header", k.header("run1").Seq, 4)
	same(t, "runs", k.list(engine.Query{Status: []engine.Status{engine.Running}}), []string{"run1"})
	_, snap := k.run("run1")
	same(t, "snapshot", snap, first.Snapshot)
	k.append(Batch("run1", 1, 4, 1)) // one that is not lazy goes behind those that are
	last := lazy(2, 5, 2)
	k.append(last)
	k.reopen()
	k.wantEvents("run1", 7)
	same(t, "header", k.header("run1"), last.Header)
}
