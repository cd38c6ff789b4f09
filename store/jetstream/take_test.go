package jetstream

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
)

// TestAWorkerThatWaitsAsksLittle counts the messages of a worker while there is no run in any
// of many lines, and for each run that it takes.
func TestAWorkerThatWaitsAsksLittle(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	client, worker := a.open(t, dir).(*under), a.open(t, dir).(*under)
	defer client.Close()
	defer worker.Close()
	const clients = 40
	queue := func(n int) {
		run := fmt.Sprint("run", n)
		b := storetest.Batch(run, 1, 0, 1)
		b.Header.Status, b.Wanted = engine.Queued, &engine.Wanted{Priority: 5, For: fmt.Sprint("client", n%clients)}
		if err := client.Append(t.Context(), run, b); err != nil {
			t.Fatal(err)
		}
	}
	take := func() {
		e, err := worker.Take(t.Context(), nil)
		if err == nil {
			err = e.Done(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const runs = 100
	for n := range runs {
		queue(n)
	}
	before := worker.nc.Stats().OutMsgs
	for range runs {
		take()
	}
	if each := float64(worker.nc.Stats().OutMsgs-before) / runs; each > 4 {
		t.Errorf("a run that waits costs its worker %.1f messages to take and to end", each)
	}
	before = worker.nc.Stats().OutMsgs
	const idle = 2 * time.Second
	short, cancel := context.WithTimeout(t.Context(), idle)
	defer cancel()
	if e, err := worker.Take(short, nil); err == nil {
		t.Fatalf("a run too many: %s", e.Run())
	}
	looks := 2 + int(idle/worker.lookEvery()) // each of which it tells the others
	if sent := int(worker.nc.Stats().OutMsgs - before); sent > 2*looks*lines+20 {
		t.Errorf("a worker that waits sent %d messages in %s", sent, idle)
	}
	queue(runs)
	took := time.Now()
	take()
	t.Logf("a run that was begun while its worker waited was taken after %s", time.Since(took))
}

// TestManyWorkersThatWaitAskAsLittleAsOne counts the polls of twenty workers for a line
// without a run, and tests that one of them takes a run that another puts back.
func TestManyWorkersThatWaitAskAsLittleAsOne(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	const workers, window = 20, 3 * time.Second
	var stores []*under
	for range workers {
		s := a.open(t, dir).(*under)
		defer s.Close()
		stores = append(stores, s)
	}
	queue := func(run string) {
		b := storetest.Batch(run, 1, 0, 1)
		b.Header.Status, b.Wanted = engine.Queued, &engine.Wanted{Priority: 5, For: "client"}
		if err := stores[0].Append(t.Context(), run, b); err != nil {
			t.Fatal(err)
		}
	}
	var asked atomic.Int64
	sub, err := stores[0].nc.Subscribe("$JS.API.CONSUMER.MSG.NEXT.>", func(*nats.Msg) { asked.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	queue("first")
	took := make(chan engine.Entry, workers)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for _, s := range stores {
		waiting.Go(func() {
			if e, err := s.Take(ctx, nil); err == nil {
				took <- e
			}
		})
	}
	first := <-took
	alone := window / stores[0].lookEvery() * 2 // at most, of one that waits
	for late := scratch.Deadline(t); ; {
		before := asked.Load()
		time.Sleep(window)
		n := asked.Load() - before
		if n <= 3*int64(alone) {
			t.Logf("%d workers asked %d times in %s; one alone asks up to %d times", workers, n, window, alone)
			break
		}
		if time.Now().After(late) {
			t.Fatalf("%d workers asked %d times in %s", workers, n, window)
		}
	}
	if err := first.Later(ctx, 0); err != nil {
		t.Fatal(err)
	}
	again := <-took
	if again.Run() != "first" {
		t.Errorf("another took %s", again.Run())
	}
	if err := again.Done(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	waiting.Wait()
}

// TestAWorkerThatIsCutOffSaysSo takes runs from servers that do not answer.
func TestAWorkerThatIsCutOffSaysSo(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s := a.open(t, dir).(*under)
	defer s.Close()
	s.wait = 500 * time.Millisecond
	a.servers[dir].Shutdown()
	short, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	for range 2 {
		if _, err := s.Take(short, nil); err == nil || short.Err() != nil || !strings.Contains(err.Error(), "do not answer") {
			t.Errorf("wanted it said that the servers do not answer, got %v", err)
		}
	}
}
