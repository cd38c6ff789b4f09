//go:build !linux

package local

import "os"

// newStderr returns nil: what a program writes to its standard error is not
// kept on this system.
func newStderr() *os.File { return nil }
