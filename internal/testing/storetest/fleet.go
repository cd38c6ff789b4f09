package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
)

// Tests of what fleets need of a store in addition.

// An AnswerLoser is a store under test that can lose the answer to the next append after
// the batch was stored.
type AnswerLoser interface{ LoseNextAnswer() }

func testProof(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 3))
	for range 2 {
		k.append(Batch("run1", 1, 3, 0))
	}
	k.append(Batch("run1", 1, 3, 1))
	k.wantEvents("run1", 4)
	for _, stale := range []engine.Batch{Batch("run1", 1, 3, 0), Batch("run1", 1, 5, 0), Batch("run1", 2, 4, 0)} {
		k.wantStale(stale)
	}
	k.append(Batch("run1", 2, 4, 1)) // another worker continues it
	k.wantStale(Batch("run1", 1, 4, 0))
	k.wantEvents("run1", 5)
}

func testLostAnswer(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 2))
	if loser, ok := k.Store.(AnswerLoser); ok {
		loser.LoseNextAnswer()
	}
	k.append(Batch("run1", 1, 2, 2))
	k.wantStale(Batch("run1", 1, 2, 2)) // who did not know tries again
	same(t, "events", k.events("run1", 1), Batch("run1", 1, 0, 4).Events)
	k.append(Batch("run1", 1, 4, 1))
}

func testLargeBatch(t *testing.T, k *kit) {
	b := Batch("run1", 1, 0, 3)
	for i := range b.Events {
		b.Events[i].Data = []byte(`"` + strings.Repeat(fmt.Sprint(i), 1<<20) + `"`)
	}
	b.Header.Error = &engine.ErrorRecord{Code: "failed", Message: strings.Repeat("long ", 20_000)}
	b.Snapshot = &engine.Snapshot{Seq: 3, State: []byte(strings.Repeat("state", 200_000))}
	k.append(b)
	events := k.events("run1", 1)
	same(t, "events", len(events), len(b.Events))
	for i, ev := range events { // as texts, for go-cmp looks at each byte of what is none
		same(t, "event", string(ev.Data), string(b.Events[i].Data))
	}
	k.reopen()
	h, snap := k.run("run1")
	same(t, "header", h, b.Header)
	same(t, "snapshot", string(snap.State), string(b.Snapshot.State))
	for listed, err := range k.Runs(t.Context(), engine.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the listed header", listed, b.Header)
	}
}

func wanted1(b engine.Batch, needs ...string) engine.Batch {
	b.Header.Status, b.Wanted = engine.Queued, &engine.Wanted{Needs: needs}
	return b
}

// queue returns the store as a queue, or skips the test if it is none.
func (k *kit) queue() engine.Queue {
	k.t.Helper()
	q, ok := k.Store.(engine.Queue)
	if !ok {
		err := k.Append(k.t.Context(), "run1", wanted1(Batch("run1", 1, 0, 1)))
		if !errors.Is(err, engine.ErrNoQueue) {
			k.t.Errorf("a store without a queue took a run that wants a worker: %v", err)
		}
		same(k.t, "runs", k.list(engine.Query{}), nil)
		k.t.Skip("this store has no queue of runs, and says so")
	}
	return q
}

func take(t *testing.T, q engine.Queue, labels ...string) engine.Entry {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	e, err := q.Take(ctx, labels)
	if err != nil {
		t.Fatalf("taking a run: %v", err)
	}
	return e
}

