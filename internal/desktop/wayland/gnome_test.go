//go:build linux

package wayland_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// In a session of GNOME the pointer is where it was moved, and pictures show what our extension
// draws, until we end.
func TestAtLengthGNOMEIsSeenAndTouched(t *testing.T) {
	g := virtualtest.StartGNOME(t, 1)
	g.Enter(t)
	driver, err := wayland.Open(t.Context(), wayland.Options{Display: g.Wayland})
	if err != nil {
		t.Fatal(err)
	}
	d := driver.Desktop()
	for _, to := range []desktop.Point{{X: 1, Y: 1}, {X: 641, Y: 377}, {X: 1279, Y: 899}} {
		if err := d.Do(t.Context(), desktop.MovePointer{To: to}); err != nil {
			t.Fatal(err)
		}
		var told [3]int
		if err := g.Eval(&told, "global.get_pointer()"); err != nil || told[0] != to.X || told[1] != to.Y {
			t.Errorf("the shell says that the pointer is at %v (%v), want %s", told, err, to)
		}
		if at, err := d.PointerPosition(t.Context()); err != nil || at != to {
			t.Errorf("the pointer is said to be at %s, %v, want %s", at, err, to)
		}
	}
	if err := g.Eval(nil, "Main.overview.show()"); err != nil {
		t.Fatal(err)
	}
	all, err := d.Windows(t.Context())
	if top := all.PressedAt(desktop.Point{X: 641, Y: 377}); err != nil || top == nil || top.Title != "GNOME Shell" || top.Real() {
		t.Errorf("while the overview shows, %+v (%v) is on top, want something of the shell", top, err)
	}
	if err := g.Eval(nil, "Main.overview.hide()"); err != nil {
		t.Fatal(err)
	}
	area := desktop.Rect{X: 300, Y: 400, W: 50, H: 40}
	red := func(d *desktop.Desktop) bool {
		picture, err := d.Capture(t.Context(), desktop.Rect{X: 290, Y: 390, W: 70, H: 60})
		if err != nil || picture.Rect.Dx() != 70 || picture.Rect.Dy() != 60 {
			t.Fatalf("got a picture of %v (%v), want 70x60", picture, err)
		}
		c := picture.RGBAAt(8, 30) // the frame is three points wide, around the area
		return c.R > 200 && c.G < 100
	}
	if err := d.Do(t.Context(), desktop.Mark{Area: area}); err != nil || !red(d) {
		t.Errorf("the mark is not in the picture (%v)", err)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
	another, deadline := open(t, g.Session), scratch.Deadline(t)
	for red(another) {
		if time.Now().After(deadline) {
			t.Fatal("the mark is there 30 s after its driver was closed")
		}
	}
}

// When the screen is locked, GNOME ends the extension; after that it is used again.
func TestAtLengthGNOMEIsSeenAgainAfterItWasLocked(t *testing.T) {
	g := virtualtest.StartGNOME(t, 1)
	d := open(t, g.Session)
	do := func(what string) {
		t.Helper()
		if err := g.Eval(nil, `Main.extensionManager.`+what+`Extension("understudy@understudy")`); err != nil {
			t.Fatal(err)
		}
	}
	await := func(want bool) {
		t.Helper()
		for deadline := scratch.Deadline(t); ; time.Sleep(5 * time.Millisecond) {
			_, err := d.Windows(t.Context())
			if (err == nil) == want && (want || errors.Is(err, desktop.ErrUnavailable)) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the windows are told: %v, want %v", err, want)
			}
		}
	}
	do("disable")
	await(false)
	do("enable")
	await(true)
	if err := d.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 41, Y: 77}}); err != nil {
		t.Error(err)
	}
}

// The extension refuses everything to a program that does not know the token, which only programs of
// the same person can read.
func TestAtLengthGNOMEAnswersOnlyWhoKnowsTheToken(t *testing.T) {
	g := virtualtest.StartGNOME(t, 1)
	bus, err := dbus.Connect(g.Bus)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	shell := bus.Object("org.gnome.Shell", "/org/understudy/Desktop")
	refused := func(when string) {
		t.Helper()
		for method, args := range map[string][]any{
			"State": {}, "Settle": {false, false}, "Plain": {}, "Kinds": {}, "Watch": {}, "At": {int32(1), int32(1)}, "Commit": {"x"}, "Remove": {uint32(1)},
			"Manage":  {uint32(1), "close", struct{ X, Y, W, H int32 }{}},
			"Picture": {struct{ X, Y, W, H int32 }{0, 0, 9, 9}},
			"Lay":     {struct{ X, Y, W, H int32 }{0, 0, 1, 1}, []byte{1, 2, 3, 4}, false},
		} {
			var told dbus.Error
			if err := shell.Call("org.understudy.Desktop1."+method, 0, args...).Err; !errors.As(err, &told) || told.Name != "org.freedesktop.DBus.Error.AccessDenied" {
				t.Errorf("%s, %s: got %v, want that access is denied", when, method, err)
			}
		}
	}
	refused("without a token")
	if err := shell.Call("org.understudy.Desktop1.Open", 0, "a guess").Err; err == nil {
		t.Error("a guess is taken for the token")
	}
	refused("after a guess")
	token := filepath.Join(g.Dir, "understudy-gnome")
	if info, err := os.Stat(token); err != nil || info.Mode().Perm() != 0o600 || info.Size() < 64 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	if err := g.Eval(nil, `Main.extensionManager.disableExtension("understudy@understudy")`); err != nil {
		t.Fatal(err)
	}
	for err = nil; !errors.Is(err, os.ErrNotExist); _, err = os.Stat(token) {
	}
}

// Without the extension the error names the command that installs it.
func TestAtLengthGNOMEWithoutTheExtension(t *testing.T) {
	g := virtualtest.StartGNOMEWithout(t)
	g.Enter(t)
	_, err := wayland.Open(t.Context(), wayland.Options{Display: g.Wayland})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || !missing.Wayland || !missing.Setup || missing.Mend != "understudy setup gnome" {
		t.Errorf("got %v", err)
	}
}

// The setup leaves the other extensions of a person enabled, and can be undone.
func TestAtLengthGNOMEIsSetUp(t *testing.T) {
	virtualtest.Need(t, "gnome-shell", "gsettings")
	home := t.TempDir()
	for name, value := range map[string]string{"XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "HOME": home, "GSETTINGS_BACKEND": "keyfile"} {
		t.Setenv(name, value)
	}
	enabled := func() string {
		out, err := exec.Command("gsettings", "get", "org.gnome.shell", "enabled-extensions").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	var folder string
	for _, row := range []struct{ before, after, removed string }{
		{"[]", "['understudy@understudy']", "@as []"},
		{"['other@one', 'understudy@understudy']", "['other@one', 'understudy@understudy']", "['other@one']"},
	} {
		if out, err := exec.Command("gsettings", "set", "org.gnome.shell", "enabled-extensions", row.before).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var err error
		if folder, err = wayland.SetUpGNOME(t.Context()); err != nil || enabled() != row.after {
			t.Errorf("of %s: %v, %s is enabled, want %s", row.before, err, enabled(), row.after)
		}
		for _, file := range []string{"metadata.json", "extension.js"} {
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
				t.Error(err)
			}
		}
		if _, err := wayland.RemoveGNOME(t.Context()); err != nil || enabled() != row.removed {
			t.Errorf("of %s: %v, %s is enabled after it was removed, want %s", row.before, err, enabled(), row.removed)
		}
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
