package engine

import (
	"fmt"
	"testing"
)

// TestNewsNameTheRuns follows the notifications of an engine: each run is named once per
// change, and "" stands for more than are remembered.
func TestNewsNameTheRuns(t *testing.T) {
	var n notifier
	n.Notify("before anybody asked")
	_, first := n.since(0)
	follow := func(at uint64) (named []string, end uint64) {
		for {
			run, next := n.since(at)
			if next == at {
				return named, at
			}
			named, at = append(named, run), next
		}
	}
	expect := func(say string, after uint64, want ...string) (end uint64) {
		t.Helper()
		got, end := follow(after)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %q, want %q", say, got, want)
		}
		return end
	}
	expect("nothing has happened", first)
	for _, run := range []string{"a", "b", "a", "c"} {
		n.Notify(run)
	}
	now := expect("a run that changed twice is named once", first, "b", "a", "c")
	expect("only what is new", now-1, "c")
	expect("a number that never was", now+5, "")
	n.Notify("")
	now = expect("any run may have changed", now, "")
	for i := range maxNews + 1 {
		n.Notify(fmt.Sprint("run", i))
	}
	expect("more than are remembered", now, "")
	if named, _ := follow(now + 1); len(named) != maxNews || named[0] != "run1" {
		t.Errorf("%d are remembered: %q", len(named), named)
	}
}
