package confined

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/desktop"
)

// TestApplicationsThatAreNoShell says what starts without the right to run
// commands.
func TestApplicationsThatAreNoShell(t *testing.T) {
	home, root, system := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	link := filepath.Join(system, "editor")
	for _, name := range []string{"busybox", "notepad"} {
		if err := os.WriteFile(filepath.Join(system, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(system, "busybox"), link); err != nil {
		t.Skip("this system makes no links:", err)
	}
	named := func(args ...string) desktop.LaunchTarget {
		return desktop.LaunchTarget{Args: args, File: filepath.Join(system, args[0])}
	}
	entry := func(file string, terminal bool, args ...string) desktop.LaunchTarget {
		return desktop.LaunchTarget{Args: args, File: filepath.Join(system, args[0]), Entry: file, Terminal: terminal}
	}
	installed := filepath.Join(system, "x.desktop")
	for _, c := range []struct {
		say  string
		t    desktop.LaunchTarget
		want string // in the error; empty: it may start
	}{
		{"a program by its name", named("notepad"), ""},
		{"one with an argument", named("notepad", "a.txt"), "has arguments"},
		{"one by its path", desktop.LaunchTarget{Args: []string{filepath.Join(system, "notepad")}}, "is a path"},
		{"a shell", named("sh"), "runs commands"},
		{"a shell in capital letters", named("BASH.exe"), "runs commands"},
		{"an interpreter with a version", named("python3.12"), "runs commands"},
		{"what starts other programs", named("env"), "runs commands"},
		{"a terminal", named("xterm"), "typed into it"},
		{"what a link calls by another name", named("editor"), "runs commands"},
		{"a program in the home folder", desktop.LaunchTarget{Args: []string{"x"}, File: filepath.Join(home, "bin", "x")}, "may have put it"},
		{"a program in a root", desktop.LaunchTarget{Args: []string{"x"}, File: filepath.Join(root, "x")}, "may have put it"},
		{"an installed desktop file, whatever it starts", entry(installed, false, "sh", "-c", "notepad"), ""},
		{"one that wants a terminal", entry(installed, true, "notepad"), "opens a terminal"},
		{"one that starts a terminal", entry(installed, false, "env", "A=1", "/usr/bin/xterm"), "typed into it"},
		{"one in the home folder", entry(filepath.Join(home, ".local", "x.desktop"), false, "notepad"), "may have put it"},
		{"one in a root", entry(filepath.Join(root, "x.desktop"), false, "notepad"), "may have put it"},
	} {
		t.Run(c.say, func(t *testing.T) {
			err := Application(&steps.Env{Folders: steps.Folders{Roots: []string{root}}}, c.t)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestProgramNames holds the lists to the form in which names are compared.
func TestProgramNames(t *testing.T) {
	for _, list := range [][]string{consoles, runners} {
		for _, name := range list {
			if programName(name) != name || slices.Contains(consoles, name) && slices.Contains(runners, name) {
				t.Errorf("%s is in the lists twice, or never found", name)
			}
		}
	}
}

// TestDocumentsThatAreNoProgram says which files may be opened with the program
// for their sort.
func TestDocumentsThatAreNoProgram(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(root, "a.txt"): 0o600, filepath.Join(root, "run.sh"): 0o700, filepath.Join(root, "x.desktop"): 0o600, filepath.Join(outside, "b.txt"): 0o600,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("x.desktop", filepath.Join(root, "link.txt")); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for _, c := range []struct{ say, path, want string }{
		{"a text", filepath.Join(root, "a.txt"), ""},
		{"a program", filepath.Join(root, "run.sh"), "might be run"},
		{"a desktop file", filepath.Join(root, "x.desktop"), "might be run"},
		{"a link to one", filepath.Join(root, "link.txt"), "might be run"},
		{"a text elsewhere", filepath.Join(outside, "b.txt"), "out of bounds"},
		{"one that is not there", filepath.Join(root, "c.txt"), "there is no file"},
		{"a path that begins anywhere", "a.txt", "the whole path"},
	} {
		t.Run(c.say, func(t *testing.T) {
			err := Document(&steps.Env{Folders: steps.Folders{Roots: []string{root}}}, steps.Path(c.path))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
