//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the whole file for this process, or fails at once.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

func isLocked(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
