// Package scratch gives tests folders and buffers for the output of other programs, and
// waits for conditions, until a deadline that comes from the test's own.
package scratch

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"
)

// patience bounds how long a killed program may still write.
const patience = 10 * time.Second

// Dir returns a folder that is removed after the test. Its path is short enough for
// the address of a socket. A program that is ending, and its children, may still
// write there, in which case t.TempDir would fail the test.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "us")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(dir); err != nil {
			t.Logf("left behind: %v", err)
		}
	})
	return dir
}

func remove(dir string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		err := os.RemoveAll(dir)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Buffer collects what a program or a logger writes, and can be read at the same time.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Deadline returns until when a test waits for something: for a quarter of the time that
// it has left, so that others can still fail for reasons of their own, and for at most
// three minutes, because on the slowest machine what takes longer was lost.
func Deadline(t testing.TB) time.Time {
	left := 10 * time.Minute // a benchmark, or -timeout=0
	if x, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := x.Deadline(); ok {
			left = min(time.Until(end)/4, 3*time.Minute)
		}
	}
	return time.Now().Add(left)
}

// Until polls until a condition holds, and fails the test if it never does.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := Deadline(t); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about: %s", what)
		}
	}
}
