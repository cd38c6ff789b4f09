package local

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// writeEntry writes the desktop entry of an application into a data folder.
func writeEntry(t *testing.T, data, name, text string) {
	t.Helper()
	path := filepath.Join(data, "applications", name+".desktop")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("[Desktop Entry]\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestApplicationsAreFound(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_DATA_DIRS", t.TempDir())
	writeEntry(t, dir, "org.example.Pad", "Type=Application\nName=Note Pad\nName[de]=Notizen\nExec=pad --new \"my file\" %U\n[Desktop Action x]\nExec=other")
	writeEntry(t, dir, "shell", "Type=Application\nName=Shell\nExec=sh %c 100%%\nTerminal=true")
	writeEntry(t, dir, "console", "Type=Application\nName=Console\nExec=console-app\nCategories=GTK;System;TerminalEmulator;")
	writeEntry(t, dir, "gone", "Type=Application\nName=Gone\nExec=gone\nHidden=true")
	for _, row := range []struct {
		sentence, app string
		want          []string
	}{
		{"by the id", "org.example.Pad", []string{"pad", "--new", "my file"}},
		{"by the file's name", "org.example.Pad.desktop", []string{"pad", "--new", "my file"}},
		{"by the name in menus, whatever its case", "note pad", []string{"pad", "--new", "my file"}},
		{"by the path of the file", filepath.Join(dir, "applications", "org.example.Pad.desktop"), []string{"pad", "--new", "my file"}},
		{"in a terminal when it wants one", "Shell", []string{"x-terminal-emulator", "-e", "sh", "Shell", "100%"}},
		{"a terminal is known as one", "console", []string{"console-app"}},
		{"by a command before all", "sh -c 'exit 3'", []string{"sh", "-c", "exit 3"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := targetOf(row.app, desktop.Setting{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got.Args); diff != "" {
				t.Error(diff)
			}
			if (got.Entry.Path == "") != (row.app == "sh -c 'exit 3'") || got.Entry.Terminal != (row.app == "Shell") || slices.Contains(got.Entry.Categories, "TerminalEmulator") != (row.app == "console") {
				t.Errorf("it comes from %+v", got.Entry)
			}
		})
	}
	for _, app := range []string{"", "Gone", "no such thing", "missing.desktop", `"`} {
		if got, err := targetOf(app, desktop.Setting{}); err == nil {
			t.Errorf("%q gave %q", app, got.Args)
		}
	}
}

// TestInstalledApplications holds which names doctor tells of applications.
func TestInstalledApplications(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_DATA_DIRS", data)
	for name, text := range map[string]string{
		"org.example.Editor": "Name=Editor\nType=Application\nExec=sh -c true %U",
		"gone":               "Name=Gone\nType=Application\nExec=no-such-program-here",
		"hidden":             "Name=Hidden\nType=Application\nHidden=true\nExec=sh",
	} {
		writeEntry(t, data, name, text)
	}
	if diff := cmp.Diff([]string{"org.example.editor", "sh"}, installed()); diff != "" {
		t.Error(diff)
	}
}
