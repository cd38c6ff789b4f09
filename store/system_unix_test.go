//go:build linux

package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

// smallDisk mounts a file system of its own.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("needs the right to mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestFullDiskLosesNothing(t *testing.T) {
	dir := smallDisk(t, "size=3m")
	s := mustOpen(t, dir)
	large := func(seq uint64) engine.Batch {
		b := storetest.Batch("run1", 1, seq, 1)
		b.Events[0].Data = []byte(`"` + strings.Repeat("x", 100_000) + `"`)
		return b
	}
	stored := uint64(0)
	var err error
	for err == nil && stored < 100 {
		if err = s.Append(t.Context(), "run1", large(stored)); err == nil {
			stored++
		}
	}
	if !errors.Is(err, engine.ErrFull) || !strings.Contains(err.Error(), "runs prune") {
		t.Fatalf("after %d events: got %v, want ErrFull", stored, err)
	}
	if _, err := s.Put(t.Context(), engine.Captures, make([]byte, 4<<20)); !errors.Is(err, engine.ErrFull) {
		t.Errorf("a picture on a full disk: got %v, want ErrFull", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, partialName, "*")); len(left) > 0 || err != nil {
		t.Errorf("half a picture is left: %v", left)
	}
	wantEvents(t, s, "run1", stored)

	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, large(stored)) // there is room again
	wantEvents(t, s, "run1", stored+1)
	wantClean(t, s)
	mustClose(t, s)
	s = mustOpen(t, dir)
	wantEvents(t, s, "run1", stored+1)
}

// TestAFullDiskKeepsNoLock opens a store on a disk that has no room for the content of the
// lock file.
func TestAFullDiskKeepsNoLock(t *testing.T) {
	dir := smallDisk(t, "size=64k")
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(dir, Options{Wait: time.Millisecond}); !errors.Is(err, engine.ErrFull) {
			t.Errorf("got %v, want ErrFull each time", err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := smallDisk(t, "size=3m")
	mustClose(t, mustOpen(t, dir))
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, Options{})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "--home") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, databaseName)); err != nil {
		t.Error(err)
	}
}

func TestPruneMakesRoomOnAFullDisk(t *testing.T) {
	s := mustOpen(t, smallDisk(t, "size=3m"))
	runs := 0
	for ; ; runs++ {
		b := ended(fmt.Sprintf("run%03d", runs), engine.Succeeded, time.Minute)
		b.Events[0].Data = []byte(`"` + strings.Repeat("x", 50_000) + `"`)
		if err := s.Append(t.Context(), b.Header.ID, b); errors.Is(err, engine.ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	done, err := s.Prune(t.Context(), engine.Retention{Count: runs / 2})
	if err != nil || done.Runs != runs-runs/2 {
		t.Fatalf("%d runs: %+v, %v", runs, done, err)
	}
	b := ended("zzz", engine.Succeeded, time.Minute)
	b.Events[0].Data = []byte(`"` + strings.Repeat("x", 50_000) + `"`)
	mustAppend(t, s, b)
	wantClean(t, s)
}

// changesOf returns the names that are created in a folder, or removed from it, while
// something is done, in order.
func changesOf(t *testing.T, dir string, do func()) (changes []change) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE|syscall.IN_DELETE|syscall.IN_MOVED_FROM|syscall.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	do()
	b := make([]byte, 1<<16)
	n, err := syscall.Read(fd, b)
	if err != nil {
		t.Fatal(err)
	}
	for b = b[:n]; len(b) > 0; {
		size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name := string(bytes.TrimRight(b[syscall.SizeofInotifyEvent:size], "\x00"))
		changes = append(changes, change{name, binary.NativeEndian.Uint32(b[4:])&(syscall.IN_CREATE|syscall.IN_MOVED_TO) != 0})
		b = b[size:]
	}
	return changes
}

type change struct {
	name    string
	created bool // not removed
}

// TestAFolderNeverLooksNew tests that a crash at any moment leaves a database, or an
// identity that says that there was one: a folder with neither is a new one, in which
// an empty database is made.
func TestAFolderNeverLooksNew(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup")
	s := mustOpen(t, filled(t))
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	for say, do := range map[string]func(dir string){
		"a backup is restored": func(dir string) {
			if _, err := Restore(t.Context(), dir, backup, Options{}); err != nil {
				t.Error(err)
			}
		},
		"a damaged database is put aside": func(dir string) {
			os.Remove(filepath.Join(dir, identityName))
			path := filepath.Join(dir, databaseName)
			image := mustRead(t, path)
			clear(image[3*testPage:])
			mustWrite(t, path, image)
			if _, err := Open(dir, Options{}); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		},
	} {
		t.Run(say, func(t *testing.T) {
			dir := filled(t)
			there := map[string]bool{databaseName: true, identityName: true}
			for _, c := range changesOf(t, dir, func() { do(dir) }) {
				there[c.name] = c.created
				if !there[databaseName] && !there[identityName] {
					t.Errorf("after the change of %s the folder has no database, and no identity", c.name)
				}
			}
		})
	}
}
