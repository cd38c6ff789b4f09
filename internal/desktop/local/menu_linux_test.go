package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// Menus are windows of their own, which no window manager knows. What is under
// a point of one is its item all the same.
func TestAPointInAMenuIsItsItem(t *testing.T) {
	for _, row := range []struct{ program, command string }{
		{"mousepad", "mousepad --disable-server"},
		{"featherpad", "featherpad --standalone"},
	} {
		t.Run(row.program, func(t *testing.T) {
			virtualtest.Need(t, row.program)
			d := open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
			var app desktop.App
			err := d.Do(t.Context(), desktop.Launch{App: row.command, Started: &app})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(app.PID, syscall.SIGKILL) })
			ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
			defer cancel()
			pullDown(ctx, t, d, app.PID, "File")
			for asked, missed := missedItems(ctx, t, d, app.PID); asked < 5 || len(missed) > 0; asked, missed = missedItems(ctx, t, d, app.PID) {
				if ctx.Err() != nil { // the menu had all the time that it takes to be drawn
					t.Fatalf("%d items were asked for, want at least 5; missed:\n%s", asked, strings.Join(missed, "\n"))
				}
				_ = desktop.Sleep(ctx, 200*time.Millisecond)
			}
		})
	}
}

// missedItems are the items of menus that are not found at their middle.
func missedItems(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int) (asked int, missed []string) {
	t.Helper()
	for _, e := range boxed(t.Context(), t, d, pid, "menuitem") {
		if e.Parent == nil || e.Parent.Role == "menubar" {
			continue
		}
		asked++
		got, err := d.ElementAt(ctx, e.Bounds.Center())
		if err != nil || got.Handle != e.Handle {
			missed = append(missed, fmt.Sprintf("in the middle of %s %q, which is at %s, is %v, %v", e.Role, e.Name, e.Bounds, got, err))
		}
	}
	return asked, missed
}

// pullDown clicks a menu until its window is there. A program that has just drawn its
// window may miss a click, and is left in peace between two looks: one that is read
// all the time does not get to open its menu.
func pullDown(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int, name string) {
	t.Helper()
	var last desktop.Rect
	scratch.Until(t, "the menu "+name+" is open", func() bool {
		for _, e := range boxed(ctx, t, d, pid, "") {
			if !strings.HasPrefix(string(e.Role), "menu") || e.Name != name || e.Window == 0 {
				continue
			}
			if e.Bounds == last { // the window has come to rest
				if err := d.Do(ctx, desktop.Click{At: last.Center(), Button: desktop.Left}); err != nil {
					t.Fatal(err)
				}
				return comesUp(ctx, t, d, pid)
			}
			last = e.Bounds
		}
		_ = desktop.Sleep(ctx, 200*time.Millisecond)
		return false
	})
}

// comesUp reports whether a click opens a menu. It waits long enough that a second click
// does not close what the first one opens.
func comesUp(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int) bool {
	t.Helper()
	for range 100 {
		if popsUp(ctx, t, d, pid) {
			return true
		}
		_ = desktop.Sleep(ctx, 100*time.Millisecond)
	}
	return false
}

// popsUp reports whether a program has a window that the window manager does not know.
func popsUp(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int) bool {
	t.Helper()
	windows, err := d.Windows(ctx)
	if err != nil {
		t.Fatal("waiting for the menu: ", err)
	}
	return slices.ContainsFunc(windows, func(w desktop.Window) bool { return w.Popup && w.PID == pid })
}

// boxed are the elements of a program that have a box.
func boxed(ctx context.Context, t *testing.T, d *desktop.Desktop, pid int, role desktop.Role) (list []*desktop.Element) {
	t.Helper()
	tree, err := d.Tree(ctx, desktop.Scope{PID: pid, Full: true})
	if err != nil {
		t.Fatal("reading the elements: ", err)
	}
	tree.Walk(func(e *desktop.Element) bool {
		if !e.Bounds.Empty() && (role == "" || e.Role == role) {
			list = append(list, e)
		}
		return true
	})
	return list
}
