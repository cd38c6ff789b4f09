package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

// spoilOpen changes the database under an open store, as a failing disk does.
func spoilOpen(t *testing.T, s *Store, spoil func(f *os.File, size int64)) {
	t.Helper()
	f, err := os.OpenFile(s.path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	spoil(f, info.Size())
}

func TestDamageUnderAnOpenStore(t *testing.T) {
	for _, c := range []struct {
		say   string
		spoil func(f *os.File, size int64)
	}{
		{"zeroes", func(f *os.File, size int64) { _, _ = f.WriteAt(make([]byte, size-2*testPage), 2*testPage) }},
		{"other bytes", func(f *os.File, size int64) {
			_, _ = f.WriteAt(bytes.Repeat([]byte{0xA5}, int(size-2*testPage)), 2*testPage)
		}},
		{"the file is cut", func(f *os.File, _ int64) { _ = f.Truncate(2 * testPage) }},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := filled(t)
			s := mustOpen(t, dir)
			spoilOpen(t, s, c.spoil)
			if _, _, err := s.Run(t.Context(), "run1"); !errors.Is(err, ErrDamaged) {
				t.Errorf("reading: got %v", err)
			}
			if report, err := s.Check(t.Context()); err == nil && report.Clean() {
				t.Error("check finds nothing")
			}
			for range 2 { // the second must not wait for a lock that is never released
				if err := s.Append(t.Context(), "run1", storetest.Batch("run1", 1, 40, 1)); err == nil {
					t.Error("an event was accepted")
				}
			}
			_ = s.Close()
			if _, err := Open(dir, Options{Wait: time.Millisecond}); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotDatabase) {
				t.Errorf("opening again: got %v", err)
			}
		})
	}
}

func TestPanicInsideOpenIsSurvived(t *testing.T) {
	dir := filled(t)
	path := filepath.Join(dir, databaseName)
	image := mustRead(t, path)
	m, _, err := readMeta(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	good := bytes.Clone(image)
	binary.NativeEndian.PutUint16(image[int64(m.freelist)*m.pageSize+8:], leafPage)
	mustWrite(t, path, image)
	s := &database{dir: dir}
	if err := s.openBolt(0); !errors.Is(err, ErrDamaged) {
		t.Fatalf("got %v", err)
	}
	if err := s.letGo(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, path, good)
	mustOpen(t, dir) // the file is not locked any more after the panic
}

func TestDamagedFileIsPutAside(t *testing.T) {
	dir := filled(t)
	backup := filepath.Join(t.TempDir(), "backup")
	s := mustOpen(t, dir)
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, storetest.Batch("run4", 1, 0, 1))
	mustClose(t, s)
	path := filepath.Join(dir, databaseName)
	image := mustRead(t, path)
	clear(image[3*testPage:])
	mustWrite(t, path, image)

	_, err := Open(dir, Options{})
	e, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(err, ErrDamaged) || !bytes.Contains([]byte(e.Next), []byte(restoreCommand+" "+backup)) {
		t.Fatalf("got %v, want the damage and the backup", err)
	}
	aside, _ := filepath.Glob(path + ".damaged-*")
	if len(aside) != 1 || !bytes.Equal(mustRead(t, aside[0]), image) {
		t.Errorf("put aside: %v", aside)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), aside[0]) {
		t.Errorf("the next start: got %v, want ErrMissing and the name of the damaged file", err)
	}
	if _, err := Restore(t.Context(), dir, backup, Options{}); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir)
	wantEvents(t, s, "run1", 40)
	wantClean(t, s)
}

func TestDamageWithoutIdentityDoesNotStartOver(t *testing.T) {
	dir := filled(t)
	os.Remove(filepath.Join(dir, identityName))
	image := mustRead(t, filepath.Join(dir, databaseName))
	clear(image[3*testPage:])
	mustWrite(t, filepath.Join(dir, databaseName), image)
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrDamaged) {
		t.Fatalf("got %v", err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrMissing) {
		t.Errorf("the next start: got %v, want ErrMissing", err)
	}
}

func TestChangedFileIsNotGiven(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	hash, err := s.Put(t.Context(), engine.Captures, []byte("picture"))
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s.files.path(engine.Captures, hash), []byte("pictUre"))
	if _, err := s.Get(t.Context(), engine.Captures, hash); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}
