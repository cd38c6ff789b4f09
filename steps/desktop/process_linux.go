package desktop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ProcessName is the name of the program that a process runs, or "".
func ProcessName(pid int) string {
	if pid <= 0 {
		return ""
	}
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
		return filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(comm))
}
