//go:build linux

package x11

import (
	"sync"
	"testing"
)

// Drivers of one display that are opened at the same time do not take one another's notes for
// those of a dead process.
func TestNotesThatAreMadeAreNotTakenForLeftOnes(t *testing.T) {
	dir := t.TempDir()
	var opening sync.WaitGroup
	for range 4 {
		opening.Go(func() {
			for range 2000 {
				if err := leftovers(dir, ":1", func(heldInput) error { return nil }); err != nil {
					t.Error(err)
					return
				}
				h, err := openHeld(dir, ":1")
				if err != nil {
					t.Error(err)
					return
				}
				h.close()
			}
		})
	}
	opening.Wait()
}
