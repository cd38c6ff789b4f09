package store

import (
	"testing"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t testing.TB, dir string) engine.Store { return mustOpen(t, dir) })
}

// mustOpen opens a store that is closed at the end of the test.
func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{Command: "understudy test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
