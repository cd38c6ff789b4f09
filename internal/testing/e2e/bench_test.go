//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/steps/kinds"
	"understudy/store"
	"understudy/workflows"
)

// benchDesk lends one open desktop to an engine.
type benchDesk struct{ d *desktop.Desktop }

func (b benchDesk) Open(context.Context) (*desktop.Desktop, error) { return b.d, nil }
func (b benchDesk) Drop(*desktop.Desktop)                          {}

// warm is an engine with a desktop that is open and a witness that shows.
func warm(b *testing.B, pictures bool) (*stage, *engine.Engine) {
	s, e := warmEngine(b, pictures)
	s.show("witness", "Witness", "keys")
	return s, e
}

// warmEngine is an engine with a desktop that is open.
func warmEngine(b *testing.B, pictures bool) (*stage, *engine.Engine) {
	s := newStage(b, desktop.Size{})
	d, err := local.Machine{}.Open(b.Context(), desktop.Options{})
	if err != nil {
		b.Fatal(err)
	}
	st, err := store.Open(s.data, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e := &engine.Engine{Store: st, Files: st, Maintainer: st, Kinds: kinds.All(), Desk: benchDesk{d}}
	if pictures {
		e.Pictures = &engine.Camera{Files: st}
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, _, _ = e.Shutdown(ctx), d.Close(), st.Close()
	})
	return s, e
}

// play runs a document, and gives the run.
func play(b *testing.B, e *engine.Engine, document string) engine.Header {
	bundle, _, err := engine.Pack(workflows.Source{Name: "bench.yaml", Text: []byte(document)}, e.Kinds, nil)
	if err != nil {
		b.Fatal(err)
	}
	h, err := e.Start(b.Context(), engine.Request{Bundle: bundle, Queue: true})
	if err == nil {
		h, err = e.Wait(b.Context(), h.ID)
	}
	if err != nil || h.Status != engine.Succeeded {
		b.Fatalf("%v: %+v", err, h.Error)
	}
	return h
}

// clicks are clicks on one button after the other: one where a click was just
// before has to wait, so that the application does not take both for a double
// click.
const clicks = `
steps:
  - foreach: ${{ 0..29 }}
    as: key
    steps:
      - {tool_name: click_element, arguments: {selector: "window:Witness >> role:button && name:\"Key ${{ key }}\""}}
`

// clicksApart are clicks before which nothing was done for a while, as those of a
// client that thinks in between.
const clicksApart = clicks + `      - {tool_name: delay, arguments: {delay_ms: 100}}
`

// BenchmarkClick is a click on an element of a warm desktop with all its checks,
// plain and with pictures before and after. The time of a step is its own; that
// of a click in a row is all that it takes, with its durable events.
func BenchmarkClick(b *testing.B) {
	for _, row := range []struct {
		name, document string
		pictures       bool
	}{{"row/plain", clicks, false}, {"row/pictures", clicks, true}, {"apart/plain", clicksApart, false}, {"apart/pictures", clicksApart, true}} {
		b.Run(row.name, func(b *testing.B) {
			_, e := warm(b, row.pictures)
			play(b, e, row.document)
			var steps []time.Duration
			for b.Loop() {
				steps = append(steps, stepTimes(b, e, play(b, e, row.document), "click_element")...)
			}
			slices.Sort(steps)
			b.ReportMetric(float64(steps[len(steps)/2].Microseconds())/1000, "ms/step")
			if row.document == clicks {
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(len(steps)), "ms/click")
			}
		})
	}
}

// stepTimes are the times that the steps of one kind took in a run.
func stepTimes(b *testing.B, e *engine.Engine, h engine.Header, kind string) (all []time.Duration) {
	of := ""
	for ev, err := range e.Store.Events(b.Context(), h.ID, 1) {
		if err != nil {
			b.Fatal(err)
		}
		switch ev.Type {
		case engine.EvStarted:
			of = fact[engine.Started](b, ev).Kind
		case engine.EvEnded:
			if of == kind {
				all = append(all, fact[engine.Ended](b, ev).Duration)
			}
		}
	}
	return all
}

// fact is what an event says.
func fact[T any](b *testing.B, ev engine.Event) (f T) {
	if err := json.Unmarshal(ev.Data, &f); err != nil {
		b.Fatal(err)
	}
	return f
}
