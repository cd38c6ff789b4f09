package fileio

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks one byte far behind the content, or fails at once. The content stays
// readable, so that others can read who has the lock.
func TryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}

// IsLocked reports whether TryLock failed because another process has the lock.
func IsLocked(err error) bool { return errors.Is(err, windows.ERROR_LOCK_VIOLATION) }
