package local

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps/desktop"
)

// desktopFileTarget is what the desktop file with an id or a path starts, or the
// application with a name.
func desktopFileTarget(app string) (desktop.LaunchTarget, error) {
	if strings.ContainsRune(app, filepath.Separator) {
		e, err := desktop.ReadEntry(app)
		if err != nil {
			return desktop.LaunchTarget{}, err
		}
		return startedBy(e)
	}
	want := strings.ToLower(strings.TrimSuffix(app, ".desktop"))
	var named *desktop.Entry
	for _, path := range desktopFiles() {
		e, err := desktop.ReadEntry(path)
		if err != nil || e.Hidden || e.Exec == "" {
			continue
		}
		if strings.ToLower(e.ID) == want {
			return startedBy(e)
		}
		if named == nil && strings.ToLower(e.Name) == want {
			named = &e
		}
	}
	if named == nil {
		return desktop.LaunchTarget{}, fmt.Errorf("application %q: %w", app, desktop.ErrNotFound)
	}
	return startedBy(*named)
}

// installed are the applications that can be started: the ids of their desktop files,
// and the names of their programs, in small letters.
func installed() (all []string) {
	for _, path := range desktopFiles() {
		e, err := desktop.ReadEntry(path)
		if err != nil || e.Hidden || e.Exec == "" {
			continue
		}
		target, err := startedBy(e)
		if err != nil || target.File == "" {
			continue
		}
		all = append(all, strings.ToLower(e.ID))
		if !e.Terminal {
			all = append(all, strings.ToLower(filepath.Base(target.File)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// startedBy is what a desktop file starts.
func startedBy(e desktop.Entry) (desktop.LaunchTarget, error) {
	args, err := commandOf(e)
	if err != nil {
		return desktop.LaunchTarget{}, err
	}
	file, _ := exec.LookPath(args[0])
	return desktop.LaunchTarget{Args: args, File: file, Entry: e.Path, Terminal: e.Terminal || e.Console}, nil
}

// desktopFiles are the files of all applications, the user's own first.
func desktopFiles() []string {
	var files []string
	for _, dir := range desktop.EntryFolders() {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".desktop") {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// commandOf is what to run. The places for files and addresses stay empty.
func commandOf(e desktop.Entry) ([]string, error) {
	words, err := splitCommand(e.Exec)
	if err != nil {
		return nil, fmt.Errorf("desktop file %s: %w", e.ID, err)
	}
	var args []string
	if e.Terminal {
		args = append(args, "x-terminal-emulator", "-e")
	}
	for _, w := range words {
		switch {
		case w == "%c":
			args = append(args, e.Name)
		case len(w) == 2 && w[0] == '%' && w[1] != '%':
		default:
			args = append(args, strings.ReplaceAll(w, "%%", "%"))
		}
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("desktop file %s names no program: %w", e.ID, desktop.ErrNotFound)
	}
	return args, nil
}
