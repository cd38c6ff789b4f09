// Package scratch gives tests folders and buffers in which programs of others write,
// and waits for what they do.
package scratch

import (
	"os"
	"testing"
	"time"
)

// patience is how long a program may still write after it was killed.
const patience = 10 * time.Second

// Dir is a folder that goes with the test. Its path is short enough for the
// address of a socket. A program that is about to end, and its children, may
// write there until the last moment, where t.TempDir would fail the test.
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
