//go:build !linux

package schedules

import "os"

// isWritten reports whether a file cannot be opened, as on Windows while a program
// writes it. Other systems do not tell.
func isWritten(folder *os.Root, name string) bool {
	f, err := folder.Open(name)
	if err != nil {
		return true // it is polled again
	}
	_ = f.Close()
	return false
}
