package fleet

import (
	"context"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A part of the fleet that is cut off goes on, and hears nothing from the others.
const (
	cutSignal  = syscall.SIGUSR1
	mendSignal = syscall.SIGUSR2
	canCut     = true
)

// cutWhenTold lets a filter of the kernel drop all that arrives at the sockets of this
// process, also at new ones, between the two signals.
func cutWhenTold(ctx context.Context) {
	told := make(chan os.Signal, 8)
	signal.Notify(told, cutSignal, mendSignal)
	go func() {
		var again <-chan time.Time
		for {
			select {
			case s := <-told:
				if again = nil; s == cutSignal {
					again = time.After(0)
				} else {
					eachSocket(func(fd int) { _ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0) }) // it has none
				}
			case <-again:
				eachSocket(dropAll)
				again = time.After(10 * time.Millisecond)
			case <-ctx.Done():
				return
			}
		}
	}()
}

func dropAll(fd int) {
	drop := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	_ = unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &drop}) // it was closed just now
}

// eachSocket does something with each connection, and each listener, of this process.
func eachSocket(do func(fd int)) {
	files, _ := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		fd, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		if family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN); err == nil && (family == unix.AF_INET || family == unix.AF_INET6) {
			do(fd)
		}
	}
}
