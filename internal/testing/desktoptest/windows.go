package desktoptest

import (
	"errors"
	"fmt"
	"slices"

	"understudy/internal/desktop"
)

// windows returns the windows that a window manager manages, from the bottom to the
// top.
func (k *kit) windows() []desktop.Window {
	k.Helper()
	all, err := k.System.Desktop.Windows(k.Context())
	k.must(err)
	return slices.DeleteFunc(all, func(w desktop.Window) bool { return w.Popup })
}

func (k *kit) window(title string) (w desktop.Window) {
	k.Helper()
	k.until("there is a window "+title, func() error {
		all := k.windows()
		i := slices.IndexFunc(all, func(w desktop.Window) bool { return w.Title == title })
		if i < 0 {
			return fmt.Errorf("there are %+v", all)
		}
		w = all[i]
		return nil
	})
	return w
}

func (k *kit) gone(title string) {
	k.Helper()
	k.until("there is no window "+title, func() error {
		if slices.ContainsFunc(k.windows(), func(w desktop.Window) bool { return w.Title == title }) {
			return errors.New("it is still there")
		}
		return nil
	})
}

func (k *kit) active() desktop.Window {
	k.Helper()
	active := slices.DeleteFunc(k.windows(), func(w desktop.Window) bool { return !w.Active })
	if len(active) > 1 {
		k.Fatalf("several windows are active: %+v", active)
	}
	return append(active, desktop.Window{})[0]
}

// top returns the topmost window that shows.
func (k *kit) top() desktop.Window {
	k.Helper()
	for _, w := range slices.Backward(k.windows()) {
		if !w.Minimized && !w.Hidden {
			return w
		}
	}
	return desktop.Window{}
}

// second makes the application open another window, over the canvas.
func (k *kit) second() desktop.Window {
	k.Helper()
	k.must(k.App.Do("open Second"))
	k.until("it is on top and active", func() error {
		return errors.Join(same("the top", k.top().Title, "Second"), same("the active window", k.active().Title, "Second"))
	})
	return k.window("Second")
}

func testLaunch(k *kit) {
	var app desktop.App
	k.do(desktop.Launch{App: k.Launch, Started: &app})
	w := k.window(k.Launched)
	check(k, "the process of the window", w.PID, app.PID)
	k.do(desktop.Manage{Window: w.ID, Do: desktop.Close})
	k.gone(k.Launched)
}

func testLaunchNothing(k *kit) {
	if err := k.Do(k.Context(), desktop.Launch{App: "no-such-program-anywhere"}); !errors.Is(err, desktop.ErrNotFound) {
		k.Errorf("launching nothing: %v, want not found", err)
	}
}

func testRaise(k *kit) {
	k.second()
	k.do(desktop.Manage{Window: k.window("Contract").ID, Do: desktop.Activate})
	check(k, "the window on top", k.top().Title, "Contract")
	k.click(k.middle("Canvas"))
	k.hears("press release", k.around(desktop.Left, "")...)
}

func testActive(k *kit) {
	second := k.second()
	k.do(desktop.Manage{Window: k.window("Contract").ID, Do: desktop.Activate})
	k.write("a")
	k.holds("Name", "a")
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Activate})
	check(k, "the active window", k.active().ID, second.ID)
	k.write("b")
	k.holds("In Second", "b")
	k.holds("Name", "a")
}

// isAt waits until the application and the list of windows report a window's
// position.
func (k *kit) isAt(title string, want desktop.Rect) {
	k.Helper()
	k.until("the window is there", func() error {
		return errors.Join(same("in the list", k.window(title).Bounds, want), same("to itself", k.box(title), want))
	})
}

func testPlace(k *kit) {
	second := k.second()
	size := k.box("Second")
	to := desktop.Rect{X: 620, Y: 80, W: size.W, H: size.H}
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Place, Bounds: desktop.Rect{X: to.X, Y: to.Y}})
	k.isAt("Second", to)
	to = desktop.Rect{X: 600, Y: 40, W: 420, H: 310}
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Place, Bounds: to})
	k.isAt("Second", to)
	k.writeIn("In Second", "moved")
}

func testMinimize(k *kit) {
	second := k.second()
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Minimize})
	w := k.window("Second")
	if !w.Minimized || w.Active {
		k.Errorf("a minimized window reads %+v", w)
	}
	k.until("the window below it is active", func() error { return same("the active window", k.active().Title, "Contract") })
	k.click(k.middle("Canvas")) // which it covered
	k.hears("press release", k.around(desktop.Left, "")...)
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Restore})
	if w := k.window("Second"); w.Minimized {
		k.Errorf("a restored window reads %+v", w)
	}
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Minimize})
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Activate})
	if w := k.window("Second"); w.Minimized || !w.Active {
		k.Errorf("a minimized window that was activated reads %+v", w)
	}
	k.writeIn("In Second", "back")
}

func testMaximize(k *kit) {
	second := k.second()
	before := k.box("Second")
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Maximize})
	w := k.window("Second")
	if !w.Maximized || w.Bounds.W < 2*before.W {
		k.Errorf("a maximized window reads %+v", w)
	}
	k.until("it is at rest", func() error { return same("in the list", k.window("Second").Bounds, k.box("Second")) })
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Restore})
	if w := k.window("Second"); w.Maximized {
		k.Errorf("a restored window reads %+v", w)
	}
	k.isAt("Second", before)
}

func testClose(k *kit) {
	second := k.second()
	field := k.within("In Second", desktop.Scope{Window: second.ID})
	k.do(desktop.Manage{Window: second.ID, Do: desktop.Close})
	k.hears("close", `close "Second"`)
	k.gone("Second")
	if err := k.Do(k.Context(), desktop.Manage{Window: second.ID, Do: desktop.Activate}); !errors.Is(err, desktop.ErrNotFound) {
		k.Errorf("activating a closed window: %v, want not found", err)
	}
	if _, err := k.Refresh(k.Context(), field.Handle); !errors.Is(err, desktop.ErrNotFound) {
		k.Errorf("reading what was in a closed window: %v, want not found", err)
	}
	k.until("the other window is active", func() error { return same("the active window", k.active().Title, "Contract") })
}
