package fake

import (
	"context"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// Open shows a window, on top and active, and returns its id.
func (d *Desktop) Open(w *Node) desktop.WindowID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open(w)
}

func (d *Desktop) open(w *Node) desktop.WindowID {
	d.adopt(w, nil)
	w.el.Window = desktop.WindowID(100 + d.handles)
	layout(w, len(d.windows))
	w.walk(func(n *Node) bool {
		if n.has(desktop.Focused) {
			w.last = n
		}
		return true
	})
	d.windows = append(d.windows, w)
	if !w.popup {
		d.activate(w)
	}
	return w.el.Window
}

// adopt gives handles to a node and what is in it.
func (d *Desktop) adopt(n, parent *Node) {
	n.parent = parent
	n.walk(func(c *Node) bool {
		d.handles++
		c.el.Handle = desktop.Handle(fmt.Sprintf("h%d", d.handles))
		return true
	})
	process := n.window().el.Process
	if d.pids[process] == 0 {
		d.pids[process] = 1000 + len(d.pids)
	}
}

// activate raises a window and gives the focus to what had it there before.
func (d *Desktop) activate(w *Node) {
	w.small = false
	i := slices.Index(d.windows, w)
	d.windows = append(slices.Delete(d.windows, i, i+1), w)
	d.active = w
	if d.focused != nil && d.focused.window() == w {
		return
	}
	d.unfocus()
	if w.last != nil {
		d.focused = w.last
		d.focused.put(desktop.Focused, true)
	}
}

// close takes a window away; the one below becomes active.
func (d *Desktop) close(w *Node) {
	d.windows = slices.DeleteFunc(d.windows, func(o *Node) bool { return o == w })
	if d.focused != nil && d.focused.window() == w {
		d.unfocus()
	}
	if d.menu != nil && d.menu.window() == w {
		d.menu = nil
	}
	d.leave(w)
}

// leave makes the topmost of the other windows active, when a window was.
func (d *Desktop) leave(w *Node) {
	if d.active != w {
		return
	}
	d.active = nil
	d.unfocus()
	for _, o := range slices.Backward(d.windows) {
		if o != w && !o.small && !o.popup {
			d.activate(o)
			return
		}
	}
}

// Windows lists the windows from the bottom of the stack to its top.
func (d *Desktop) Windows(ctx context.Context) ([]desktop.Window, error) {
	return get(ctx, d, "Windows", func() (all []desktop.Window, err error) {
		for _, w := range d.windows {
			all = append(all, desktop.Window{
				ID: w.el.Window, Title: w.el.Name, Process: w.el.Process, Class: w.el.Class,
				PID: d.pids[w.el.Process], Bounds: w.el.Bounds, Active: w == d.active,
				Minimized: w.small, Maximized: w.large, Modal: w.has(desktop.IsModal), Popup: w.popup, Tooltip: w.tooltip,
			})
		}
		return all, nil
	})
}

// manage changes a window.
func (d *Desktop) manage(c desktop.Manage) error {
	w := d.windowOf(c.Window)
	if w == nil {
		return desktop.ErrNotFound
	}
	switch c.Do {
	case desktop.Activate:
		d.activate(w)
	case desktop.Close:
		d.hear("close %q", w.el.Name)
		d.close(w)
	case desktop.Minimize:
		w.small = true
		d.leave(w)
	case desktop.Maximize:
		if !w.large {
			w.former, w.large = w.el.Bounds, true
			place(w, desktop.Rect{W: d.size.W, H: d.size.H})
		}
	case desktop.Restore:
		w.small = false
		if w.large {
			w.large = false
			place(w, w.former)
		}
	case desktop.Place:
		place(w, c.Bounds)
	default:
		return fmt.Errorf("there is no window action %q", c.Do)
	}
	return nil
}

// windowOf is the window with an id, or nil.
func (d *Desktop) windowOf(id desktop.WindowID) *Node {
	i := slices.IndexFunc(d.windows, func(w *Node) bool { return w.el.Window == id })
	if i < 0 {
		return nil
	}
	return d.windows[i]
}

// place moves a window with what is in it; a zero size keeps the size.
func place(w *Node, to desktop.Rect) {
	w.shift(to.X-w.el.Bounds.X, to.Y-w.el.Bounds.Y)
	if !to.Empty() {
		w.el.Bounds.W, w.el.Bounds.H = to.W, to.H
	}
}
