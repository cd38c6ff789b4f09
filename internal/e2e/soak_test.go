//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps/desktop"
)

var soak = flag.Duration("soak", 15*time.Second, "how long the examples are played in a loop")

// usage is what a process, and the X server on its behalf, hold.
type usage struct{ memory, descriptors, goroutines, windows int }

// What runs for hours must not grow. The first rounds fill caches and are not
// counted.
func TestSoak(t *testing.T) {
	s := newStage(t, desktop.Size{})
	answers(s)
	s.write("note.txt", "")
	examples := []string{"example/form", "example/note", "example/save_dialog"}
	rounds := 0
	round := func() {
		for _, name := range examples {
			flags := []string{}
			if name != "example/form" {
				flags = []string{"-i", fmt.Sprintf("file=round-%d.txt", rounds%2)}
				s.forget(flags[1])
			}
			if r := s.run(name, flags...); r.Status != engine.Succeeded {
				t.Fatalf("round %d of %s: %v", rounds, name, failure(r))
			}
		}
		rounds++
	}
	round()
	round()
	before := s.used()
	for end := time.Now().Add(*soak); time.Now().Before(end); {
		round()
	}
	after := s.used()
	t.Logf("%d rounds; before %+v, after %+v", rounds, before, after)
	const slack = 8 << 20 // of the garbage collector, and of what the store has mapped
	if after.memory > before.memory+slack || after.descriptors > before.descriptors+2 ||
		after.goroutines > before.goroutines+2 || after.windows > before.windows+2 {
		t.Errorf("it grew in %d rounds: before %+v, after %+v", rounds, before, after)
	}
}

// forget removes the file that an input names, so that no editor asks whether
// to replace it.
func (s *stage) forget(input string) {
	_ = os.Remove(strings.TrimPrefix(input, "file="))
}

// used counts when all that was begun has come to rest.
func (s *stage) used() usage {
	var u, last usage
	_ = eventually(s.t.Context(), func() error {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		entries, err := os.ReadDir("/proc/self/fd")
		last, u = u, usage{
			memory: int(m.HeapInuse + m.StackInuse), descriptors: len(entries), goroutines: runtime.NumGoroutine(),
			windows: strings.Count(s.tool("xwininfo", "-root", "-children"), "\n"),
		}
		time.Sleep(100 * time.Millisecond)
		if err == nil && (u.goroutines != last.goroutines || u.descriptors != last.descriptors || u.windows != last.windows) {
			err = fmt.Errorf("not at rest: %+v", u)
		}
		return err
	})
	return u
}
