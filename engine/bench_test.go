package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/workflows"
)

// long is a document of n steps, in a loop.
func long(n int) string {
	return fmt.Sprintf("max_steps: 1000000\nsteps: [{foreach: \"${{ 1..%d }}\", as: n, steps: [{id: a, tool_name: look, arguments: {name: x}}]}]", n)
}

// BenchmarkStep is what decide and apply cost, without the store and the kind.
func BenchmarkStep(b *testing.B) {
	events, w := recorded(b, 1000)
	began, folds := time.Now(), 0
	for b.Loop() {
		var s State
		for i := range events {
			if s.Seq > 0 {
				decide(w.layout, &s)
			}
			if err := apply(&s, events[i]); err != nil {
				b.Fatal(err)
			}
		}
		folds++
	}
	b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(folds*1000), "ns/step")
}

// recorded are the events of a run of n steps, with their data at hand as the
// worker has it.
func recorded(b *testing.B, n int) ([]Event, *worker) {
	s := newBench(b)
	var events []Event
	s.store.fail = func(batch Batch) error { events = append(events, batch.Events...); return nil }
	id := s.run(b, long(n))
	for i := range events {
		events[i].fact = factFor(b, events[i])
	}
	w, err := s.revive(b.Context(), id, nil, false)
	if err != nil {
		b.Fatal(err)
	}
	return events, w
}

func factFor(b *testing.B, ev Event) any {
	read := map[EventType]func(Event) (any, error){
		EvCreated: fact[Created], EvEvaluated: fact[Evaluated], EvStarted: fact[Started], EvEnded: fact[Ended],
		EvEntered: fact[Entered], EvLeft: fact[Left], EvFinished: fact[Finished],
	}[ev.Type]
	if read == nil {
		b.Fatalf("unexpected event %s", ev.Type)
	}
	f, err := read(ev)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func fact[T any](ev Event) (any, error) { return factOf[T](ev) }

// BenchmarkFold folds a run of 100,000 events from its stored form.
func BenchmarkFold(b *testing.B) {
	s := newBench(b)
	id := s.run(b, long(25_000))
	h, _ := s.Get(b.Context(), id)
	for b.Loop() {
		if _, err := foldTo(b.Context(), s.store, id, 1<<62); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(h.Seq), "events")
}

// BenchmarkRun runs 10,000 steps over a store in memory.
func BenchmarkRun(b *testing.B) {
	began, n := time.Now(), 0
	for b.Loop() {
		newBench(b).run(b, long(10_000))
		n += 10_000
	}
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "steps/s")
}

// BenchmarkRunOfManyResults runs 5,000 steps of which each keeps a result: a step must not
// cost more for those before it.
func BenchmarkRunOfManyResults(b *testing.B) {
	doc := &strings.Builder{}
	doc.WriteString("steps:\n")
	for i := range 5_000 {
		fmt.Fprintf(doc, "- {id: s%d, tool_name: look, arguments: {name: x}}\n", i)
	}
	began, n := time.Now(), 0
	for b.Loop() {
		newBench(b).run(b, doc.String())
		n += 5_000
	}
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "steps/s")
}

func newBench(t testing.TB) *stage {
	t.Helper()
	s := &stage{store: newMemory(), tries: map[string]int{}, quiet: true}
	s.Engine = &Engine{Store: s.store, Files: s.store, Kinds: s.kinds(), Desk: noDesk{}}
	return s
}

// run runs a document to its end.
func (s *stage) run(t testing.TB, doc string) string {
	t.Helper()
	bundle, _, err := Pack(workflows.Source{Name: "test.yaml", Text: []byte(doc)}, s.Kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Start(t.Context(), Request{Bundle: bundle})
	if err != nil {
		t.Fatal(err)
	}
	if h, err = s.Wait(t.Context(), h.ID); err != nil || h.Status != Succeeded {
		t.Fatalf("the run is %s: %v %+v", h.Status, err, h.Error)
	}
	return h.ID
}
