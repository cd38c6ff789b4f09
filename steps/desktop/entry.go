package desktop

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// interpreter is a program that people do not name, but what it runs.
var interpreter = regexp.MustCompile(`^(python|perl|ruby|node|nodejs|gjs|java|mono|sh|bash|dash|env|flatpak)[\d.]*$`)

// entryProgram is the program that the desktop file with an id starts, or "": the class
// of its windows, where it names one, for several applications may share a program.
func entryProgram(id string) string {
	id = strings.TrimSuffix(id, ".desktop")
	if id == "" || strings.ContainsAny(id, `/\`) {
		return ""
	}
	own := cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(os.Getenv("HOME"), ".local", "share"))
	shared := cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")
	for _, dir := range append([]string{own}, filepath.SplitList(shared)...) {
		text, err := os.ReadFile(filepath.Join(dir, "applications", id+".desktop"))
		if err != nil {
			continue
		}
		said := map[string]string{}
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && said[key] == "" { // actions follow the entry
				said[key] = value
			}
		}
		program, _, _ := strings.Cut(said["Exec"], " ")
		program = filepath.Base(program)
		if interpreter.MatchString(program) {
			program = ""
		}
		return cmp.Or(said["StartupWMClass"], program)
	}
	return ""
}
