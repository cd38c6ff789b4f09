package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/internal/testing/storetest"
	"understudy/store/format"
)

// BenchmarkPlainCommit is the lower bound for Append: one bbolt commit of as many bytes
// under one new key.
func BenchmarkPlainCommit(b *testing.B) {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, boltOptions(0))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	value := make([]byte, 1024)
	n := uint64(0)
	for b.Loop() {
		n++
		err := db.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("plain"))
			if err != nil {
				return err
			}
			return bucket.Put(seqKey(n), value)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, before := range []int{0, 10_000} {
		b.Run(fmt.Sprint("after ", before), func(b *testing.B) {
			s := mustOpen(b, b.TempDir())
			seq := uint64(before)
			if before > 0 {
				mustAppend(b, s, storetest.Batch("run1", 1, 0, before))
			}
			for b.Loop() {
				batch := storetest.Batch("run1", 1, seq, 3)
				for i := range batch.Events {
					batch.Events[i].Data = data(300)
				}
				if err := s.Append(b.Context(), "run1", batch); err != nil {
					b.Fatal(err)
				}
				seq += 3
			}
		})
	}
	b.Run("lazy", func(b *testing.B) {
		s := mustOpen(b, b.TempDir())
		seq := uint64(0)
		for b.Loop() {
			batch := storetest.Batch("run1", 1, seq, 3)
			batch.Lazy = true
			if err := s.Append(b.Context(), "run1", batch); err != nil {
				b.Fatal(err)
			}
			seq += 3
		}
	})
}

// BenchmarkAppendBesidePlain alternates both, so that the disk is equally fast for them,
// and reports the ratio of their speeds.
func BenchmarkAppendBesidePlain(b *testing.B) {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, boltOptions(0))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s := mustOpen(b, b.TempDir())
	value, seq := make([]byte, 1024), uint64(0)
	var plain, append time.Duration
	for b.Loop() {
		batch := storetest.Batch("run1", 1, seq, 3)
		for i := range batch.Events {
			batch.Events[i].Data = data(300)
		}
		began := time.Now()
		err := db.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("plain"))
			if err != nil {
				return err
			}
			return bucket.Put(seqKey(seq), value)
		})
		if err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		mustAppend(b, s, batch)
		plain, append = plain+between.Sub(began), append+time.Since(between)
		seq += 3
	}
	b.ReportMetric(float64(plain)/float64(append), "of-plain")
}

func data(n int) json.RawMessage { return fmt.Appendf(nil, `{"result":"%0*d"}`, n-13, 1) }

func BenchmarkList(b *testing.B) {
	const runs = 100_000
	s := mustOpen(b, b.TempDir())
	fill(b, s, runs)
	for _, c := range []struct {
		say string
		q   engine.Query
	}{
		{"newest", engine.Query{Limit: 50}},
		{"with calls", engine.Query{Limit: 50, Calls: true}},
		{"failed", engine.Query{Limit: 50, Status: []engine.Status{engine.Failed}}},
		{"two statuses", engine.Query{Limit: 50, Status: []engine.Status{engine.Failed, engine.Waiting}}},
		{"one workflow", engine.Query{Limit: 50, Workflow: "workflow7"}},
		{"one workflow rarely failed", engine.Query{Limit: 50, Workflow: "workflow7", Status: []engine.Status{engine.Waiting}}},
		{"one execution", engine.Query{Limit: 50, ExecutionID: "e70000"}},
		{"a page in the middle", engine.Query{Limit: 50, Before: "run050000"}},
	} {
		b.Run(c.say, func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, err := range s.Runs(b.Context(), c.q) {
					if err != nil {
						b.Fatal(err)
					}
					found++
				}
			}
			b.ReportMetric(float64(found), "runs")
		})
	}
}

// fill stores many runs of one event in few commits.
func fill(b *testing.B, s *Store, runs int) {
	b.Helper()
	for from := 0; from < runs; from += 1000 {
		err := s.update(func(tx *bolt.Tx) error {
			for i := from; i < from+1000; i++ {
				batch := storetest.Batch(fmt.Sprintf("run%06d", i), 1, 0, 1)
				h := &batch.Header
				h.Status, h.Workflow = engine.Succeeded, fmt.Sprint("workflow", i%10)
				switch {
				case i%100 == 7:
					h.Status = engine.Failed
				case i%1000 == 17:
					h.Status = engine.Waiting
				case i%3 == 0:
					h.Call = "click_element"
				}
				h.ExecutionID = fmt.Sprint("e", i)
				if refused, err := s.write(tx, h.ID, batch); refused != nil || err != nil {
					b.Fatal(refused, err)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		s := mustOpen(b, b.TempDir())
		for seq := 0; seq < n; seq += 1000 {
			batch := storetest.Batch("run1", 1, uint64(seq), 1000)
			for i := range batch.Events {
				batch.Events[i].Data = data(300)
			}
			batch.Snapshot = &engine.Snapshot{Seq: batch.Header.Seq - 100, State: data(20_000)}
			mustAppend(b, s, batch)
		}
		for _, how := range []string{"all", "with snapshot"} {
			b.Run(fmt.Sprint(n, " ", how), func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					from := uint64(1)
					_, snap, err := s.Run(b.Context(), "run1")
					if err != nil {
						b.Fatal(err)
					}
					if how != "all" {
						from = snap.Seq + 1
					}
					read(b, s, from)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapInuse)/(1<<20), "MB-in-use")
			})
		}
	}
}

func read(b *testing.B, s *Store, from uint64) {
	for _, err := range s.Events(b.Context(), "run1", from) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEvent(b *testing.B) {
	ev := storetest.Batch("run1", 1, 0, 1).Events[0]
	ev.Data = data(300)
	record := encodeEvent(ev)
	format.Seal(1, record)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := openEvent(1, 1, record); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := mustOpen(b, dir)
	fill(b, s, 20_000)
	info, err := s.file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	mustClose(b, s)
	for _, say := range []string{"after a close", "after a crash"} {
		b.Run(say, func(b *testing.B) {
			b.ReportMetric(float64(info.Size())/(1<<20), "MB")
			for b.Loop() {
				if say == "after a crash" {
					mustWrite(b, filepath.Join(dir, lockName), nil)
				}
				s, err := Open(dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				mustClose(b, s)
			}
		})
	}
}
