package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/store"
	"understudy/workflows"
)

// BenchmarkDurableSteps compares the durable steps of a run per second with the lower
// bound, a plain bbolt commit for each step. The steps make these commits themselves, each
// one or one of ten, so that the disk is equally fast for both.
func BenchmarkDurableSteps(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for _, durability := range []string{"always", "interval"} {
			b.Run(fmt.Sprintf("%d/%s", n, durability), func(b *testing.B) {
				dir := b.TempDir()
				db := openPlain(b, filepath.Join(dir, "plain.db"))
				var plain time.Duration
				made, commits, every := 0, 0, max(1, n/1000)
				e := newEngine(b, dir, func() {
					if made++; made%every != 0 {
						return
					}
					began := time.Now()
					commit(b, db, commits)
					plain += time.Since(began)
					commits++
				})
				began := time.Now()
				for b.Loop() {
					play(b, e, n, durability)
				}
				step := (time.Since(began) - plain).Seconds() / float64(made)
				floor := plain.Seconds() / float64(commits)
				b.ReportMetric(1/step, "steps/s")
				b.ReportMetric(1/floor, "commits/s")
				b.ReportMetric(floor/step, "of-floor")
			})
		}
	}
}

// BenchmarkResume folds and continues a run of many events.
func BenchmarkResume(b *testing.B) {
	e := newEngine(b, b.TempDir(), func() {})
	h := play(b, e, 25_000, "interval", `{id: last, tool_name: fail}`)
	if h.Status != engine.Failed {
		b.Fatalf("the run is %s", h.Status)
	}
	var slowest time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := e.Resume(b.Context(), h.ID, engine.ResumeRequest{}); err != nil {
			b.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
		if _, err := e.Wait(b.Context(), h.ID); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(h.Seq), "events")
	b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
}

// newEngine returns an engine over a store in a folder, with a kind that acts.
func newEngine(b *testing.B, dir string, do func()) *engine.Engine {
	b.Helper()
	st, err := store.Open(dir, store.Options{Command: "understudy test"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	act := steps.Define(steps.Kind{Name: "act", Summary: "For tests."}, struct{}{}, func(_ context.Context, env *steps.Env, _ struct{}) (struct{}, error) {
		return struct{}{}, env.Act(func() error { do(); return nil })
	})
	fail := steps.Define(steps.Kind{Name: "fail", Summary: "For tests.", Reads: true}, struct{}{}, func(context.Context, *steps.Env, struct{}) (struct{}, error) {
		return struct{}{}, errors.New("told to")
	})
	return &engine.Engine{Store: st, Files: st, Kinds: []steps.Kind{act, fail}, Desk: noDesk{}}
}

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(errors.New("no desktop in this test")), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

// play executes n steps.
func play(b *testing.B, e *engine.Engine, n int, durability string, also ...string) engine.Header {
	b.Helper()
	var text strings.Builder
	text.WriteString(fmt.Sprintf("durability: %s\nmax_steps: 1000000\nsteps:\n  - {foreach: \"${{ 1..%d }}\", as: n, steps: [{id: a, tool_name: act, idempotent: true}]}\n", durability, n))
	for _, s := range also {
		text.WriteString("  - " + s + "\n")
	}
	bundle, _, err := engine.Pack(workflows.Source{Name: "bench.yaml", Text: []byte(text.String())}, e.Kinds, nil)
	if err != nil {
		b.Fatal(err)
	}
	h, err := e.Start(b.Context(), engine.Request{Bundle: bundle})
	if err != nil {
		b.Fatal(err)
	}
	h, err = e.Wait(b.Context(), h.ID)
	if err != nil || h.Executed < n {
		b.Fatalf("the run is %s after %d steps: %v %+v", h.Status, h.Executed, err, h.Error)
	}
	return h
}

func openPlain(b *testing.B, path string) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// commit writes as much as a step, in one transaction.
func commit(b *testing.B, db *bbolt.DB, i int) {
	b.Helper()
	err := db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists([]byte("steps"))
		if err != nil {
			return err
		}
		return bucket.Put(fmt.Appendf(nil, "%020d", i), make([]byte, 500))
	})
	if err != nil {
		b.Fatal(err)
	}
}
