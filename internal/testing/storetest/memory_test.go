package storetest

import (
	"errors"
	"testing"

	"understudy/engine"
)

func TestStoreInMemory(t *testing.T) {
	stores := map[string]*Memory{}
	Run(t, func(_ testing.TB, dir string) engine.Store {
		if stores[dir] == nil {
			stores[dir] = NewMemory()
		}
		return stores[dir]
	})
}

func TestStoreInMemoryRefuses(t *testing.T) {
	m := NewMemory()
	m.OnAppend = func(string, engine.Batch) error { return engine.ErrFull }
	if err := m.Append(t.Context(), "run1", Batch("run1", 1, 0, 1)); !errors.Is(err, engine.ErrFull) {
		t.Errorf("got %v", err)
	}
	if _, _, err := m.Run(t.Context(), "run1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("the refused run is there: %v", err)
	}
}
