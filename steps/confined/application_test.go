package confined

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/steps"
)

// TestApplicationsThatAreNoShell says what starts without the right to run
// commands.
func TestApplicationsThatAreNoShell(t *testing.T) {
	home, root, system := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("PATH", system+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"notepad", "vim.tiny"} {
		if err := os.WriteFile(filepath.Join(system, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	named := func(args ...string) desktop.LaunchTarget {
		return desktop.LaunchTarget{Args: args, File: filepath.Join(system, args[0])}
	}
	read := func(path, text string) desktop.LaunchTarget {
		t.Helper()
		if err := os.WriteFile(path, []byte("[Desktop Entry]\nType=Application\nName=X\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := desktop.ReadEntry(path)
		if err != nil {
			t.Fatal(err)
		}
		args := strings.SplitN(e.Exec, " ", 3) // sh -c LINE
		file, _ := exec.LookPath(args[0])
		return desktop.LaunchTarget{Args: args, File: file, Entry: e}
	}
	count := 0
	entry := func(text string) desktop.LaunchTarget {
		count++
		return read(filepath.Join(system, fmt.Sprintf("x%d.desktop", count)), text)
	}
	const utility = "\nCategories=Utility;"
	listed := []string{"xcalc", "x1"}
	linked := filepath.Join(system, "linked.desktop")
	if err := os.Symlink(filepath.Join(home, "linked.desktop"), linked); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for _, c := range []struct {
		say  string
		t    desktop.LaunchTarget
		want string // in the error; empty: it may start
	}{
		{"a terminal that the operator listed", entry("Exec=notepad\nCategories=System;TerminalEmulator;"), ""},
		{"an installed application", entry("Exec=notepad" + utility), ""},
		{"a script for a shell that is one", entry("Exec=sh -c notepad" + utility), ""},
		{"a program by its name", named("notepad"), "not an installed application"},
		{"one that the operator listed", named("xcalc"), ""},
		{"one that the operator listed, with an argument", named("xcalc", "a.txt"), "has arguments"},
		{"one by its path", desktop.LaunchTarget{Args: []string{filepath.Join(system, "notepad")}}, "is a path"},
		{"a shell", named("sh"), "not an installed application"},
		{"an editor with commands under another name", named("gview"), "not an installed application"},
		{"a smaller one", named("vim.tiny"), "not an installed application"},
		{"a wrapper of a terminal", named("koi8rxterm"), "not an installed application"},
		{"a program in the home folder that the operator listed", desktop.LaunchTarget{Args: []string{"xcalc"}, File: filepath.Join(home, "bin", "xcalc")}, "may have put it"},
		{"one in a root", desktop.LaunchTarget{Args: []string{"xcalc"}, File: filepath.Join(root, "xcalc")}, "may have put it"},
		{"one that wants a terminal", entry("Exec=notepad\nTerminal=true" + utility), "opens a terminal"},
		{"a terminal", entry("Exec=notepad\nCategories=System;TerminalEmulator;"), "category System"},
		{"one for developers", entry("Exec=notepad\nCategories=TextEditor;Development;"), "category Development"},
		{"a file manager", entry("Exec=notepad\nCategories=Utility;FileManager;"), "category FileManager"},
		{"the settings", entry("Exec=notepad\nCategories=Settings;"), "category Settings"},
		{"one without categories", entry("Exec=notepad"), "in no menu"},
		{"one that no menu shows", entry("Exec=notepad\nNoDisplay=true" + utility), "in no menu"},
		{"a launcher", entry("Exec=notepad\nComment=Find and launch applications installed on your system" + utility), "starts programs"},
		{"what runs commands", entry("Exec=notepad\nGenericName=Run a Program..." + utility), "takes commands"},
		{"one in the home folder", read(filepath.Join(home, "x.desktop"), "Exec=notepad"+utility), "may have put it"},
		{"one in a root", read(filepath.Join(root, "x.desktop"), "Exec=notepad"+utility), "may have put it"},
		{"a link to one in the home folder", read(linked, "Exec=notepad"+utility), "may have put it"},
		{"one that starts what is in a root", entry("Exec=sh -c " + filepath.Join(root, "x") + utility), "may have put it"},
		{"one whose shell starts what is in the home folder", entry("Exec=sh -c \"exec '" + filepath.Join(home, "x") + "'\"" + utility), "may have put it"},
	} {
		t.Run(c.say, func(t *testing.T) {
			err := Application(&steps.Env{Folders: steps.Folders{Roots: []string{root}}, Children: steps.Children{Applications: listed}}, c.t)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestConsolesByTheirFiles tries desktop files that name programs into which commands can be
// typed, where they are installed, under whatever name.
func TestConsolesByTheirFiles(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	found := 0
	for _, name := range []string{"xterm", "vim", "vim.gtk3", "gvim", "gview", "evim", "vim.tiny", "emacs-gtk", "emacs-lucid", "gnome-terminal", "xfce4-terminal", "bash", "zsh", "fish", "sakura"} {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		found++
		alias := filepath.Join(t.TempDir(), "notepad")
		if err := os.Symlink(file, alias); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{name}, {alias}, {"env", "A=1", alias}, {"sh", "-c", "sleep 1; exec '" + alias + "' -x"}, {"sh", "-c", "`" + alias + "`"}} {
			e := desktop.Entry{Path: "/usr/share/applications/x.desktop", ID: "x", Categories: []string{"Utility"}}
			first, _ := exec.LookPath(args[0])
			err := Application(&steps.Env{}, desktop.LaunchTarget{Args: args, File: first, Entry: e})
			if err == nil || !strings.Contains(err.Error(), "commands can be typed") {
				t.Errorf("%q: %v", args, err)
			}
		}
	}
	if found == 0 {
		t.Skip("no such program is installed")
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
	data := t.TempDir()
	for _, name := range []string{"XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "HOME"} {
		t.Setenv(name, data)
	}
	if err := os.Mkdir(filepath.Join(data, "applications"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join("applications", "run.desktop"): "[Desktop Entry]\nType=Application\nName=Run\nExec=sh %f\nCategories=Development;\n",
		"mimeapps.list": "[Default Applications]\ntext/html=run.desktop\n",
	} {
		if err := os.WriteFile(filepath.Join(data, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := "a text that an interpreter opens"
	if _, err := exec.LookPath("xdg-mime"); err != nil || runtime.GOOS != "linux" {
		page = ""
	} else if err := os.WriteFile(filepath.Join(root, "b.html"), []byte("<!doctype html><html></html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x.desktop", filepath.Join(root, "link.txt")); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for _, c := range []struct{ say, path, want string }{
		{"a text", filepath.Join(root, "a.txt"), ""},
		{page, filepath.Join(root, "b.html"), "opens with Run"},
		{"a program", filepath.Join(root, "run.sh"), "might be executed"},
		{"a desktop file", filepath.Join(root, "x.desktop"), "might be executed"},
		{"a link to one", filepath.Join(root, "link.txt"), "might be executed"},
		{"a text elsewhere", filepath.Join(outside, "b.txt"), "out of bounds"},
		{"one that is not there", filepath.Join(root, "c.txt"), "there is no file"},
		{"a path that begins anywhere", "a.txt", "the whole path"},
	} {
		t.Run(c.say, func(t *testing.T) {
			if c.say == "" {
				t.Skip("needs xdg-mime")
			}
			err := Document(&steps.Env{Folders: steps.Folders{Roots: []string{root}}}, steps.Path(c.path))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
