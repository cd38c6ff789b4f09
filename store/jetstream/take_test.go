package jetstream

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"understudy/engine"
	"understudy/store/storetest"
)

// TestAWorkerThatWaitsAsksLittle counts what a worker sends while there is no run in
// any of many lines, and how much for each run that it takes.
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
	looks := 2 + int(idle/worker.lookEvery())
	if sent := int(worker.nc.Stats().OutMsgs - before); sent > looks*lines+20 {
		t.Errorf("a worker that waits sent %d messages in %s", sent, idle)
	}
	queue(runs)
	took := time.Now()
	take()
	t.Logf("a run that was begun while its worker waited was taken after %s", time.Since(took))
}
