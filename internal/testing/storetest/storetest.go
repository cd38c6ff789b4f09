// Package storetest has the contract tests of stores of runs, and a store in memory for
// tests of their users.
//
// A new store is done when it passes Run, which tests what an engine relies on: order, the
// expected position, durability, listing and concurrent writers. The behaviour when a disk
// fails is left to the tests of each store.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/engine"
)

// Open opens the store in a folder. A folder may be opened again after its store, if that
// is an io.Closer, was closed.
type Open func(t testing.TB, dir string) engine.Store

// Run checks a store against the contract.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		say  string
		test func(t *testing.T, k *kit)
	}{
		{"events come back in order and unchanged", testOrder},
		{"events are read from any number on", testFrom},
		{"a run that is not there is named", testNoRun},
		{"a batch from another position is refused whole", testStale},
		{"a batch that does not fit itself is refused", testMisfit},
		{"an attempt follows the one before it", testAttempts},
		{"a snapshot replaces the one before it", testSnapshot},
		{"a header alone may change", testHeaderAlone},
		{"what was appended is there after reopening", testReopen},
		{"lazy batches are read at once, in order, and kept by closing", testLazy},
		{"runs are listed the newest first", testList},
		{"runs are found by every filter", testFilters},
		{"pages follow one another without gap or repetition", testPages},
		{"a run that changes is found by what it is now", testListChanges},
		{"of two workers on one run exactly one wins", testTwoWorkers},
		{"many runs grow at once", testManyRuns},
		{"who reads sees whole batches", testReadWhileWriting},
		{"a long reader does not stop a writer", testLongReader},
		{"a cancelled caller writes nothing", testCancelled},
		{"a removed run is gone, and others are not", testRemove},
		{"files are kept by content", testFiles},
		{"a batch without events proves where a run is", testProof},
		{"an append whose answer is lost is stored once", testLostAnswer},
		{"a batch of three megabytes is whole", testLargeBatch},
		{"a run wants a worker with the batch that says so, or not at all", testWanted},
		{"of two takers one gets the run, and the other when the lease has passed", testTwoTakers},
		{"a taker gets the most urgent of the runs that it can execute", testUrgency},
		{"a client with many runs leaves its turn to one with one", testTurns},
		{"other processes are told of events that are stored, and of no others", testNews},
	} {
		t.Run(c.say, func(t *testing.T) {
			k := &kit{t: t, open: open, dir: t.TempDir()}
			k.Store = open(t, k.dir)
			t.Cleanup(k.close)
			c.test(t, k)
		})
	}
}

// A kit is a store under test, with helpers.
type kit struct {
	engine.Store
	t    *testing.T
	open Open
	dir  string
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

func (k *kit) close() {
	if c, ok := k.Store.(io.Closer); ok {
		if err := c.Close(); err != nil {
			k.t.Errorf("closing: %v", err)
		}
	}
}

func (k *kit) reopen() {
	k.t.Helper()
	k.close()
	k.Store = k.open(k.t, k.dir)
}

// Batch returns a batch of n events that follow seq, all of one attempt, with a fitting
// header.
func Batch(run string, attempt int, seq uint64, n int) engine.Batch {
	b := engine.Batch{Attempt: attempt, Seq: seq}
	for i := range n {
		at := seq + uint64(i) + 1
		b.Events = append(b.Events, engine.Event{
			Seq: at, Attempt: attempt, At: start.Add(time.Duration(at) * time.Millisecond),
			Type: "step_started", Path: fmt.Sprintf("3.%d", at),
			Data: json.RawMessage(fmt.Sprintf(`{"n": %d, "text": "größer"}`, at)),
		})
	}
	b.Header = engine.Header{
		ID: run, Workflow: "invoice-entry", Status: engine.Running, Attempt: attempt,
		Seq: seq + uint64(n), StartedAt: start, UpdatedAt: start,
	}
	return b
}

func (k *kit) append(b engine.Batch) {
	k.t.Helper()
	if err := k.Append(k.t.Context(), b.Header.ID, b); err != nil {
		k.t.Fatalf("append: %v", err)
	}
}

// events reads the events of a run.
func (k *kit) events(run string, from uint64) []engine.Event {
	k.t.Helper()
	var all []engine.Event
	for ev, err := range k.Events(k.t.Context(), run, from) {
		if err != nil {
			k.t.Fatalf("events of %s: %v", run, err)
		}
		all = append(all, ev)
	}
	return all
}

// list returns the ids of the runs that a query finds.
func (k *kit) list(q engine.Query) []string {
	k.t.Helper()
	var ids []string
	for h, err := range k.Runs(k.t.Context(), q) {
		if err != nil {
			k.t.Fatalf("runs: %v", err)
		}
		ids = append(ids, h.ID)
	}
	return ids
}

// run returns the header and the snapshot of a run.
func (k *kit) run(run string) (engine.Header, *engine.Snapshot) {
	k.t.Helper()
	h, snap, err := k.Run(k.t.Context(), run)
	if err != nil {
		k.t.Fatalf("run %s: %v", run, err)
	}
	return h, snap
}

func (k *kit) header(run string) engine.Header {
	k.t.Helper()
	h, _ := k.run(run)
	return h
}

// wantEvents tests how many events a run has.
func (k *kit) wantEvents(run string, n int) {
	k.t.Helper()
	same(k.t, "events of "+run, len(k.events(run, 1)), n)
}

// wantStale tests that a batch is refused because the run is elsewhere, and returns the error.
func (k *kit) wantStale(b engine.Batch) engine.StaleError {
	k.t.Helper()
	err := k.Append(k.t.Context(), b.Header.ID, b)
	stale, ok := errors.AsType[*engine.StaleError](err)
	if !ok {
		k.t.Fatalf("wanted a StaleError, got %v", err)
	}
	return *stale
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(engine.Event{})); diff != "" {
		t.Errorf("%s: not as wanted (-want +got):\n%s", what, diff)
	}
}

func drain(seq func(func(engine.Event, error) bool)) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
