package win32

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

// settle bounds the wait for a change to show.
const settle = 3 * time.Second

// What ShowWindowAsync and SetWindowPos are asked.
const (
	showMaximized, showMinimized, showRestored = 3, 6, 9
	noZOrder, noActivate, noSize, async        = 0x4, 0x10, 0x1, 0x4000
	messageClose                               = 0x10
)

// manage changes a window, and returns when the change can be seen. It fails with
// desktop.ErrRefused if the window stays as it was.
func (d *Driver) manage(ctx context.Context, c desktop.Manage) error {
	h := uintptr(c.Window)
	if user("IsWindow", h) == 0 {
		return fmt.Errorf("window %#x: %w", h, desktop.ErrNotFound)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("window %#x: %s did not happen within %v: %w", h, c.Do, settle, desktop.ErrRefused))
	defer cancel()
	switch c.Do {
	case desktop.Activate:
		return activate(ctx, h)
	case desktop.Close:
		user("PostMessageW", h, messageClose, 0, 0)
		return until(ctx, func() bool { return user("IsWindow", h) == 0 || user("IsWindowVisible", h) == 0 })
	case desktop.Minimize:
		user("ShowWindowAsync", h, showMinimized)
		return until(ctx, func() bool { return user("IsIconic", h) != 0 })
	case desktop.Maximize:
		user("ShowWindowAsync", h, showMaximized)
		return until(ctx, func() bool { return user("IsZoomed", h) != 0 })
	case desktop.Restore:
		return restore(ctx, h)
	case desktop.Place:
		return place(ctx, h, c.Bounds)
	}
	return fmt.Errorf("a window cannot %q: wanted activate, close, minimize, maximize, restore or place", c.Do)
}

// until polls until a condition holds: Windows tells only programs with a window of such
// changes.
func until(ctx context.Context, so func() bool) error {
	for !so() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func restore(ctx context.Context, h uintptr) error {
	user("ShowWindowAsync", h, showRestored)
	return until(ctx, func() bool { return user("IsIconic", h) == 0 && user("IsZoomed", h) == 0 })
}

// activate brings a window to the foreground. Windows lets a process do that only after input
// of its own or beside the process that has the foreground, so that the thread of that process
// is joined for a moment.
func activate(ctx context.Context, h uintptr) error {
	if user("IsIconic", h) != 0 {
		user("ShowWindowAsync", h, showRestored)
	}
	return until(ctx, func() bool {
		has := user("GetForegroundWindow")
		if activated(h) {
			return true
		}
		joined(threadOf(has), func() {
			user("SetForegroundWindow", h)
			user("BringWindowToTop", h)
		})
		return activated(h)
	})
}

// threadInfo is GUITHREADINFO, of which the active window matters.
type threadInfo struct {
	size, _ uint32
	active  uintptr
	_       [5]uintptr
	_       rect
}

// activated reports whether a window is in the foreground, on top, and knows it.
func activated(h uintptr) bool {
	info := threadInfo{}
	info.size = uint32(unsafe.Sizeof(info))
	user("GetGUIThreadInfo", threadOf(h), at(&info))
	return user("GetForegroundWindow") == h && info.active == h && user("IsIconic", h) == 0 && topmost() == h
}

// topmost returns the topmost window that a person would call one.
func topmost() uintptr {
	for _, h := range topLevel() {
		if w, ok := describe(h); ok && w.Shows() && w.Real() {
			return h
		}
	}
	return 0
}

func threadOf(h uintptr) uintptr { return user("GetWindowThreadProcessId", h, 0) }

// joined calls f while this thread shares the input of another one.
func joined(with uintptr, f func()) {
	locked(func() {
		self := uintptr(windows.GetCurrentThreadId())
		if with != 0 && with != self && user("AttachThreadInput", self, with, 1) != 0 {
			defer user("AttachThreadInput", self, with, 0)
		}
		f()
	})
}

// place moves a window, which first leaves its maximized or minimized state.
func place(ctx context.Context, h uintptr, to desktop.Rect) error {
	if err := restore(ctx, h); err != nil {
		return err
	}
	flags := uintptr(noZOrder | noActivate | async)
	if to.W == 0 && to.H == 0 {
		flags |= noSize
		to.W, to.H = boundsOf(h).W, boundsOf(h).H
	}
	outer, seen := outerBounds(h), boundsOf(h)
	user("SetWindowPos", h, 0, uintptr(to.X+outer.X-seen.X), uintptr(to.Y+outer.Y-seen.Y), uintptr(to.W+outer.W-seen.W), uintptr(to.H+outer.H-seen.H), flags)
	return until(ctx, func() bool { return boundsOf(h) == to })
}
