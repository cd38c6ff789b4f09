//go:build !unix

package watch_test

import (
	"testing"
	"time"
)

// used is not known here.
func used(t testing.TB) time.Duration {
	t.Helper()
	t.Skip("needs a desktop: how much processor time is used is not known on this system")
	return 0
}
