//go:build linux

package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

const (
	// settle is how long a change may take to show when nothing else bounds it.
	settle = 3 * time.Second
	// still is how long a window must keep a size that is not the one that
	// was asked for, to be taken as its answer: some grow only in steps.
	still = 150 * time.Millisecond
	// calm is how long a window must keep its size before it is at rest.
	calm = 150 * time.Millisecond
	// frameLag is how long the frame of a window may stay as it was after its
	// state changed: a window manager waits about so long for the application to
	// draw its new size. It bounds the wait for one whose size does not change.
	frameLag = 1500 * time.Millisecond
)

// manage changes one window and returns when the change can be seen. It fails
// with desktop.ErrRefused when the window stays as it was.
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
	m := &managing{xConn: l, id: xproto.Window(c.Window), watched: map[xproto.Window]bool{}}
	w, err := m.look(ctx)
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

// managing is one change of one window.
type managing struct {
	*xConn
	id      xproto.Window
	watched map[xproto.Window]bool
}

// look reads the window, and fails with desktop.ErrNotFound when it is gone.
func (m *managing) look(ctx context.Context) (desktop.Window, error) {
	return ask(ctx, m.xConn, func() (desktop.Window, error) {
		if !m.watched[m.id] {
			m.watched[m.id] = true
			xproto.ChangeWindowAttributes(m.x, m.id, xproto.CwEventMask, []uint32{watchedEvents})
		}
		w := m.describe([]uint32{uint32(m.id)})[0]
		if !w.there {
			return desktop.Window{}, fmt.Errorf("window %#x: %w", m.id, desktop.ErrNotFound)
		}
		w.Active = m.number(m.root, "_NET_ACTIVE_WINDOW") == uint32(m.id)
		return w.Window, nil
	})
}

// say sends the window manager a message about the window. 2 says that a
// person's tool asks, so that focus is not denied.
func (m *managing) say(ctx context.Context, message string, data ...uint32) error {
	_, err := perform(ctx, m.xConn, func() (struct{}, error) { return struct{}{}, m.tell(m.id, message, data...) })
	return err
}

func (m *managing) until(ctx context.Context, wanted func(desktop.Window) bool) error {
	for {
		changed := m.changed.wait()
		w, err := m.look(ctx)
		if err != nil {
			return err
		}
		if wanted(w) {
			return nil
		}
		if err := m.pause(ctx, changed); err != nil {
			return err
		}
	}
}

