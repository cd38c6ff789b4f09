package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/internal/testing/storetest"
	"understudy/store/format"
)

// TestCheckFinds plants single faults in a database whose pages are whole.
func TestCheckFinds(t *testing.T) {
	run := []byte("run2")
	for _, c := range []struct {
		say   string
		plant func(tx *bolt.Tx) error
		want  string
	}{
		{"nothing", func(*bolt.Tx) error { return nil }, ""},
		{"a byte of an event", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketJournal).Bucket(run)
			v := bytes.Clone(b.Get(seqKey(7)))
			v[len(v)-1] ^= 1
			return b.Put(seqKey(7), v)
		}, "run run2: event 7: its checksum"},
		{"an event that is missing", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketJournal).Bucket(run).Delete(seqKey(7))
		}, "run run2: event 7 is missing"},
		{"the last event missing", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketJournal).Bucket(run).Delete(seqKey(40))
		}, "run run2: its header says 40 events and attempt 1, its events end with 39"},
		{"one event too many", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketJournal).Bucket(run)
			record := encodeEvent(storetest.Batch("run2", 1, 40, 1).Events[0])
			format.Seal(format.Sum(b.Get(seqKey(40))), record)
			return b.Put(seqKey(41), record)
		}, "run run2: its header says 40"},
		{"events of another run", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketJournal)
			return errors.Join(b.Bucket(run).Put(seqKey(1), bytes.Clone(b.Bucket([]byte("run1")).Get(seqKey(1)))))
		}, "run run2: event 1: its checksum"},
		{"two events that changed places", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketJournal).Bucket(run)
			one, two := bytes.Clone(b.Get(seqKey(5))), bytes.Clone(b.Get(seqKey(6)))
			return errors.Join(b.Put(seqKey(5), two), b.Put(seqKey(6), one))
		}, "run run2: event 5: its checksum"},
		{"no events at all", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketJournal).DeleteBucket(run)
		}, "run run2: its events are missing"},
		{"a header without a byte", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketHeaders)
			return b.Put(run, bytes.Replace(b.Get(run), []byte("invoice"), []byte("invoicE"), 1))
		}, "run run2: its header: its checksum"},
		{"no header", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketHeaders).Delete(run)
		}, "run run2: it is in journal and has no header"},
		{"a snapshot of what is to come", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketSnapshots).Put(run, encodeSnapshot("run2", &engine.Snapshot{Seq: 99}))
		}, "run run2: its snapshot is of event 99 of 40"},
		{"a snapshot of another run", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketSnapshots).Put(run, encodeSnapshot("run1", &engine.Snapshot{Seq: 9}))
		}, "run run2: its snapshot: its checksum"},
		{"an index key missing", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketIndex).Delete(append(indexPrefix(false, byStatus, "running"), run...))
		}, "run run2: it is not found by the index"},
		{"an index key too many", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketIndex).Put(append(indexPrefix(false, byStatus, "failed"), run...), nil)
		}, "the index has 10 keys and should have 9"},
		{"a changed document", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketDocuments).Put([]byte(format.HashOf([]byte("a"))), []byte("b"))
		}, "is not what its hash says"},
		{"a file that is gone", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketFiles).Put(fileKey("run2", []byte(format.HashOf(nil))), []byte("c"))
		}, "run run2: captures " + format.HashOf(nil) + " is missing"},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := filled(t)
			edit(t, filepath.Join(dir, databaseName), c.plant)
			s := mustOpen(t, dir)
			report, err := s.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if !report.Clean() || report.Runs != 3 || report.Events != 120 {
					t.Errorf("got %+v", report)
				}
				return
			}
			for _, p := range report.Problems {
				if strings.Contains(p.String(), c.want) {
					return
				}
			}
			t.Errorf("got %v, want %q", report.Problems, c.want)
		})
	}
}

func TestCheckFindsChangedFiles(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	hash, err := s.Put(t.Context(), engine.Artifacts, []byte("result"))
	if err != nil {
		t.Fatal(err)
	}
	wantClean(t, s)
	mustWrite(t, s.files.path(engine.Artifacts, hash), []byte("resulT"))
	mustWrite(t, filepath.Join(sortDir(s.dir, engine.Captures), "holiday.jpg"), nil)
	report, err := s.Check(t.Context())
	if err != nil || len(report.Problems) != 2 {
		t.Errorf("got %v, %v", report.Problems, err)
	}
}

// TestReadersNoticeDamage reads damage that Check would find.
func TestReadersNoticeDamage(t *testing.T) {
	for say, c := range map[string]struct {
		spoil func(b *bolt.Bucket) error
		from  uint64
		good  int // events before the error
	}{
		"a changed event":     {func(b *bolt.Bucket) error { v := bytes.Clone(b.Get(seqKey(7))); v[9] ^= 1; return b.Put(seqKey(7), v) }, 1, 6},
		"a missing event":     {func(b *bolt.Bucket) error { return b.Delete(seqKey(7)) }, 1, 6},
		"the one before":      {func(b *bolt.Bucket) error { return b.Delete(seqKey(7)) }, 8, 0},
		"one event too many":  {func(b *bolt.Bucket) error { return b.Put(seqKey(41), bytes.Clone(b.Get(seqKey(40)))) }, 30, 11},
		"the last is missing": {func(b *bolt.Bucket) error { return b.Delete(seqKey(40)) }, 30, 10},
	} {
		dir := filled(t)
		edit(t, filepath.Join(dir, databaseName), func(tx *bolt.Tx) error {
			return c.spoil(tx.Bucket(bucketJournal).Bucket([]byte("run1")))
		})
		s := mustOpen(t, dir)
		n := 0
		var last error
		for _, err := range s.Events(t.Context(), "run1", c.from) {
			if last = err; err == nil {
				n++
			}
		}
		if !errors.Is(last, ErrDamaged) || n != c.good {
			t.Errorf("%s: got %d events and %v", say, n, last)
		}
		if strings.HasPrefix(say, "one event") {
			if err := s.Append(t.Context(), "run1", storetest.Batch("run1", 1, 40, 1)); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: the run goes on: %v", say, err)
			}
		}
		wantEvents(t, s, "run2", 40) // other runs are not affected
	}
}

