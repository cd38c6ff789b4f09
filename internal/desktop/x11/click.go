//go:build linux

package x11

import (
	"fmt"
	"slices"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// verifyTarget fails with desktop.ErrMoved unless the pointer is at the point of a click and
// in its window, which is where it was seen.
func (l *xConn) verifyTarget(a desktop.Click) error {
	p, err := xproto.QueryPointer(l.x, l.root).Reply()
	if err != nil {
		return err
	}
	if at := pointed(p); at != a.At {
		return fmt.Errorf("the pointer was moved to %s when it was to click at %s: %w", at, a.At, desktop.ErrMoved)
	}
	if a.In == nil {
		return nil
	}
	var now *desktop.Window
	if w := l.describe([]uint32{uint32(a.In.ID)})[0]; w.there {
		now = &w.Window
	}
	if err := input.VerifyTarget(a, now, l.inside(p.Child, xproto.Window(a.In.ID))); err != nil {
		return err
	}
	if d := l.blocker(*now); d != nil {
		return fmt.Errorf("the dialog %q came before the window %q: %w", d.Title, a.In.Title, desktop.ErrMoved)
	}
	return nil
}

// blocker returns the modal dialog that takes the input of a window, or nil.
func (l *windowTable) blocker(w desktop.Window) *desktop.Window {
	managed := l.numbers(l.root, "_NET_CLIENT_LIST_STACKING")
	i := slices.Index(managed, uint32(w.ID))
	if i < 0 { // a menu, which is above all dialogs
		return nil
	}
	windows := desktop.Windows{w}
	for _, above := range l.describe(managed[i+1:]) {
		if above.there {
			windows = append(windows, above.Window)
		}
	}
	return windows.Blocker(w.ID)
}

// inside reports whether a window is another one, or a descendant of it.
func (l *server) inside(frame, w xproto.Window) bool {
	for w != 0 && w != l.root {
		if w == frame {
			return true
		}
		tree, err := xproto.QueryTree(l.x, w).Reply()
		if err != nil {
			return false
		}
		w = tree.Parent
	}
	return false
}
