package inbox

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/testing/storetest"
	"understudy/steps"
	"understudy/store"
)

// BenchmarkCauses collects what needs a person from a real store of 10,000 runs of the last
// days, of which 500 failed, and a trail with 1,000 dismissals. It compares that with the
// time that listing the 500 alone takes on the same machine.
func BenchmarkCauses(b *testing.B) {
	const runs, writers, each = 10_000, 50, 20
	st, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	at := time.Now()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < runs; i += writers {
				batch := storetest.Batch(fmt.Sprintf("run%06d", i), 1, 0, 1)
				h := &batch.Header
				h.Status, h.StartedAt, h.UpdatedAt, h.Workflow = engine.Succeeded, at.Add(-time.Duration(i)*time.Second), at, fmt.Sprint("flow", i%6)
				if i%each == 0 {
					h.Status, h.Error = engine.Failed, &engine.ErrorRecord{Code: steps.NotFound, Step: fmt.Sprint("step", i%70), Message: "no such element"}
				}
				if err := st.Append(b.Context(), h.ID, batch); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	trail := audit.New(b.TempDir())
	defer trail.Close()
	for i := range 1000 {
		if err := trail.Add(audit.Act{By: "ada", Verb: audit.Dismissed, Thing: fmt.Sprintf("run gone%d 9", i), Detail: "known"}); err != nil {
			b.Fatal(err)
		}
	}
	s := Sources{Runs: &engine.Engine{Store: st, Files: st}, Trail: trail}
	var alone time.Duration
	for b.Loop() {
		b.StopTimer()
		began := time.Now()
		if list, err := s.Runs.List(b.Context(), engine.Query{Status: []engine.Status{engine.Failed}}); err != nil || len(list) != runs/each {
			b.Fatalf("%d runs, %v", len(list), err)
		}
		alone += time.Since(began)
		b.StartTimer()
		causes, err := s.Causes(b.Context(), at)
		n := 0
		for _, c := range causes {
			n += c.Count
		}
		if err != nil || n != runs/each {
			b.Fatalf("%d entries, %v", n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(alone), "of-the-list")
}
