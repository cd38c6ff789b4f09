//go:build !linux

package schedules

import "os"

// isWritten says whether a file cannot be opened, as on Windows while a program
// writes it. Elsewhere the system does not tell.
func isWritten(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // it is looked at again
	}
	_ = f.Close()
	return false
}
