package virtual

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// markerOf returns a variable in the environment of each program of a display, and of those that
// they start. By it they are found even if their parents have ended.
func markerOf(dir string) string { return "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run") }

// programsOf returns the processes that were started on the display in a folder, without those of
// this program, which hold or use displays.
func programsOf(dir string) []process {
	ours, _ := os.Readlink("/proc/self/exe")
	marker := []byte(markerOf(dir))
	all, _ := filepath.Glob("/proc/[0-9]*")
	var found []process
	for _, proc := range all {
		env, err := os.ReadFile(filepath.Join(proc, "environ"))
		if err != nil || !slices.ContainsFunc(bytes.Split(env, []byte{0}), func(v []byte) bool { return bytes.Equal(v, marker) }) {
			continue
		}
		if exe, err := os.Readlink(filepath.Join(proc, "exe")); err != nil || exe == ours {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(proc))
		if p := (process{PID: pid, Started: startOf(pid)}); p.Started != 0 {
			found = append(found, p)
		}
	}
	return found
}

// infrastructure are programs of every desktop, which nobody asked for.
var infrastructure = []string{"Xvfb", "Xephyr", "Xvnc", "Xtigervnc", "sway", "openbox", "dbus-daemon", "at-spi-bus-laun", "at-spi2-registr", "dconf-service", "dbus-launch", "gvfsd", "xclip"}

// measure fills in what is measured of the processes of a desktop.
func (k *Kept) measure() {
	k.Programs = []string{}
	for _, p := range append(programsOf(k.Dir), process{PID: k.Keeper}) {
		k.Memory += memoryOf(p.PID)
		k.Processes++
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/comm")
		if n := strings.TrimSpace(string(name)); p.PID != k.Keeper && !slices.Contains(infrastructure, n) && !slices.Contains(k.Programs, n) {
			k.Programs = append(k.Programs, n)
		}
	}
}

// memoryOf returns the memory of a process, including its share of shared memory.
func memoryOf(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}
