package desktop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ProcessName returns the name of the program that a process runs, or "".
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

// ProcessAliases returns the names of the program that a process runs besides the
// name of its file: the one it was started by, such as gvim for vim.gtk3, and the name
// of its script.
func ProcessAliases(pid int) (names []string) {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	if pid <= 0 || args[0] == "" {
		return nil
	}
	names = append(names, filepath.Base(args[0]))
	if !interpreter.MatchString(names[0]) {
		return names
	}
	for i, a := range args[1:] {
		switch {
		case a == "-c" || a == "-e":
			return names
		case !strings.HasPrefix(a, "-"):
			script := filepath.Base(args[1+i])
			return append(names, script, strings.TrimSuffix(script, filepath.Ext(script)))
		}
	}
	return names
}
