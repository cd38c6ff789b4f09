//go:build linux

package x11

import (
	"cmp"
	"context"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// succession is how long to wait for another window manager after one has died: whatever
// started it often starts it again.
const succession = 10 * time.Second

// manager returns the window by which the window manager shows that it runs, and its name. Both
// are zero if none runs, even if one that died left its property.
func (l *properties) manager() (xproto.Window, string) {
	check := xproto.Window(l.number(l.root, "_NET_SUPPORTING_WM_CHECK"))
	if check == 0 || l.number(check, "_NET_SUPPORTING_WM_CHECK") != uint32(check) {
		return 0, ""
	}
	name, _ := l.text(check, l.atom("_NET_WM_NAME"))
	return check, cmp.Or(name, "unnamed")
}

// managed fails unless a window manager runs. If one has died since we last looked, managed
// waits until its successor knows the windows.
func (l *xConn) managed(ctx context.Context) error {
	before := xproto.Window(l.wm.Load())
	end := time.Now().Add(succession)
	for {
		changed := l.changed.wait()
		now, err := ask(ctx, l, func() (xproto.Window, error) { w, _ := l.manager(); return w, nil })
		switch {
		case err != nil:
			return err
		case now != 0:
			l.wm.Store(uint32(now))
			if before != 0 && before != now {
				return l.installed(ctx, end)
			}
			return nil
		case before == 0 || time.Now().After(end):
			l.wm.Store(0)
			return &desktop.MissingError{
				What: "no window manager runs on the display " + l.place.name + ", so its windows are not known",
				Mend: "apt-get install openbox && openbox &",
			}
		}
		if err := l.pause(ctx, changed); err != nil {
			return err
		}
	}
}

// installed returns when a new window manager has read the windows and answers requests, or at
// the end: not every manager supports this one.
func (l *xConn) installed(ctx context.Context, end time.Time) error {
	asked := false
	for {
		changed := l.changed.wait()
		answered, err := ask(ctx, l, func() (bool, error) {
			if !asked {
				asked = true
				xproto.DeleteProperty(l.x, l.self, l.atom("_NET_FRAME_EXTENTS"))
				return false, l.tell(l.self, "_NET_REQUEST_FRAME_EXTENTS")
			}
			return len(l.numbers(l.self, "_NET_FRAME_EXTENTS")) > 0, nil
		})
		if err != nil || answered || time.Now().After(end) {
			return err
		}
		if err := l.pause(ctx, changed); err != nil {
			return err
		}
	}
}
