//go:build linux

package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

const (
	// settle bounds the wait for a change to show.
	settle = 3 * time.Second
	// frameLag is how long the frame of a window may lag behind its state: a window manager
	// waits about that long for the application to draw its new size. It bounds the wait for
	// a window whose size does not change.
	frameLag = 1500 * time.Millisecond
)

// manage changes a window and returns when the change can be seen. It fails with
// desktop.ErrRefused if the window stays as it was.
func (d *Driver) manage(ctx context.Context, c desktop.Manage) error {
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	if err := l.managed(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("window %#x: %s did not happen within %v: %w", c.Window, c.Do, settle, desktop.ErrRefused))
	defer cancel()
	m := &managing{xConn: l, id: xproto.Window(c.Window)}
	w, err := ask(ctx, l, m.look)
	if err != nil {
		return err
	}
	switch c.Do {
	case desktop.Activate:
		return m.activate(ctx)
	case desktop.Close:
		return m.close(ctx)
	case desktop.Minimize:
		return m.minimize(ctx)
	case desktop.Maximize:
		return m.maximize(ctx, w, true)
	case desktop.Restore:
		return m.restore(ctx, w)
	case desktop.Place:
		return m.place(ctx, w, c.Bounds)
	}
	return fmt.Errorf("a window cannot %q: wanted activate, close, minimize, maximize, restore or place", c.Do)
}

// managing is one change of a window.
type managing struct {
	*xConn
	id      xproto.Window
	watched bool // its events are selected
}

// look reads the window. It fails with desktop.ErrNotFound if the window is gone.
func (m *managing) look() (desktop.Window, error) {
	if !m.watched {
		m.watched = true
		xproto.ChangeWindowAttributes(m.x, m.id, xproto.CwEventMask, []uint32{watchedEvents})
	}
	w := m.describe([]uint32{uint32(m.id)})[0]
	if !w.there {
		return desktop.Window{}, fmt.Errorf("window %#x: %w", m.id, desktop.ErrNotFound)
	}
	w.Active = m.activeWindow() == m.id
	return w.Window, nil
}

// say sends the window manager a message about the window.
func (m *managing) say(ctx context.Context, message string, data ...uint32) error {
	return do(ctx, m.xConn, func() error { return m.tell(m.id, message, data...) })
}

// until waits until the window is as wanted.
func (m *managing) until(ctx context.Context, wanted func(desktop.Window) bool) error {
	return m.await(ctx, func() (bool, error) {
		w, err := m.look()
		return err == nil && wanted(w), err
	})
}

