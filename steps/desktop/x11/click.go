//go:build linux

package x11

import (
	"context"
	"fmt"
	"slices"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// holding asks the server while it serves nobody else, so that nothing can move
// between a look at the target and the click.
func holding[T any](ctx context.Context, l *xConn, f func() (T, error)) (T, error) {
	return perform(ctx, l, func() (T, error) {
		xproto.GrabServer(l.x)
		defer func() {
			xproto.UngrabServer(l.x)
			l.x.Sync()
		}()
		return f()
	})
}

// verifyTarget fails with desktop.ErrMoved unless the pointer is at the point of
// a click, and in its window, which is where it was seen.
func (l *xConn) verifyTarget(a desktop.Click) error {
	p, err := l.pointerAt(a.At)
	if err != nil || a.In == nil {
		return err
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

// pointerAt says whether the pointer is at a point.
func (l *xConn) pointerAt(at desktop.Point) (*xproto.QueryPointerReply, error) {
	p, err := xproto.QueryPointer(l.x, l.root).Reply()
	if err != nil {
		return nil, err
	}
	if now := pointed(p); now != at {
		return nil, fmt.Errorf("the pointer was moved to %s when it was to click at %s: %w", now, at, desktop.ErrMoved)
	}
	return p, nil
}

// blocker is a modal dialog that keeps from a window what is meant for it.
func (l *xConn) blocker(w desktop.Window) *desktop.Window {
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

// inside says whether a window is another one, or in it.
func (l *xConn) inside(frame, w xproto.Window) bool {
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
