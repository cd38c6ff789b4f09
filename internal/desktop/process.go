package desktop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// These read /proc. On a system without one they know no process.

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

// ProcessStat returns the fields of a process's stat file after the name of its program,
// beginning with its state and its parent: at least 20, or none if there is no such process.
func ProcessStat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	// The name is in parentheses and may hold anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return nil
	}
	return fields
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
