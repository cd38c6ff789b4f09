//go:build !linux

package schedules

import "os"

// isWritten reports whether a file cannot be opened, as on Windows while a program
// writes it. Other systems do not tell.
func isWritten(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // it is polled again
	}
	_ = f.Close()
	return false
}
