package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestLease plays words: a run with the desktop that it wants takes the lease
// (a:x), gives it up (a.), or is stopped while it waits (a!).
func TestLease(t *testing.T) {
	for _, row := range []struct {
		sentence, happens, holders, queue string
		places                            int
	}{
		{"one place is for one run", "a:x b:y", "a", "b", 1},
		{"two runs with desktops of their own act at once", "a:x b:y", "a b", "", 2},
		{"two runs never act on one desktop", "a:x b:x", "a", "b", 2},
		{"who waits for a desktop does not hold up those behind", "a:x b:x c:y", "a c", "b", 2},
		{"a place goes to who waits longest", "a:x b:y c:z a.", "b", "c", 1},
		{"a desktop too", "a:x b:x c:x a.", "b", "c", 3},
		{"who is stopped waits no more", "a:x b:x c:x b! a.", "c", "", 3},
		{"a desktop that is given up is free", "a:x a. b:x", "b", "", 1},
		{"a run that has a place keeps it", "a:x a:x b:y", "a b", "", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, taken, stops := &Lease{Places: row.places}, map[string]bool{}, map[string]context.CancelFunc{}
			for word := range strings.FieldsSeq(row.happens) {
				run := word[:1]
				switch word[1] {
				case '.':
					l.Release(run)
				case '!':
					stops[run]()
				default:
					on := word[2:]
					ctx, cancel := context.WithCancel(t.Context())
					stops[run] = cancel
					go l.Acquire(ctx, run, func() (func(), bool) {
						if taken[on] {
							return nil, false
						}
						taken[on] = true
						return func() { taken[on] = false }, true
					})
				}
				synctest.Wait()
			}
			holders, _ := l.Holders()
			slices.Sort(holders)
			var queue []string
			for _, run := range []string{"a", "b", "c"} {
				if l.Position(run) == len(queue)+1 {
					queue = append(queue, run)
				}
			}
			if got := strings.Join(holders, " "); got != row.holders || strings.Join(queue, " ") != row.queue {
				t.Errorf("%s: %s: held by %q, waited for by %q; wanted %q and %q", row.sentence, row.happens, got, queue, row.holders, row.queue)
			}
			for _, stop := range stops {
				stop()
			}
		})
	}
}
