package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// unlock does nothing, because closing the file releases the lock.
func unlock(*os.File) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
