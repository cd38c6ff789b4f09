package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// stderrSize is how much a program may write to its standard error until that
// fails. Only what was written takes memory.
const stderrSize = 16 << 20

// newStderr returns memory of a fixed size for the standard error of a program
// that may outlive us, so that it is no pipe that breaks, and no file that
// grows; nil when there is none.
func newStderr() *os.File {
	fd, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "stderr")
	if err = f.Truncate(stderrSize); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK)
	}
	if err != nil {
		_ = f.Close()
		return nil
	}
	return f
}
