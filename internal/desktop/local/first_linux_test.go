package local_test

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// Qt 5 looks for the accessibility bus once, when it starts. On a fresh display
// it must be told even where a Wayland display is named.
func TestTheFirstProgramOfAFreshDisplayShowsItsElements(t *testing.T) {
	for _, row := range []struct{ program, wayland, element string }{
		{"featherpad --standalone", "", "File"},
		{"featherpad --standalone", "wayland-0", "File"},
		{"gtk4-widget-factory", "", "Page _1"},
		{"qt6ct", "wayland-0", "Apply"},
	} {
		t.Run(row.program+" "+row.wayland, func(t *testing.T) {
			virtualtest.Need(t, strings.Fields(row.program)[0])
			t.Setenv("WAYLAND_DISPLAY", row.wayland)
			d := open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
			var app desktop.App
			err := d.Do(t.Context(), desktop.Launch{App: row.program, Started: &app})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(app.PID, syscall.SIGKILL) })
			ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
			defer cancel()
			for !shows(ctx, t, d, app.PID, row.element) {
			}
		})
	}
}

// shows says whether an element of a program is there.
func shows(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int, name string) bool {
	t.Helper()
	tree, err := d.Tree(ctx, desktop.Scope{PID: pid})
	if err != nil {
		t.Fatal("waiting for the element: ", err)
	}
	found := false
	tree.Walk(func(e *desktop.Element) bool {
		found = found || e.Name == name
		return !found
	})
	return found
}
