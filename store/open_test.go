package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
)

// filled creates a store with a few runs, closes it, and returns its folder.
func filled(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir)
	for _, run := range []string{"run1", "run2", "run3"} {
		mustAppend(t, s, storetest.Batch(run, 1, 0, 40))
	}
	mustClose(t, s)
	return dir
}

func mustAppend(t testing.TB, s *Store, b engine.Batch) {
	t.Helper()
	if err := s.Append(t.Context(), b.Header.ID, b); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustWrite(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// edit changes a closed database with bbolt, without the store.
func edit(t testing.TB, path string, fn func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, boltOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		say   string
		spoil func(t *testing.T, dir, database string)
		want  error
		words []string // that the message must have
	}{
		{"a database that is gone", func(t *testing.T, dir, database string) {
			os.Remove(database)
		}, ErrMissing, []string{"store.json says that there was one", "runs restore"}},
		{"a database of zero length", func(t *testing.T, dir, database string) {
			mustWrite(t, database, nil)
		}, ErrEmpty, []string{"0 bytes", "runs restore"}},
		{"a zero length also without an identity", func(t *testing.T, dir, database string) {
			mustWrite(t, database, nil)
			os.Remove(filepath.Join(dir, identityName))
		}, ErrEmpty, []string{"0 bytes"}},
		{"a file that is no database", func(t *testing.T, dir, database string) {
			mustWrite(t, database, []byte(strings.Repeat("these are my notes\n", 1000)))
		}, ErrNotDatabase, []string{"move it away"}},
		{"a few bytes", func(t *testing.T, dir, database string) {
			mustWrite(t, database, []byte("x"))
		}, ErrNotDatabase, nil},
		{"a database of another program", func(t *testing.T, dir, database string) {
			os.Remove(database)
			edit(t, database, func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("songs")); return err })
			os.Remove(filepath.Join(dir, lockName))
		}, ErrNotDatabase, []string{"another program"}},
		{"a database of another store", func(t *testing.T, dir, database string) {
			mustWrite(t, database, mustRead(t, filepath.Join(filled(t), databaseName)))
			os.Remove(filepath.Join(dir, lockName))
		}, ErrOther, []string{"store.json names"}},
		{"a newer version", func(t *testing.T, dir, database string) {
			edit(t, database, func(tx *bolt.Tx) error { return putVersion(tx, schemaVersion+1) })
		}, ErrNewer, []string{"it is of version 3, this program knows 2"}},
		{"a database that went back in time", func(t *testing.T, dir, database string) {
			old := mustRead(t, database)
			s := mustOpen(t, dir)
			mustAppend(t, s, storetest.Batch("run4", 1, 0, 1))
			mustClose(t, s)
			mustWrite(t, database, old)
		}, ErrOlder, []string{"its last commit is", "if you mean to use it"}},
		{"an identity that names nothing", func(t *testing.T, dir, database string) {
			mustWrite(t, filepath.Join(dir, identityName), []byte("{}"))
		}, ErrDamaged, []string{"store.json", "delete it"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := filled(t)
			database := filepath.Join(dir, databaseName)
			c.spoil(t, dir, database)
			for range 2 { // the second time the answer is the same
				before, _ := os.ReadFile(database)
				_, err := Open(dir, Options{})
				if !errors.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				for _, word := range c.words {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%q does not say %q", err, word)
					}
				}
				if after, _ := os.ReadFile(database); string(before) != string(after) {
					t.Error("the file was changed")
				}
			}
		})
	}
}

func TestLockedNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	_, err := Open(dir, Options{Wait: 50 * time.Millisecond})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "(understudy test), since") {
		t.Errorf("got %v", err)
	}
	mustAppend(t, s, storetest.Batch("run1", 1, 0, 1)) // the other store was not disturbed
	go func() { time.Sleep(50 * time.Millisecond); _ = s.Close() }()
	next, err := Open(dir, Options{Wait: time.Until(scratch.Deadline(t))})
	if err != nil {
		t.Fatalf("the lock did not come: %v", err)
	}
	mustClose(t, next)
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustClose(t, s)
	mustClose(t, s)
	if err := s.Append(t.Context(), "run1", storetest.Batch("run1", 1, 0, 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, _, err := s.Run(t.Context(), "run1"); !errors.Is(err, ErrClosed) {
		t.Errorf("run: %v", err)
	}
}

func TestIdentityIsWrittenAgain(t *testing.T) {
	dir := filled(t)
	before := mustRead(t, filepath.Join(dir, identityName))
	os.Remove(filepath.Join(dir, identityName))
	mustClose(t, mustOpen(t, dir))
	if after := mustRead(t, filepath.Join(dir, identityName)); string(before) != string(after) {
		t.Errorf("got %s, want %s", after, before)
	}
}

func TestHalfWrittenFilesAreCleared(t *testing.T) {
	dir := filled(t)
	left := filepath.Join(dir, partialName, "new-123")
	mustWrite(t, left, []byte("half"))
	mustOpen(t, dir)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err, want error
	}{
		{&os.PathError{Op: "open", Path: "x", Err: os.ErrPermission}, ErrReadOnly},
		{bolterrors.ErrDatabaseNotOpen, ErrClosed},
		{bolterrors.ErrTimeout, ErrLocked},
		{errors.New("else"), nil},
	} {
		got := explain("x", c.err)
		if c.want == nil && !errors.Is(got, c.err) || c.want != nil && !errors.Is(got, c.want) {
			t.Errorf("%v became %v, want %v", c.err, got, c.want)
		}
	}
}
