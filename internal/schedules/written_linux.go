package schedules

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// isWritten says whether a program has a file open to write: then the kernel gives
// nobody a lease to read it. Where it gives leases on no file, it says no.
func isWritten(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe in its place must not hold us
	if err != nil {
		return true // it is looked at again
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
