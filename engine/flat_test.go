//go:build !race

package engine

import (
	"fmt"
	"runtime"
	"testing"
)

// TestMemoryIsFlat holds that a long run needs no more memory than a short one.
func TestMemoryIsFlat(t *testing.T) {
	use := func(n int) uint64 {
		s := newBench(t)
		s.store.forget = true
		var most uint64
		s.store.after = func(string, Batch) {
			if s.store.batches%(n/8) == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
		s.run(t, fmt.Sprintf("max_steps: 1000000\nsteps: [{while: \"true\", max: %d, continue_on_error: true, steps: [{id: a, tool_name: look, arguments: {name: x}}]}]", n))
		return most
	}
	short, long := use(1000), use(100_000)
	t.Logf("1,000 steps need %d KiB, 100,000 need %d KiB", short>>10, long>>10)
	if long > short+4<<20 {
		t.Errorf("100,000 steps need %d bytes, 1,000 need %d", long, short)
	}
}
