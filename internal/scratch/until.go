package scratch

import (
	"testing"
	"time"
)

// untilLimit is how long something may take on a machine that is busy.
const untilLimit = time.Minute

// Until waits until something holds, and fails the test when it never does.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(untilLimit); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about: %s", what)
		}
	}
}
