package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// markLimit is the limit that marks a confined process, by the value 0. The kernel ignores
// it since version 2.4.25, so programs have no use for it; children inherit it, and a process
// without CAP_SYS_RESOURCE cannot raise it again.
const markLimit = unix.RLIMIT_LOCKS

// ErrConfined is the error for a caller that is confined, or may be.
var ErrConfined = errors.New("a confined command may not use what runs outside its sandbox")

// marked reports whether a process has the mark, or has ended, so that this is unknown.
// Processes of other users, which we cannot ask, were not confined by us.
func marked(pid int) bool {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, markLimit, nil, &limit)
	return err == nil && limit.Max == 0 || errors.Is(err, unix.ESRCH)
}

// CheckPeer returns ErrConfined if the process that connected a Unix socket is or may be
// confined.
func CheckPeer(c net.Conn) error {
	s, ok := c.(syscall.Conn)
	if !ok {
		return ErrConfined
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	refused := ErrConfined
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil || peer.Pid <= 0 {
			return
		}
		process, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if err == nil {
			defer unix.Close(process)
		} else if !errors.Is(err, unix.ENOPROTOOPT) {
			return // it has ended
		}
		// The number of a process that has ended may be another's by now.
		if !marked(int(peer.Pid)) && (err != nil || !errors.Is(unix.PidfdSendSignal(process, 0, nil, 0), unix.ESRCH)) {
			refused = nil
		}
	})
	return errors.Join(refused, err)
}

// CheckHolder returns ErrConfined if a confined process holds the socket with an inode. While
// any process is confined, a socket that no process is seen to hold is refused too: it may be
// on its way from one to another.
func CheckHolder(inode uint32) error {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	known, some := map[string]bool{}, false
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		known[folder] = marked(pid)
		some = some || known[folder]
	}
	if !some {
		return nil
	}
	held := false
	for folder, confined := range known {
		if !holds(folder, fmt.Sprintf("socket:[%d]", inode)) {
			continue
		}
		if confined {
			return ErrConfined
		}
		held = true
	}
	if !held {
		return ErrConfined
	}
	return nil
}

// holds reports whether a process is seen to have a file open.
func holds(folder, file string) bool {
	dir := filepath.Join(folder, "fd")
	open, _ := os.ReadDir(dir)
	for _, f := range open {
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && to == file {
			return true
		}
	}
	return false
}
