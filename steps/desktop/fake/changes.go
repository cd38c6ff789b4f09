package fake

import (
	"context"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// listener is one who is told when something changes: where the focus is, or an
// element.
type listener struct {
	of   desktop.Handle // "": the focus
	last string         // what it was when they were told
	f    func()
}

// WatchFocus calls f when the focus moved, as the interface says.
func (d *Desktop) WatchFocus(ctx context.Context, f func()) error {
	return d.listen(ctx, "WatchFocus", "", f)
}

// WatchElement calls f when an element shows something else, as the interface
// says.
func (d *Desktop) WatchElement(ctx context.Context, h desktop.Handle, f func()) error {
	return d.listen(ctx, "WatchElement", h, f)
}

func (d *Desktop) listen(ctx context.Context, method string, of desktop.Handle, f func()) error {
	l := &listener{of: of, f: f}
	if err := d.do(ctx, method, func() error {
		if of != "" && d.node(of) == nil {
			return desktop.ErrNotFound
		}
		l.last = d.shows(of)
		d.listeners = append(d.listeners, l)
		d.later(f)
		return nil
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return d.change(func() error {
		d.listeners = slices.DeleteFunc(d.listeners, func(o *listener) bool { return o == l })
		return context.Cause(ctx)
	})
}

// tell has everyone told whose part of the desktop has changed. The lock is
// held.
func (d *Desktop) tell() {
	for _, l := range d.listeners {
		if now := d.shows(l.of); now != l.last {
			l.last = now
			d.later(l.f)
		}
	}
}

// shows is what an element shows, or for "" what has the focus.
func (d *Desktop) shows(h desktop.Handle) string {
	if h != "" {
		n := d.node(h)
		if n == nil {
			return ""
		}
		number := 0.0
		if n.el.Value != nil {
			number = n.el.Value.Now
		}
		return fmt.Sprint(n.el.Name, string(n.text), n.el.States&^desktop.Focused, number) // the focus is told by itself
	}
	if d.focused == nil {
		return ""
	}
	return string(d.focused.el.Handle)
}
