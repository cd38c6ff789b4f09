package local

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps/desktop"
)

// entry is what a desktop file says of an application.
type entry struct {
	path     string
	id       string // the file's name without ".desktop"
	name     string
	exec     string
	terminal bool // it runs in a terminal
	console  bool // it is a terminal
	hidden   bool
}

// desktopFileTarget is what the desktop file with an id or a path starts, or the
// application with a name.
func desktopFileTarget(app string) (desktop.LaunchTarget, error) {
	if strings.ContainsRune(app, filepath.Separator) {
		e, err := readEntry(app)
		if err != nil {
			return desktop.LaunchTarget{}, err
		}
		return e.target()
	}
	want := strings.ToLower(strings.TrimSuffix(app, ".desktop"))
	var named *entry
	for _, path := range desktopFiles() {
		e, err := readEntry(path)
		if err != nil || e.hidden || e.exec == "" {
			continue
		}
		if strings.ToLower(e.id) == want {
			return e.target()
		}
		if named == nil && strings.ToLower(e.name) == want {
			named = &e
		}
	}
	if named == nil {
		return desktop.LaunchTarget{}, fmt.Errorf("application %q: %w", app, desktop.ErrNotFound)
	}
	return named.target()
}

// installed are the applications that can be started: the ids of their desktop files,
// and the names of their programs, in small letters.
func installed() (all []string) {
	for _, path := range desktopFiles() {
		e, err := readEntry(path)
		if err != nil || e.hidden || e.exec == "" {
			continue
		}
		target, err := e.target()
		if err != nil || target.File == "" {
			continue
		}
		all = append(all, strings.ToLower(e.id))
		if !e.terminal {
			all = append(all, strings.ToLower(filepath.Base(target.File)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// target is what a desktop file starts.
func (e *entry) target() (desktop.LaunchTarget, error) {
	args, err := e.command()
	if err != nil {
		return desktop.LaunchTarget{}, err
	}
	file, _ := exec.LookPath(args[0])
	return desktop.LaunchTarget{Args: args, File: file, Entry: e.path, Terminal: e.terminal || e.console}, nil
}

// desktopFiles are the files of all applications, the user's own first.
func desktopFiles() []string {
	own := cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(os.Getenv("HOME"), ".local", "share"))
	shared := cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")
	var files []string
	for _, dir := range append([]string{own}, filepath.SplitList(shared)...) {
		_ = filepath.WalkDir(filepath.Join(dir, "applications"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".desktop") {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// readEntry reads the main section of a desktop file.
func readEntry(path string) (entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	e := entry{path: path, id: strings.TrimSuffix(filepath.Base(path), ".desktop")}
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

func (e *entry) set(key, value string) {
	switch key {
	case "Name":
		e.name = value
	case "Exec":
		e.exec = value
	case "Terminal":
		e.terminal = value == "true"
	case "Categories":
		e.console = slices.Contains(strings.Split(value, ";"), "TerminalEmulator")
	case "Hidden":
		e.hidden = value == "true"
	case "Type":
		e.hidden = e.hidden || value != "Application"
	}
}

// command is what to run. The places for files and addresses stay empty.
func (e *entry) command() ([]string, error) {
	words, err := splitCommand(e.exec)
	if err != nil {
		return nil, fmt.Errorf("desktop file %s: %w", e.id, err)
	}
	var args []string
	if e.terminal {
		args = append(args, "x-terminal-emulator", "-e")
	}
	for _, w := range words {
		switch {
		case w == "%c":
			args = append(args, e.name)
		case len(w) == 2 && w[0] == '%' && w[1] != '%':
		default:
			args = append(args, strings.ReplaceAll(w, "%%", "%"))
		}
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("desktop file %s names no program: %w", e.id, desktop.ErrNotFound)
	}
	return args, nil
}
