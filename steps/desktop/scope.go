package desktop

import "strings"

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
// the ending ".exe", or ".bin" of a program that a launcher starts.
func ProgramName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".exe"), ".bin")
}
