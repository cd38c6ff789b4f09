package local_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual/virtualtest"
)

// Qt 5 looks for the accessibility bus once, when it starts. On a fresh display
// it must be told even where a Wayland display is named.
func TestTheFirstProgramOfAFreshDisplayShowsItsElements(t *testing.T) {
	virtualtest.Need(t, "featherpad")
	for i, wayland := range []string{"", "wayland-0", "", "wayland-0"} {
		t.Run(fmt.Sprintf("%d %s", i, wayland), func(t *testing.T) {
			t.Setenv("WAYLAND_DISPLAY", wayland)
			d := open(t, desktop.Options{Display: "virtual", Dir: shortDir(t)})
			app, err := d.Launch(t.Context(), "featherpad --standalone")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(app.PID, syscall.SIGKILL) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for !shows(ctx, t, d, app.PID, "File") {
			}
		})
	}
}

// shows says whether a menu of a program is there.
func shows(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int, menu string) bool {
	t.Helper()
	tree, err := d.Tree(ctx, desktop.Scope{PID: pid})
	if err != nil {
		t.Fatal("waiting for the menu: ", err)
	}
	found := false
	tree.Walk(func(e *desktop.Element) bool {
		found = found || e.Name == menu
		return !found
	})
	return found
}
