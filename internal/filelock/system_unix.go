//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks the whole file for this process, or fails at once.
func Try(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// Held reports whether Try failed because another process has the lock.
func Held(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
