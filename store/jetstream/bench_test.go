package jetstream

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"understudy/engine"
	"understudy/internal/testing/storetest"
	"understudy/store"
)

// BenchmarkAppend stores batches of two events on one node, on three, and for comparison in
// the store of one machine: with one writer, and with sixteen, each with a run of its own.
// A durable step is two batches. The benchmark disk syncs as many bytes.
func BenchmarkAppend(b *testing.B) {
	stores := map[string]func() engine.Store{
		"bbolt": func() engine.Store {
			s, err := store.Open(b.TempDir(), store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			return s
		},
		"1 node": func() engine.Store {
			a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
			s := a.open(b, b.TempDir()).(*under)
			b.Cleanup(func() { _ = s.Close() })
			return s
		},
		"3 nodes": func() engine.Store {
			s := openStore(b, startCluster(b), Options{Replicas: 3}, func() {})
			b.Cleanup(func() { _ = s.Close() })
			return s
		},
	}
	b.Run("disk", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "synced"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for b.Loop() {
			if _, err := f.Write(make([]byte, 600)); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, name := range []string{"bbolt", "1 node", "3 nodes"} {
		b.Run(name, func(b *testing.B) {
			s := stores[name]()
			var writers atomic.Int64
			next := func() string { return fmt.Sprint("run", writers.Add(1)) }
			b.Run("1 writer", func(b *testing.B) {
				run, seq := next(), uint64(0)
				for b.Loop() {
					appendTwo(b, s, run, &seq)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/2, "steps/s")
			})
			b.Run("16 writers", func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					run, seq := next(), uint64(0)
					for pb.Next() {
						appendTwo(b, s, run, &seq)
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/2, "steps/s")
			})
		})
	}
}

func appendTwo(b *testing.B, s engine.Store, run string, seq *uint64) {
	if err := s.Append(b.Context(), run, storetest.Batch(run, 1, *seq, 2)); err != nil {
		b.Fatal(err)
	}
	*seq += 2
}
