package desktop

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// DataHome is the folder of what the user's own programs keep.
func DataHome() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// EntryFolders are the folders of desktop files, the user's own first.
func EntryFolders() (folders []string) {
	own, err := DataHome()
	if err == nil {
		folders = append(folders, own)
	}
	folders = append(folders, filepath.SplitList(cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share"))...)
	for i := range folders {
		folders[i] = filepath.Join(folders[i], "applications")
	}
	return folders
}

// An Entry is what a desktop file says of an application.
type Entry struct {
	Path     string
	ID       string // the file's name without ".desktop"
	Name     string
	Exec     string
	Class    string // of its windows
	Terminal bool   // it runs in a terminal
	Console  bool   // it is a terminal
	Hidden   bool
}

// ReadEntry reads the main section of a desktop file.
func ReadEntry(path string) (Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	e := Entry{Path: path, ID: strings.TrimSuffix(filepath.Base(path), ".desktop")}
	section := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section != "[Desktop Entry]" {
			continue
		}
		e.set(strings.TrimSpace(key), strings.TrimSpace(value))
	}
	return e, nil
}

func (e *Entry) set(key, value string) {
	switch key {
	case "Name":
		e.Name = value
	case "Exec":
		e.Exec = value
	case "StartupWMClass":
		e.Class = value
	case "Terminal":
		e.Terminal = value == "true"
	case "Categories":
		e.Console = slices.Contains(strings.Split(value, ";"), "TerminalEmulator")
	case "Hidden":
		e.Hidden = value == "true"
	case "Type":
		e.Hidden = e.Hidden || value != "Application"
	}
}

// interpreter is a program that people do not name, but what it runs.
var interpreter = regexp.MustCompile(`^(python|perl|ruby|node|nodejs|gjs|java|mono|sh|bash|dash|env|flatpak)[\d.]*$`)

// entryProgram is the program that the desktop file with an id starts, or "": the class
// of its windows, where it names one, for several applications may share a program.
func entryProgram(id string) string {
	id = strings.TrimSuffix(id, ".desktop")
	if id == "" || strings.ContainsAny(id, `/\`) {
		return ""
	}
	for _, dir := range EntryFolders() {
		e, err := ReadEntry(filepath.Join(dir, id+".desktop"))
		if err != nil {
			continue
		}
		program, _, _ := strings.Cut(e.Exec, " ")
		if program = filepath.Base(program); interpreter.MatchString(program) {
			program = ""
		}
		return cmp.Or(e.Class, program)
	}
	return ""
}
