package local

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// desktopFileTarget returns the program that the desktop file with an ID or a path
// starts, or the application with a name.
func desktopFileTarget(app string) (desktop.LaunchTarget, error) {
	if strings.ContainsRune(app, filepath.Separator) {
		e, err := desktop.ReadEntry(app)
		if err != nil {
			return desktop.LaunchTarget{}, err
		}
		return startedBy(e)
	}
	want := strings.ToLower(strings.TrimSuffix(app, ".desktop"))
	entries := desktop.Entries()
	i := slices.IndexFunc(entries, func(e desktop.Entry) bool { return strings.ToLower(e.ID) == want })
	if i < 0 {
		i = slices.IndexFunc(entries, func(e desktop.Entry) bool { return strings.ToLower(e.Name) == want })
	}
	if i < 0 {
		return desktop.LaunchTarget{}, fmt.Errorf("application %q: %w", app, desktop.ErrNotFound)
	}
	return startedBy(entries[i])
}

// entryOf returns what the application of a program starts, if its desktop file gives the
// program no arguments; otherwise the program itself.
func entryOf(program desktop.LaunchTarget) desktop.LaunchTarget {
	for _, e := range desktop.Entries() {
		t, err := startedBy(e)
		if err == nil && !e.NoDisplay && len(t.Args) == 1 && len(program.Args) == 1 && t.File == program.File {
			return t
		}
	}
	return program
}

// installed returns the applications that can be started: the IDs of their desktop
// files, and the names of their programs, in lower case.
func installed() (all []string) {
	for _, e := range desktop.Entries() {
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

// startedBy returns the program that a desktop file starts.
func startedBy(e desktop.Entry) (desktop.LaunchTarget, error) {
	args, err := commandOf(e)
	if err != nil {
		return desktop.LaunchTarget{}, err
	}
	file, _ := exec.LookPath(args[0])
	return desktop.LaunchTarget{Args: args, File: file, Entry: e}, nil
}

// commandOf returns the command line of a desktop file, without the placeholders for
// files and addresses.
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
