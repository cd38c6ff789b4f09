//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// unlock releases the lock that bbolt has on a file. Closing the file is not
// enough, because the lock stays as long as the file is mapped.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
