//go:build !linux

package sandbox

import (
	"net"
	"os/exec"
)

// Confine does nothing here.
func Confine(*exec.Cmd, []string) error { return nil }

// Launched always reports false here.
func Launched([]string) bool { return false }

// Launch is never called here.
func Launch([]string) int { return 126 }

// Temp creates no folder here: programs use the one of the system.
func Temp() (dir string, remove func(), err error) { return "", func() {}, nil }

// Report describes what is missing here.
func Report() (detail, mend string) {
	return "this system has no Landlock: commands of clients may write wherever you may", "leave the toolset shell out for clients that you do not trust"
}

// CheckPeer returns nil here: no process is confined.
func CheckPeer(net.Conn) error { return nil }

// CheckHolder returns nil here: no process is confined.
func CheckHolder(uint32) error { return nil }