// await calls done after each change of a watched window until it returns true or fails. Not every
// change is announced, so it polls as well.
func (l *xConn) await(ctx context.Context, done func() (bool, error)) error {
	for {
		changed := l.changed.wait()
		if ok, err := ask(ctx, l, done); ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-l.gone:
			return lost(l.address.name, errEnded)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// askedByTool says that a tool of the person asks, so that the focus is not denied.
const askedByTool = 2

func (m *managing) activate(ctx context.Context) error {
	if err := m.say(ctx, "_NET_ACTIVE_WINDOW", askedByTool); err != nil {
		return err
	}
	return m.until(ctx, func(w desktop.Window) bool { return w.Active && !w.Minimized })
}

// close asks the window to close and returns when it has. A window that asks back, such as
// about unsaved changes, has refused.
func (m *managing) close(ctx context.Context) error {
	before, err := ask(ctx, m.xConn, func() ([]uint32, error) { return m.numbers(m.root, "_NET_CLIENT_LIST"), nil })
	if err != nil {
		return err
	}
	if err := m.say(ctx, "_NET_CLOSE_WINDOW", 0, askedByTool); err != nil {
		return err
	}
	return m.await(ctx, func() (bool, error) { return m.closed(before) })
}

// closed reports whether the window is gone. It fails if the window shows a dialog of its own
// instead, which is not among the windows before.
func (m *managing) closed(before []uint32) (bool, error) {
	now := m.numbers(m.root, "_NET_CLIENT_LIST")
	if !slices.Contains(now, uint32(m.id)) {
		return true, nil
	}
	for _, id := range now {
		if slices.Contains(before, id) {
			continue
		}
		parent := numbers(m.property(xproto.Window(id), xproto.AtomWmTransientFor).Reply())
		if slices.Contains(parent, uint32(m.id)) {
			asks := "it asks first" // by a dialog that may have no title
			if title := m.describe([]uint32{id})[0].Title; title != "" {
				asks = fmt.Sprintf("it asks %q first", title)
			}
			return false, fmt.Errorf("%s: %w", asks, desktop.ErrRefused)
		}
	}
	return false, nil
}

func (m *managing) minimize(ctx context.Context) error {
	const iconic = 3
	if err := m.say(ctx, "WM_CHANGE_STATE", iconic); err != nil {
		return err
	}
	return m.until(ctx, func(w desktop.Window) bool { return w.Minimized && !w.Active })
}

// maximize maximizes a window, or gives it its own size back.
func (m *managing) maximize(ctx context.Context, before desktop.Window, on bool) error {
	var add uint32
	if on {
		add = 1
	}
	err := do(ctx, m.xConn, func() error {
		vert, horz := m.atom("_NET_WM_STATE_MAXIMIZED_VERT"), m.atom("_NET_WM_STATE_MAXIMIZED_HORZ")
		return m.tell(m.id, "_NET_WM_STATE", add, uint32(vert), uint32(horz), askedByTool)
	})
	if err != nil {
		return err
	}
	asked := time.Now()
	var last input.Settling
	return m.until(ctx, func(w desktop.Window) bool { // the state may change before frame and size follow
		settled := last.Settled(w.Bounds)
		return settled && w.Maximized == on && (before.Maximized == on || w.Bounds != before.Bounds || time.Since(asked) > frameLag)
	})
}

// restore brings a minimized window back, or gives a maximized one its own size.
func (m *managing) restore(ctx context.Context, w desktop.Window) error {
	if w.Minimized {
		return m.activate(ctx)
	}
	return m.maximize(ctx, w, false)
}

// place moves and resizes the window, with its frame.
func (m *managing) place(ctx context.Context, w desktop.Window, to desktop.Rect) error {
	if w.Minimized || w.Maximized {
		if err := m.restore(ctx, w); err != nil {
			return err
		}
	}
	if to.W == 0 && to.H == 0 {
		to.W, to.H = w.Bounds.W, w.Bounds.H
	}
	if to.Empty() {
		return fmt.Errorf("a window cannot be %dx%d: wanted a width and a height, or neither", to.W, to.H)
	}
	if err := m.requestPlace(ctx, to); err != nil {
		return err
	}
	var last input.Settling
	return m.until(ctx, func(now desktop.Window) bool { // or as near as it goes
		return now.Bounds == to || last.Settled(now.Bounds) && now.Bounds != w.Bounds
	})
}

// requestPlace requests bounds in the terms of the window manager: the corner of the frame, and
// the size without frame and with shadow.
func (m *managing) requestPlace(ctx context.Context, to desktop.Rect) error {
	const northWest, x, y, width, height = 1, 1 << 8, 1 << 9, 1 << 10, 1 << 11
	return do(ctx, m.xConn, func() error {
		frame, shadow := m.numbers(m.id, "_NET_FRAME_EXTENTS"), m.numbers(m.id, "_GTK_FRAME_EXTENTS")
		corner := grow(to, shadow, 1)
		inside := grow(corner, frame, -1)
		flags := uint32(northWest | x | y | width | height | askedByTool<<12)
		return m.tell(m.id, "_NET_MOVERESIZE_WINDOW", flags, uint32(corner.X), uint32(corner.Y), uint32(inside.W), uint32(inside.H))
	})
}