func TestRestoreKeepsWhatWasThere(t *testing.T) {
	dir, backup := filled(t), filepath.Join(t.TempDir(), "b")
	s := mustOpen(t, dir)
	hash, err := s.Put(t.Context(), engine.Captures, []byte("picture"))
	if err != nil {
		t.Fatal(err)
	}
	b := storetest.Batch("run1", 1, 40, 1)
	b.Events[0].Data = []byte(`"` + hash + `"`)
	mustAppend(t, s, b)
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), backup); err == nil || !strings.Contains(err.Error(), "empty folder") {
		t.Errorf("a backup over a backup: %v", err)
	}
	if _, err := Restore(t.Context(), dir, backup, Options{Wait: 1}); !errors.Is(err, ErrLocked) {
		t.Errorf("restoring under an open store: %v", err)
	}
	mustAppend(t, s, storetest.Batch("run9", 1, 0, 1))
	mustClose(t, s)
	os.Remove(s.files.path(engine.Captures, hash))

	aside, err := Restore(t.Context(), dir, backup, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checkFile(aside, nil); err != nil {
		t.Errorf("what was there: %v", err)
	}
	s = mustOpen(t, dir)
	wantEvents(t, s, "run1", 41)
	wantClean(t, s)
	if _, _, err := s.Run(t.Context(), "run9"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("a run of after the backup: %v", err)
	}
	whole := mustOpen(t, backup) // a backup is a store itself
	wantEvents(t, whole, "run1", 41)
	wantClean(t, whole)
	if _, err := Restore(t.Context(), dir, t.TempDir(), Options{}); err == nil {
		t.Error("an empty folder was taken for a backup")
	}
}

// TestHalfABackupIsNone restores a backup that was ended before it had copied the pictures.
func TestHalfABackupIsNone(t *testing.T) {
	dir, backup := filled(t), filepath.Join(t.TempDir(), "b")
	s := mustOpen(t, dir)
	if _, err := s.Put(t.Context(), engine.Captures, []byte("picture")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Backup(ctx, backup); !errors.Is(err, context.Canceled) {
		t.Fatalf("the backup: %v", err)
	}
	mustClose(t, s)
	if _, err := Restore(t.Context(), dir, backup, Options{}); err == nil {
		t.Error("half a backup was restored")
	}
	wantEvents(t, mustOpen(t, dir), "run1", 40)
}

func TestBackupWhileWriting(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "b")
	s := mustOpen(t, dir)
	mustAppend(t, s, storetest.Batch("run1", 1, 0, 500))
	done := make(chan error)
	go func() {
		for n := uint64(500); n < 800; n++ {
			if err := s.Append(t.Context(), "run1", storetest.Batch("run1", 1, n, 1)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	if err := errors.Join(s.Backup(t.Context(), backup), <-done); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, s, "run1", 800)
	copied := mustOpen(t, backup)
	wantClean(t, copied)
	h, _, err := copied.Run(t.Context(), "run1")
	if err != nil || h.Seq < 500 {
		t.Fatalf("%d events, %v", h.Seq, err)
	}
	wantEvents(t, copied, "run1", h.Seq)
}

// meanwhile is a context whose user is overtaken by something when it first looks at it.
type meanwhile struct {
	context.Context
	do *func()
}

func (m meanwhile) Err() error {
	do := *m.do
	*m.do = func() {}
	do()
	return m.Context.Err()
}

// TestCheckIgnoresRunsPrunedMeanwhile checks a store from which a run and its picture are
// removed meanwhile.
func TestCheckIgnoresRunsPrunedMeanwhile(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mustAppend(t, s, storetest.Batch("run0", 1, 0, 2000))
	if err := s.Remove(t.Context(), "run0"); err != nil { // its pages are free: to map more, bbolt would wait for the reader
		t.Fatal(err)
	}
	hash, err := s.Put(t.Context(), engine.Captures, []byte("a picture"))
	if err != nil {
		t.Fatal(err)
	}
	b := storetest.Batch("run1", 1, 0, 1)
	b.Events[0].Data = []byte(`"` + hash + `"`)
	mustAppend(t, s, b)
	prune := func() {
		if err := s.Remove(t.Context(), "run1"); err != nil {
			t.Error(err)
		}
		if err := os.Remove(s.files.path(engine.Captures, hash)); err != nil {
			t.Error(err)
		}
	}
	if c, err := s.Check(meanwhile{t.Context(), &prune}); err != nil || !c.Clean() {
		t.Errorf("%v, %v", err, c.Problems)
	}
}
