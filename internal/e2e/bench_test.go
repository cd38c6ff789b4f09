//go:build linux

package e2e

import (
	"context"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/local"
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
	s.show("witness", "Witness")
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
	e := &engine.Engine{Store: st, Files: st, Keeper: st, Kinds: steps.All(), Desk: benchDesk{d}, Lease: engine.NewLease(1)}
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

const clickDocument = `
steps:
  - foreach: [OK, Apply, OK, Apply, OK, Apply, OK, Apply, OK, Apply]
    as: name
    steps:
      - {tool_name: click_element, arguments: {selector: "window:Witness >> role:button && name:${{ name }}"}}
`

// BenchmarkClick is a click on an element of a warm desktop with all its
// checks and its durable events; beside it with pictures before and after. Two
// buttons are clicked in turn: a click where one was just before has to wait, so
// that the application does not take both for a double click.
func BenchmarkClick(b *testing.B) {
	for _, row := range []struct {
		name     string
		pictures bool
	}{{"plain", false}, {"pictures", true}} {
		b.Run(row.name, func(b *testing.B) {
			_, e := warm(b, row.pictures)
			play(b, e, clickDocument)
			clicks := 0
			for b.Loop() {
				play(b, e, clickDocument)
				clicks += 10
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(clicks), "ms/click")
		})
	}
}