func done(t *testing.T, e engine.Entry) {
	t.Helper()
	if err := e.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testWanted(t *testing.T, k *kit) {
	q := k.queue()
	k.append(Batch("run1", 1, 0, 3))
	k.wantStale(wanted1(Batch("run1", 1, 2, 1))) // wants nothing
	if err := k.Append(cancelled(), "run3", wanted1(Batch("run3", 1, 0, 1))); err == nil {
		t.Error("a cancelled caller wanted a worker")
	}
	k.append(wanted1(Batch("run2", 1, 0, 1)))
	e := take(t, q)
	same(t, "taken", e.Run(), "run2")
	if err := e.Later(t.Context(), 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	e = take(t, q)
	same(t, "taken later", e.Run(), "run2")
	done(t, e)
	k.append(wanted1(Batch("run2", 2, 1, 1))) // it wants one again
	k.reopen()
	e = take(t, k.queue())
	same(t, "taken again", e.Run(), "run2")
	done(t, e)
	k.append(wanted1(Batch("run9", 1, 0, 1)))
	same(t, "the next", take(t, k.queue()).Run(), "run9")
}

func testTwoTakers(t *testing.T, k *kit) {
	q := k.queue()
	k.append(wanted1(Batch("run1", 1, 0, 1)))
	type taken struct {
		worker int
		entry  engine.Entry
	}
	got, end := make(chan taken, 2), t.Context()
	for worker := range 2 {
		go func() {
			if e, err := q.Take(end, nil); err == nil {
				got <- taken{worker, e}
			}
		}()
	}
	next := func() taken {
		select {
		case x := <-got:
			return x
		case <-time.After(time.Until(scratch.Deadline(t))):
			t.Fatal("nobody got the run")
			return taken{}
		}
	}
	first := next()
	k.append(Batch("run1", 1, 1, 1)) // it begins, and is not heard of any more
	second := next()
	if first.worker == second.worker || second.entry.Run() != "run1" {
		t.Fatalf("worker %d, then worker %d got %s", first.worker, second.worker, second.entry.Run())
	}
	k.append(Batch("run1", 2, 2, 1))
	k.wantStale(Batch("run1", 1, 2, 0))
	for range 10 { // who renews keeps it for longer than a lease
		if err := second.entry.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if e, err := q.Take(short, nil); err == nil {
			t.Errorf("%s was handed out twice", e.Run())
		}
		cancel()
	}
}

// testUrgency tries a few times, because servers that replicate each other may hand out
// a run a moment after they accepted it.
func testUrgency(t *testing.T, k *kit) {
	q := k.queue()
	var order []string
	want := []string{"urgent", "needs two", "needs the same", "needs nothing"}
	for try := range 5 {
		names := map[string]string{}
		for i, w := range []struct {
			name string
			engine.Wanted
		}{
			{"needs nothing", engine.Wanted{Priority: 5}},
			{"needs two", engine.Wanted{Needs: []string{"os=linux", "app=sap"}, Priority: 5}},
			{"elsewhere", engine.Wanted{Needs: []string{"os=windows"}}},
			{"urgent", engine.Wanted{Needs: []string{"os=linux"}, Priority: 1}},
			{"needs the same", engine.Wanted{Needs: []string{"app=sap", "os=linux"}, Priority: 5}},
		} {
			run := fmt.Sprintf("run%d.%d", try, i)
			names[run] = w.name
			b := wanted1(Batch(run, 1, 0, 1))
			b.Wanted = &w.Wanted
			k.append(b)
		}
		order = nil
		for range want {
			e := take(t, q, "app=sap", "os=linux")
			order = append(order, names[e.Run()])
			done(t, e)
		}
		e := take(t, q, "os=windows")
		same(t, "on another system", names[e.Run()], "elsewhere")
		done(t, e)
		if slices.Equal(order, want) {
			return
		}
	}
	same(t, "the order", order, want)
}

func testTurns(t *testing.T, k *kit) {
	q := k.queue()
	for i, client := range []string{"many", "many", "many", "many", "one"} {
		b := wanted1(Batch(fmt.Sprintf("run%d", i), 1, 0, 1))
		b.Wanted.For = client
		k.append(b)
	}
	var first []string
	for range 2 {
		first = append(first, take(t, q).Run())
	}
	slices.Sort(first)
	same(t, "the first two", first, []string{"run0", "run4"})
}

func testNews(t *testing.T, k *kit) {
	if _, ok := k.Store.(engine.Teller); !ok {
		t.Skip("one process has this store")
	}
	other := &kit{t: t, Store: k.open(t, k.dir)}
	t.Cleanup(other.close)
	told := make(chan string, 100)
	if err := other.Store.(engine.Teller).News(t.Context(), func(run string) { told <- run }); err != nil {
		t.Fatal(err)
	}
	k.append(Batch("run1", 1, 0, 2))
	k.wantStale(Batch("run1", 1, 1, 1))
	k.append(Batch("Run 2.*", 1, 0, 1))
	for _, want := range []string{"run1", "Run 2.*"} {
		select {
		case run := <-told:
			same(t, "news", run, want)
		case <-time.After(time.Until(scratch.Deadline(t))):
			t.Fatalf("no news of %s", want)
		}
	}
	same(t, "events in the other process", other.events("run1", 1), Batch("run1", 1, 0, 2).Events)
	same(t, "runs there", len(other.list(engine.Query{})), 2)
	other.append(Batch("run1", 2, 2, 1))
	k.wantStale(Batch("run1", 1, 2, 1)) // what this one knew is old
	k.wantEvents("run1", 3)
}
