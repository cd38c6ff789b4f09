package local_test

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// starter shows windows in the order that its arguments say: splash, main, or
// old, which asks something in a dialog without a title at each USR1.
const starter = `
import os, signal, sys
import gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

def show(title, hint=Gdk.WindowTypeHint.NORMAL, parent=None):
    w = Gtk.Window(title=title, type_hint=hint, default_width=300, default_height=200, transient_for=parent)
    w.add(Gtk.Label(label="in " + title))
    w.show_all()
    return w

def asks():
    show("", Gdk.WindowTypeHint.DIALOG, old)
    return True

how, other = sys.argv[1], int(sys.argv[2])
if how == "old":
    old = show("Old")
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, asks)
if how == "splash":
    splash = show("Loading", Gdk.WindowTypeHint.SPLASHSCREEN)
    GLib.timeout_add(1500, lambda: (splash.destroy(), show("Main"), False)[-1])
if how == "new":
    os.kill(other, signal.SIGUSR1)
    GLib.timeout_add(1500, lambda: (show("Main"), False)[-1])
if how == "asking":
    os.kill(other, signal.SIGUSR1)
Gtk.main()
`

func TestAtLengthWhatOpensIsTheApplicationsOwnWindow(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	d := open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
	script := filepath.Join(t.TempDir(), "starter.py")
	if err := os.WriteFile(script, []byte(starter), 0o600); err != nil {
		t.Fatal(err)
	}
	opens := func(args string, more map[string]any) (pid int, title string, err *steps.Error) {
		all := map[string]any{"app_name": "/usr/bin/python3 " + script + " " + args}
		maps.Copy(all, more)
		o := kinds.OpenApplication.Run(t.Context(), &steps.Env{Desktop: d}, all)
		n, _ := o.Result["pid"].(float64)
		if n > 0 {
			t.Cleanup(func() { _ = syscall.Kill(int(n), syscall.SIGKILL) })
		}
		w, _ := o.Result["window"].(map[string]any)
		title, _ = w["title"].(string)
		return int(n), title, o.Err
	}
	if _, title, err := opens("splash 0", nil); err != nil || title != "Main" {
		t.Errorf("with a splash: opened %q (%v), want Main", title, err)
	}
	old, title, err := opens("old 0", nil)
	if err != nil || title != "Old" {
		t.Fatalf("opened %q (%v), want Old", title, err)
	}
	pid := strconv.Itoa(old)
	if _, title, err := opens("new "+pid, nil); err != nil || title != "Main" {
		t.Errorf("while an older instance asks something: opened %q (%v), want Main", title, err)
	}
	_, _, err = opens("asking "+pid, map[string]any{"timeout_ms": 4000.0})
	if err == nil || err.Code != steps.Timeout || !strings.Contains(err.Error(), `only a dialog "" of python3`) {
		t.Errorf("with nothing but the older instance's dialog: got %v", err)
	}
	_, _, err = opens("wrong", nil)
	if err == nil || err.Code != steps.Unexpected || !strings.Contains(err.Error(), "IndexError: list index out of range") {
		t.Errorf("a program that fails: got %v", err)
	}
}
