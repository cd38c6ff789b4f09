//go:build unix

package fileio

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks the whole file for this process, or fails at once.
func TryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// IsLocked reports whether TryLock failed because another process has the lock.
func IsLocked(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
