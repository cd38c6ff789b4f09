package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/workflows"
)

// BenchmarkRuns plays runs of ten steps that act, with one worker, two and four on this
// machine: of steps that take no time, so that what bounds them is the hub and the
// engine, and of steps that take theirs, as those on a desktop do. It says how many bytes
// the hub has stored for a step.
func BenchmarkRuns(b *testing.B) {
	for _, takes := range []int{0, 50} {
		for _, workers := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("steps of %d ms/%d workers", takes, workers), func(b *testing.B) { playTens(b, takes, workers) })
		}
	}
}

const stepsOfTen = 10

func playTens(b *testing.B, takes, workers int) {
	s := newStage(b)
	for i := range workers {
		b.Cleanup(s.work(fmt.Sprint("w", i)))
	}
	var doc strings.Builder
	doc.WriteString("name: ten\nsteps:\n")
	for i := range stepsOfTen {
		fmt.Fprintf(&doc, "  - {id: s%d, tool_name: act, arguments: {name: a, for: %d}}\n", i, takes)
	}
	packed, _, err := engine.Pack(workflows.Source{Name: "ten.yaml", Text: []byte(doc.String())}, s.Kinds, nil)
	if err != nil {
		b.Fatal(err)
	}
	before := s.stored()
	b.ResetTimer()
	var runs []string
	for range b.N {
		h, err := s.Start(b.Context(), engine.Request{Bundle: packed, Queue: true})
		if err != nil {
			b.Fatal(err)
		}
		runs = append(runs, h.ID)
	}
	for _, run := range runs {
		if h, err := s.Wait(b.Context(), run); err != nil || h.Status != engine.Succeeded {
			b.Fatalf("run %s is %s, %v", run, h.Status, err)
		}
	}
	b.ReportMetric(float64(b.N)*60/b.Elapsed().Seconds(), "runs/min")
	b.ReportMetric(float64(s.stored()-before)/float64(b.N*stepsOfTen), "B/step")
}

// stored is how many bytes the hub has on its disk.
func (s *stage) stored() (size int64) {
	s.t.Helper()
	err := filepath.Walk(s.dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			size += info.Size()
		}
		return nil // it may have gone meanwhile
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return size
}

// BenchmarkTakeover says for how long a run stands still whose worker is gone, from its
// last event there to the first at another.
func BenchmarkTakeover(b *testing.B) {
	for _, lease := range []time.Duration{12 * time.Second, 30 * time.Second} {
		b.Run(fmt.Sprint("lease of ", lease), func(b *testing.B) {
			s := newStage(b)
			s.lease = lease
			var err error
			if s.Client, err = NewClient(b.Context(), s.store("client"), s.Kinds); err != nil { // who begins the first run makes its line
				b.Fatal(err)
			}
			st := s.store("worker")
			gone := &engine.Engine{Store: st, Files: st, Kinds: worldKinds(s.world, "gone"), Desk: noDesk{}}
			b.Cleanup(func() { _ = gone.Shutdown(context.Background()) })
			still := time.Duration(0)
			for n := range b.N {
				still += takesOver(b, s, st, gone, fmt.Sprint("go", n))
			}
			b.ReportMetric(still.Seconds()/float64(b.N), "s/takeover")
		})
	}
}

func takesOver(b *testing.B, s *stage, st engine.Queue, gone *engine.Engine, name string) time.Duration {
	run := s.begin(fmt.Sprintf("{name: held, steps: [{id: h, tool_name: hold, arguments: {name: %s}}]}", name), nil).ID
	if _, err := st.Take(b.Context(), nil); err != nil { // and never renews it
		b.Fatal(err)
	}
	if _, _, err := gone.Take(b.Context(), run, "gone"); err != nil {
		b.Fatal(err)
	}
	defer s.work("other")()
	for h, err := s.Get(b.Context(), run); h.Attempt < 2; h, err = s.Await(b.Context(), run, h.Seq) {
		if err != nil {
			b.Fatal(err)
		}
	}
	s.letGo(name)
	s.rest(run)
	var last time.Time
	for ev, err := range engine.History(b.Context(), s, run) {
		if err != nil {
			b.Fatal(err)
		}
		if ev.Attempt > 1 {
			return ev.At.Sub(last)
		}
		last = ev.At
	}
	return 0
}
