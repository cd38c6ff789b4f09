package desktop

import (
	"slices"
	"strings"
)

// Admits says whether a window belongs to the scope, going by the name of its
// program and its title. The case of either does not matter, nor does an
// ending ".exe" or ".bin"; a title needs only to hold the scope's.
func (s Scope) Admits(process, title string) bool {
	if s.Process != "" && ProgramName(process) != ProgramName(s.Process) {
		return false
	}
	return s.Title == "" || strings.Contains(strings.ToLower(title), strings.ToLower(s.Title))
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
