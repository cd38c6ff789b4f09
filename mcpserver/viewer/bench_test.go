package viewer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/storetest"
	"understudy/store"
)

// BenchmarkList opens the list of runs over a real store of 10,000: without a filter, and
// with a text that no run has.
func BenchmarkList(b *testing.B) {
	const runs, writers = 10_000, 50
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < runs; i += writers {
				batch := storetest.Batch(fmt.Sprintf("run%06d", i), 1, 0, 1)
				batch.Header.Status = engine.Succeeded
				if err := s.Append(b.Context(), batch.Header.ID, batch); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	e := &engine.Engine{Store: s, Files: s}
	v := New(Options{RunsFor: func(*http.Request, string) (engine.Runs, error) { return e, nil }})
	for name, path := range map[string]string{"newest": "/runs", "text": "/runs?text=nowhere", "workflow": "/runs?workflow=invoice-entry&before=run005000"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				v.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
