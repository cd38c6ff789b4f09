package wayland

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// GNOMEExtension is the name of our extension for GNOME Shell.
const GNOMEExtension = "understudy@understudy"

//go:embed gnome
var gnomeExtensionFiles embed.FS

// gnomeVersions are the versions of GNOME that the extension supports, by the file that it begins
// with there.
var gnomeVersions = map[string][]string{
	"gnome/42.js": {"42", "43", "44"},
	"gnome/45.js": {"45", "46", "47", "48"},
}

// GNOMERights describes what the extension permits, and to whom.
const GNOMERights = `It reports the places and titles of your windows, and the pointer's; takes pictures of
the screen; raises, places, minimizes and closes windows; enters text as an input
method does; shows frames above the windows; and, while something of yours records
you, reports what your mouse does, and from GNOME 48 on which keys you press, those of
passwords too. It does so for programs that have read understudy-gnome in your
XDG_RUNTIME_DIR, which only yours can, and not those in a sandbox. Keys and clicks of
Understudy go by GNOME's own remote desktop, whose sign in the top bar shows while they
can, and ends them when you click it.`

// SetUpGNOME installs our extension for a person, and enables it from the next login on. It
// returns the folder.
func SetUpGNOME(ctx context.Context) (folder string, err error) {
	out, err := exec.CommandContext(ctx, "gnome-shell", "--version").Output()
	if err != nil {
		return "", &desktop.MissingError{What: "there is no GNOME Shell here: " + err.Error()}
	}
	if folder, err = gnomeFolder(); err != nil {
		return "", err
	}
	if err := WriteGNOMEExtension(folder, string(out)); err != nil {
		return "", err
	}
	return folder, enableGNOMEExtension(ctx, true)
}

// RemoveGNOME undoes SetUpGNOME. The shell ends the extension at once, and forgets it with the
// next login.
func RemoveGNOME(ctx context.Context) (folder string, err error) {
	if folder, err = gnomeFolder(); err != nil {
		return "", err
	}
	return folder, errors.Join(enableGNOMEExtension(ctx, false), os.RemoveAll(folder))
}

// gnomeFolder returns the folder where GNOME Shell looks for our extension.
func gnomeFolder() (string, error) {
	data, err := desktop.DataHome()
	return filepath.Join(data, "gnome-shell", "extensions", GNOMEExtension), err
}

// WriteGNOMEExtension writes the extension into a folder, in place of what is there, for the
// GNOME Shell with an output of --version.
func WriteGNOMEExtension(folder, said string) error {
	version, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "GNOME Shell "), ".")
	var all, those []string
	var script []byte
	for begin, versions := range gnomeVersions {
		all = append(all, versions...)
		if slices.Contains(versions, version) {
			those = versions
			script, _ = gnomeExtensionFiles.ReadFile(begin)
		}
	}
	if script == nil {
		slices.Sort(all)
		return &desktop.MissingError{
			What: fmt.Sprintf("the extension is one for GNOME %s, and this is %s", strings.Join(all, ", "), version),
			Mend: "understudy doctor --display virtual",
		}
	}
	same, err := gnomeExtensionFiles.ReadFile("gnome/desktop.js")
	if err != nil {
		return err
	}
	described, err := json.MarshalIndent(map[string]any{
		"uuid": GNOMEExtension, "name": "Understudy", "version": 1, "shell-version": those,
		"description": "Lets Understudy, and no other program, see where windows are, take pictures, raise windows and record you.",
	}, "", "  ")
	return cmp.Or(err, os.RemoveAll(folder), os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "metadata.json"), described, 0o644),
		os.WriteFile(filepath.Join(folder, "extension.js"), append(script, same...), 0o644))
}

// enableGNOMEExtension adds the extension to those that GNOME Shell loads, or removes it from
// them.
func enableGNOMEExtension(ctx context.Context, enable bool) error {
	const schema, key = "org.gnome.shell", "enabled-extensions"
	out, err := exec.CommandContext(ctx, "gsettings", "get", schema, key).Output()
	if err != nil {
		return &desktop.MissingError{What: "the settings of GNOME cannot be read: " + err.Error(), Mend: "apt-get install libglib2.0-bin"}
	}
	var enabled []string
	for quoted := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(strings.TrimSpace(string(out)), "@as "), "[]"), ",") {
		if name := strings.Trim(quoted, " '\""); name != "" && name != GNOMEExtension {
			enabled = append(enabled, "'"+name+"'")
		}
	}
	if enable {
		enabled = append(enabled, "'"+GNOMEExtension+"'")
	}
	if out, err := exec.CommandContext(ctx, "gsettings", "set", schema, key, "["+strings.Join(enabled, ", ")+"]").CombinedOutput(); err != nil {
		return fmt.Errorf("changing the settings of GNOME: %w: %s", err, out)
	}
	return nil
}