// pause returns at the next change, or a little later: not every change is
// told to us.
func (l *xConn) pause(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
	case <-time.After(20 * time.Millisecond):
	case <-l.gone:
		return lost(l.place.name, errEnded)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

const askedByTool = 2

func (m *managing) activate(ctx context.Context) error {
	if err := m.say(ctx, "_NET_ACTIVE_WINDOW", askedByTool); err != nil {
		return err
	}
	return m.until(ctx, func(w desktop.Window) bool { return w.Active && !w.Minimized })
}

// close asks the window to close, and returns when it has. One that asks back
// first, about unsaved changes, has refused.
func (m *managing) close(ctx context.Context) error {
	before, err := ask(ctx, m.xConn, func() ([]uint32, error) { return m.numbers(m.root, "_NET_CLIENT_LIST"), nil })
	if err != nil {
		return err
	}
	if err := m.say(ctx, "_NET_CLOSE_WINDOW", 0, askedByTool); err != nil {
		return err
	}
	for {
		changed := m.changed.wait()
		now, err := m.closing(ctx, before)
		if now.gone || err != nil {
			return err
		}
		if now.question != "" {
			return fmt.Errorf("window %#x did not close: it asks %q first: %w", m.id, now.question, desktop.ErrRefused)
		}
		if err := m.pause(ctx, changed); err != nil {
			return err
		}
	}
}

// closing says whether the window has gone, or which new dialog of its own it
// shows instead.
func (m *managing) closing(ctx context.Context, before []uint32) (closing, error) {
	return ask(ctx, m.xConn, func() (closing, error) {
		now := m.numbers(m.root, "_NET_CLIENT_LIST")
		if !slices.Contains(now, uint32(m.id)) {
			return closing{gone: true}, nil
		}
		for _, id := range now {
			if slices.Contains(before, id) {
				continue
			}
			parent := numbers(m.property(xproto.Window(id), xproto.AtomWmTransientFor).Reply())
			if slices.Contains(parent, uint32(m.id)) {
				return closing{question: orElse(m.describe([]uint32{id})[0].Title, "something")}, nil
			}
		}
		return closing{}, nil
	})
}

// closing is how far a window is that was asked to close: it has gone, or it
// asks something first.
type closing struct {
	gone     bool
	question string
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (m *managing) minimize(ctx context.Context) error {
	const iconic = 3
	if err := m.say(ctx, "WM_CHANGE_STATE", iconic); err != nil {
		return err
	}
	return m.until(ctx, func(w desktop.Window) bool { return w.Minimized && !w.Active })
}

// maximize maximizes a window that was seen, or gives it its own size back.
func (m *managing) maximize(ctx context.Context, before desktop.Window, on bool) error {
	var add uint32
	if on {
		add = 1
	}
	_, err := perform(ctx, m.xConn, func() (struct{}, error) {
		vert, horz := m.atom("_NET_WM_STATE_MAXIMIZED_VERT"), m.atom("_NET_WM_STATE_MAXIMIZED_HORZ")
		return struct{}{}, m.tell(m.id, "_NET_WM_STATE", add, uint32(vert), uint32(horz), askedByTool)
	})
	if err != nil {
		return err
	}
	asked := time.Now()
	return m.untilCalm(ctx, func(w desktop.Window) bool {
		return w.Maximized == on && (before.Maximized == on || w.Bounds != before.Bounds || time.Since(asked) > frameLag)
	})
}

// untilCalm returns when the window is as wanted and has come to rest: its
// state may be told before its frame and size follow.
func (m *managing) untilCalm(ctx context.Context, wanted func(desktop.Window) bool) error {
	var last desktop.Rect
	var since time.Time
	return m.until(ctx, func(w desktop.Window) bool {
		if w.Bounds != last {
			last, since = w.Bounds, time.Now()
		}
		return wanted(w) && time.Since(since) > calm
	})
}

// restore brings a minimised window back, or a maximised one to its own size.
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
	return m.untilPlaced(ctx, w.Bounds, to)
}

// requestPlace asks for the place in the terms of the window manager: the
// frame's corner, and the size without frame and with shadow.
func (m *managing) requestPlace(ctx context.Context, to desktop.Rect) error {
	const northWest, x, y, width, height = 1, 1 << 8, 1 << 9, 1 << 10, 1 << 11
	_, err := perform(ctx, m.xConn, func() (struct{}, error) {
		frame, shadow := m.numbers(m.id, "_NET_FRAME_EXTENTS"), m.numbers(m.id, "_GTK_FRAME_EXTENTS")
		corner := outline(to, nil, negative(shadow))
		inside := outline(corner, negative(frame), nil)
		flags := uint32(northWest | x | y | width | height | askedByTool<<12)
		return struct{}{}, m.tell(m.id, "_NET_MOVERESIZE_WINDOW", flags, uint32(corner.X), uint32(corner.Y), uint32(inside.W), uint32(inside.H))
	})
	return err
}

// negative are extents that outline takes the other way round.
func negative(extents []uint32) []uint32 {
	n := make([]uint32, len(extents))
	for i, e := range extents {
		n[i] = -e
	}
	return n
}

// untilPlaced returns when the window is where it was asked to be, or has
// moved and come to rest as near as it goes.
func (m *managing) untilPlaced(ctx context.Context, before, to desktop.Rect) error {
	last, since := before, time.Now()
	return m.until(ctx, func(w desktop.Window) bool {
		if w.Bounds == to {
			return true
		}
		if w.Bounds != last {
			last, since = w.Bounds, time.Now()
		}
		return last != before && time.Since(since) > still
	})
}
