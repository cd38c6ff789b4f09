package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// unlock does nothing: a lock ends when the file is closed.
func unlock(*os.File) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
