//go:build linux

package x11

import (
	"cmp"
	"context"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// succession is how long to wait for another window manager after one has died: whatever
// started it often starts it again.
const succession = 10 * time.Second

// manager returns the window by which the window manager shows that it runs. It is zero if none
// runs, even if one that died left its property. If it still is the last one, that is known
// after one round trip.
func (l *properties) manager(last xproto.Window) xproto.Window {
	check := l.atom("_NET_SUPPORTING_WM_CHECK")
	onRoot, onLast := l.property(l.root, check), l.property(last, check)
	now := xproto.Window(firstNumber(onRoot.Reply()))
	if now != last {
		onLast = l.property(now, check)
	}
	if xproto.Window(firstNumber(onLast.Reply())) != now {
		return 0
	}
	return now
}

// managerName returns the name of the window manager, or "" if none runs.
func (l *properties) managerName() (string, error) {
	w := l.manager(0)
	if w == 0 {
		return "", nil
	}
	name, _ := l.text(w, l.atom("_NET_WM_NAME"))
	return cmp.Or(name, "unnamed"), nil
}

// managed fails unless a window manager runs. If one has died since we last looked, managed
// waits until its successor knows the windows.
func (l *xConn) managed(ctx context.Context) error {
	before, end := xproto.Window(l.wm.Load()), time.Now().Add(succession)
	var now xproto.Window
	err := l.await(ctx, func() (bool, error) {
		now = l.manager(before)
		return now != 0 || before == 0 || time.Now().After(end), nil
	})
	if err != nil {
		return err
	}
	l.wm.Store(uint32(now))
	switch {
	case now == 0:
		return &desktop.MissingError{
			What: "no window manager runs on the display " + l.address.name + ", so its windows are not known",
			Mend: "apt-get install openbox && openbox &",
		}
	case before != 0 && before != now:
		return l.installed(ctx, end)
	}
	return nil
}

// installed returns when a new window manager has read the windows and answers requests, or at
// the end: not every manager supports this one.
func (l *xConn) installed(ctx context.Context, end time.Time) error {
	const extents = "_NET_FRAME_EXTENTS"
	asked := false
	return l.await(ctx, func() (bool, error) {
		if !asked {
			asked = true
			xproto.DeleteProperty(l.x, l.self, l.atom(extents))
			return false, l.tell(l.self, "_NET_REQUEST_FRAME_EXTENTS")
		}
		return len(l.numbers(l.self, extents)) > 0 || time.Now().After(end), nil
	})
}
