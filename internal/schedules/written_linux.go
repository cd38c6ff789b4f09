package schedules

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// isWritten reports whether a program has a file open for writing: then the kernel
// refuses a read lease on it. It reports false if the file system has no leases.
func isWritten(folder *os.Root, name string) bool {
	f, err := folder.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe in its place must not block us
	if err != nil {
		return true // it is polled again
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
