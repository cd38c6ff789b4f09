package desktop

import (
	"slices"
	"strconv"
	"strings"
)

// Admits says whether a window belongs to the scope, going by its program and its
// title. The case of either does not matter; a title needs only to hold the scope's.
func (s Scope) Admits(w *Window) bool {
	if s.Process != "" && !IsCalled(s.Process, w.PID, w.Process, w.Aliases) {
		return false
	}
	return s.Title == "" || strings.Contains(strings.ToLower(w.Title), strings.ToLower(s.Title))
}

// IsCalled says whether a program is meant by what a document calls it: the number of
// its process, its name, one of its aliases, or the id of a desktop file that starts it.
func IsCalled(wanted string, pid int, name string, aliases []string) bool {
	if pid != 0 && wanted == strconv.Itoa(pid) {
		return true
	}
	called := func(wanted string) bool {
		return ProgramName(name) == wanted || slices.ContainsFunc(aliases, func(a string) bool { return ProgramName(a) == wanted })
	}
	if called(ProgramName(wanted)) {
		return true
	}
	program := entryProgram(wanted)
	return program != "" && called(ProgramName(program))
}

// ProgramName is a program's name as it is compared: in lower case, without
// the ending ".exe", ".bin" of a program that a launcher starts, or ".desktop",
// and of an application's id (org.xfce.mousepad) only the last word.
func ProgramName(name string) string {
	name = strings.ToLower(name)
	for _, ending := range []string{".exe", ".bin", ".desktop"} {
		name = strings.TrimSuffix(name, ending)
	}
	if words := strings.Split(name, "."); len(words) > 2 && slices.Contains([]string{"org", "com", "net", "io", "de"}, words[0]) {
		return words[len(words)-1]
	}
	return name
}
