//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// unlock takes away the lock that bbolt has on a file. To close the file is not
// enough: as long as it is mapped, the lock stays.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
