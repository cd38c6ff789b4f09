package store

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
)

func lazily(b engine.Batch) engine.Batch {
	b.Lazy = true
	return b
}

// crashCopy opens a copy of the folder as it would be after a crash, without what is in
// memory.
func crashCopy(t *testing.T, s *Store) *Store {
	t.Helper()
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, databaseName), mustRead(t, s.path()))
	mustWrite(t, filepath.Join(dir, identityName), mustRead(t, filepath.Join(s.dir, identityName)))
	return mustOpen(t, dir)
}

func TestLazyIsLostOnlyInACrash(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Lazy: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mustAppend(t, s, storetest.Batch("run1", 1, 0, 2))
	mustAppend(t, s, lazily(storetest.Batch("run1", 1, 2, 2)))
	wantEvents(t, s, "run1", 4)
	wantEvents(t, crashCopy(t, s), "run1", 2)

	mustAppend(t, s, storetest.Batch("run2", 1, 0, 1)) // its commit includes the lazy batch
	wantEvents(t, crashCopy(t, s), "run1", 4)
}

func TestLazyIsStoredSoon(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustAppend(t, s, lazily(storetest.Batch("run1", 1, 0, 2)))
	for end := scratch.Deadline(t); ; time.Sleep(5 * time.Millisecond) {
		stored := false
		err := s.view(func(tx *bolt.Tx) error {
			stored = tx.Bucket(bucketHeaders).Get([]byte("run1")) != nil
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if stored {
			return
		}
		if time.Now().After(end) {
			t.Fatal("nobody stored it")
		}
	}
}

// TestLazyIsTriedAgain fills the disk, until after the first tries to store a lazy batch.
func TestLazyIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.TempDir(), Options{Lazy: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		limit := func(size int) {
			s.writing.Lock()
			defer s.writing.Unlock()
			s.db.MaxSize = size
		}
		waiting := func(after time.Duration, want int) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if n := len(s.lazy.all()); n != want {
				t.Errorf("%d batches are waiting, want %d", n, want)
			}
		}
		limit(1)
		mustAppend(t, s, lazily(storetest.Batch("run1", 1, 0, 500)))
		mustAppend(t, s, lazily(storetest.Batch("run2", 1, 0, 500)))
		waiting(2500*time.Millisecond, 2)
		limit(0)
		waiting(400*time.Millisecond, 2)
		waiting(200*time.Millisecond, 0)
		wantEvents(t, crashCopy(t, s), "run1", 500)
		limit(1)
		mustAppend(t, s, lazily(storetest.Batch("run3", 1, 0, 5000)))
		if err := s.Close(); !errors.Is(err, engine.ErrFull) {
			t.Errorf("closing lost events and said %v", err)
		}
		waiting(time.Minute, 0) // a closed store tries nothing
	})
}

func TestLazyOnAFullDiskWaits(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir))
	s, err := Open(dir, Options{Lazy: time.Hour, maxSize: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stored := uint64(0)
	for err == nil {
		b := storetest.Batch("run1", 1, stored, 10)
		if err = s.Append(t.Context(), "run1", b); err == nil {
			stored = b.Header.Seq
		}
	}
	if !errors.Is(err, engine.ErrFull) {
		t.Fatal(err)
	}
	mustAppend(t, s, lazily(storetest.Batch("run2", 1, 0, 500)))
	wantEvents(t, s, "run2", 500)
	for n := range uint64(maxLazy + 1) { // the memory that they use is limited
		if err = s.Append(t.Context(), "run3", lazily(storetest.Batch("run3", 1, n, 1))); err != nil {
			break
		}
	}
	if !errors.Is(err, engine.ErrFull) {
		t.Errorf("got %v, want ErrFull in the end", err)
	}
	wantEvents(t, s, "run1", stored)
	if err := s.Close(); !errors.Is(err, engine.ErrFull) {
		t.Errorf("closing lost events and said %v", err)
	}
	s = mustOpen(t, dir)
	wantEvents(t, s, "run1", stored)
	wantClean(t, s)
}

func TestCallersChangesDoNotReachLazyBatches(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	b := lazily(storetest.Batch("run1", 1, 0, 1))
	want := string(b.Events[0].Data)
	mustAppend(t, s, b)
	b.Events[0].Data[0] = 'X'
	for ev, err := range s.Events(t.Context(), "run1", 1) {
		if err != nil || string(ev.Data) != want {
			t.Errorf("got %s, %v", ev.Data, err)
		}
	}
}

func TestCrashLeavesAWholeStore(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	for n := range uint64(20) {
		mustAppend(t, s, storetest.Batch("run1", 1, n, 1))
		copied := crashCopy(t, s)
		wantEvents(t, copied, "run1", n+1)
		wantClean(t, copied)
	}
}
