package confined

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
)

// Application returns an error if starting a program amounts to running commands. It
// allows what a menu shows, is installed for all users, and by its categories and its
// programs neither takes commands nor starts other programs; and what the operator listed.
// In the roots and in the home folder applications could have saved anything.
func Application(env *steps.Env, t desktop.LaunchTarget) error {
	name, named := t.Entry.ID, t.Entry.Path == ""
	if named {
		name = t.Args[0]
	}
	switch listed := slices.Contains(env.Applications, name); {
	case named && len(t.Args) > 1:
		return fmt.Errorf("%q has arguments", name)
	case named && strings.ContainsAny(name, `/\`):
		return fmt.Errorf("%s is a path", name)
	case named && !listed:
		return fmt.Errorf("%s is not an installed application whose desktop file starts it without arguments", name)
	case !listed:
		if why := takesCommands(t.Entry); why != "" {
			return fmt.Errorf("%s %s", name, why)
		}
	}
	files := []string{t.File, t.Entry.Path}
	for _, word := range words(t.Args) {
		file, _ := exec.LookPath(word)
		if !slices.Contains(env.Applications, name) && desktop.IsConsole(file) {
			return fmt.Errorf("%s starts %s, into which commands can be typed", name, realPath(file))
		}
		files = append(files, cmp.Or(file, word))
	}
	for _, file := range files {
		if folder := changeable(env, file); folder != "" && filepath.IsAbs(file) {
			return fmt.Errorf("%s is in %s, where steps and applications may have put it", file, folder)
		}
	}
	return nil
}

// words returns the parts of arguments that may name files: a script for a shell names
// several in one argument.
func words(args []string) (all []string) {
	for _, arg := range args {
		all = append(all, strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`$(){}<>;|&=", r) })...)
	}
	return all
}

// powerful are the categories of applications that take commands or start other programs:
// terminals, tools of developers, file managers, and settings, such as those of shortcuts.
var powerful = []string{"ConsoleOnly", "Development", "FileManager", "Settings", "Shell", "System", "TerminalEmulator"}

// launching finds what a launcher says of itself; no category is for them.
var launching = regexp.MustCompile(`(?i)launcher|\b(terminal|console|shell|commands?|prompt)\b|\brun (an? |any )?(program|application|dialog)|\b(launch|start) applications installed`)

// takesCommands returns why an application, by its desktop file, may take commands or start
// other programs, or "".
func takesCommands(e desktop.Entry) string {
	switch i := slices.IndexFunc(e.Categories, func(c string) bool { return slices.Contains(powerful, c) }); {
	case e.Terminal:
		return "opens a terminal"
	case i >= 0:
		return "is of the category " + e.Categories[i] + ", whose programs take commands or start others"
	case len(e.Categories) == 0 || e.NoDisplay:
		return "is shown in no menu"
	case launching.MatchString(e.About):
		return "says that it takes commands or starts programs"
	}
	return ""
}

// IsApplication reports whether a name certainly means an installed application that takes no
// commands, for whoever starts it: not a program that no menu shows.
func IsApplication(name string) (is bool) {
	for _, e := range desktop.Entries() {
		program, _, _ := strings.Cut(e.Exec, " ")
		named := strings.EqualFold(e.ID, strings.TrimSuffix(name, ".desktop")) || strings.EqualFold(e.Name, name)
		if !named && filepath.Base(program) != name {
			continue
		}
		file, _ := exec.LookPath(program)
		may := takesCommands(e) == "" && !desktop.IsConsole(file)
		if named && !may {
			return false
		}
		is = is || may
	}
	return is
}

// Document returns an error if opening a file with its default program may amount to
// running commands, or if the file may not be read.
func Document(env *steps.Env, path steps.Path) error {
	if !filepath.IsAbs(string(path)) {
		return steps.Errorf(steps.Invalid, "%s: wanted the whole path of a file", path)
	}
	if err := Opens(env, path); err != nil {
		return err
	}
	for _, e := range openers(realPath(string(path))) {
		if err := Application(env, desktop.LaunchTarget{Args: strings.Fields(e.Exec), Entry: e}); err != nil {
			return steps.Errorf(steps.Denied, "%s opens with %s: %w", path, e.Name, err).
				WithNext("ask the operator to start the server with --applications NAME, for that application, or with --toolsets core,shell")
		}
	}
	return nil
}

// Opens returns an error if a file may not be read, or if it is no document, so that
// opening it may amount to running it.
func Opens(env *steps.Env, path steps.Path) error {
	f, err := Find(env, path, "")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Root.Stat(f.Rel)
	if err != nil {
		return f.Error(err)
	}
	for _, name := range []string{f.Path, realPath(f.Path)} {
		if runtime.GOOS == "windows" || strings.EqualFold(filepath.Ext(name), ".desktop") || info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return steps.Errorf(steps.Denied, "%s is not a document, and might be executed", f.Path).
				WithNext("ask the operator to start the server with --toolsets core,shell")
		}
	}
	return nil
}

// openers returns the application that opens files like one, where the system tells: it may
// be an editor with commands, or an interpreter that runs them.
func openers(path string) []desktop.Entry {
	sort, _ := exec.Command("xdg-mime", "query", "filetype", path).Output()
	id, _ := exec.Command("xdg-mime", "query", "default", string(bytes.TrimSpace(sort))).Output()
	entries := desktop.Entries()
	i := slices.IndexFunc(entries, func(e desktop.Entry) bool { return e.ID+".desktop" == string(bytes.TrimSpace(id)) })
	if i < 0 {
		return nil
	}
	return entries[i : i+1]
}

// changeable returns the folder that holds a file and that steps or the applications of
// the user can change, or "".
func changeable(env *steps.Env, file string) string {
	folders := slices.Clone(env.Roots)
	if home, err := os.UserHomeDir(); err == nil && home != filepath.Dir(home) {
		folders = append(folders, home)
	}
	for _, folder := range folders {
		for _, at := range []string{file, realPath(file)} {
			for _, in := range []string{folder, realPath(folder)} {
				if rel, err := filepath.Rel(in, at); err == nil && file != "" && filepath.IsLocal(rel) {
					return folder
				}
			}
		}
	}
	return ""
}
