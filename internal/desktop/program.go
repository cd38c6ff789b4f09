package desktop

import (
	"bufio"
	"cmp"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// DataHome returns the folder for the data of the user's programs.
func DataHome() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// EntryFolders returns the folders of desktop files, the user's own first.
func EntryFolders() (folders []string) {
	if own, err := DataHome(); err == nil {
		folders = append(folders, own)
	}
	folders = append(folders, filepath.SplitList(cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share"))...)
	for i := range folders {
		folders[i] = filepath.Join(folders[i], "applications")
	}
	return folders
}

// An Entry is the content of an application's desktop file.
type Entry struct {
	Path       string
	ID         string // the file's name without ".desktop"
	Name       string
	About      string // its names, comment and keywords in the language of the program
	Exec       string
	Class      string // of its windows
	Categories []string
	Terminal   bool // it runs in a terminal
	NoDisplay  bool // no menu shows it
	Hidden     bool
}

// Entries reads the desktop files of all applications, the user's own first.
func Entries() (entries []Entry) {
	for _, dir := range EntryFolders() {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".desktop") {
				return nil
			}
			if e, err := ReadEntry(path); err == nil && !e.Hidden && e.Exec != "" {
				entries = append(entries, e)
			}
			return nil
		})
	}
	return entries
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
	case "Name", "GenericName", "Comment", "Keywords":
		e.About += value + "\n"
		if key == "Name" {
			e.Name = value
		}
	case "Exec":
		e.Exec = value
	case "StartupWMClass":
		e.Class = value
	case "Terminal":
		e.Terminal = value == "true"
	case "Categories":
		e.Categories = slices.DeleteFunc(strings.Split(value, ";"), func(c string) bool { return c == "" })
	case "NoDisplay":
		e.NoDisplay = value == "true"
	case "Hidden":
		e.Hidden = value == "true"
	case "Type":
		e.Hidden = e.Hidden || value != "Application"
	}
}

// consoleLibrary matches those of terminals, of shells, of editors with a command line, and of
// menus of programs.
var consoleLibrary = regexp.MustCompile(`^lib(vte|tinfo|ncursesw?|readline|edit|garcon)\b|^libqtermwidget`)

// IsConsole reports whether commands can be typed into a program, by the libraries of its file
// as it is after all links.
func IsConsole(file string) bool {
	f, err := elf.Open(file)
	if err != nil {
		return false // a script, for one
	}
	defer f.Close()
	libraries, _ := f.ImportedLibraries()
	return slices.ContainsFunc(libraries, consoleLibrary.MatchString)
}

// terminals returns, for each installed terminal, what recognises its processes.
var terminals = sync.OnceValue(func() (called []func(pid int, name string, aliases []string) bool) {
	for _, e := range Entries() {
		if slices.Contains(e.Categories, "TerminalEmulator") {
			called = append(called, Program(e.ID))
		}
	}
	return called
})

// IsConsole reports whether commands can be typed into a window, by its program.
func (w *Window) IsConsole() bool {
	return IsConsole(fmt.Sprintf("/proc/%d/exe", w.PID)) || slices.ContainsFunc(terminals(), func(called func(int, string, []string) bool) bool {
		return called(w.PID, w.Process, append(slices.Clone(w.Aliases), w.Class))
	})
}

// interpreter matches programs that people do not name, but the script they run.
var interpreter = regexp.MustCompile(`^(python|perl|ruby|node|nodejs|gjs|java|mono|sh|bash|dash|env|flatpak)[\d.]*$`)

// entryProgram returns the name of the program that the desktop file with an ID
// starts, or "". It is the class of its windows, if the file names one, because
// several applications may share a program.
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

// IsCalled reports whether a document's name for a program means this one: it may be
// the process ID, the program's name, one of its aliases, or the ID of a desktop file
// that starts it.
func IsCalled(wanted string, pid int, name string, aliases []string) bool {
	return Program(wanted)(pid, name, aliases)
}

// Program is IsCalled for many programs: it reads the desktop file at most once.
func Program(wanted string) func(pid int, name string, aliases []string) bool {
	entry := sync.OnceValue(func() string { return entryProgram(wanted) })
	return func(pid int, name string, aliases []string) bool {
		if pid != 0 && wanted == strconv.Itoa(pid) {
			return true
		}
		called := func(wanted string) bool {
			return ProgramName(name) == wanted || slices.ContainsFunc(aliases, func(a string) bool { return ProgramName(a) == wanted })
		}
		return called(ProgramName(wanted)) || entry() != "" && called(ProgramName(entry()))
	}
}

// ProgramName normalises a program's name for comparison: in lower case, without the
// ending ".exe", ".bin" (of a program that a launcher starts) or ".desktop", and only
// the last word of an application's ID (org.xfce.mousepad).
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
