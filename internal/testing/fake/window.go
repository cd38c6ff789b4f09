package fake

import (
	"context"
	"fmt"
	"slices"

	"understudy/internal/desktop"
)

// Open shows a window, on top and active, and returns its ID.
func (d *Desktop) Open(w *Node) desktop.WindowID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open(w)
}

func (s *stack) open(w *Node) desktop.WindowID {
	s.adopt(w, nil)
	w.el.Window = desktop.WindowID(100 + s.handles)
	layout(w, len(s.windows))
	w.walk(func(n *Node) bool {
		if n.has(desktop.Focused) {
			w.last = n
		}
		return true
	})
	s.windows = append(s.windows, w)
	if !w.popup {
		s.activate(w)
	}
	return w.el.Window
}

// adopt gives handles to a node and its descendants.
func (s *stack) adopt(n, parent *Node) {
	n.parent = parent
	n.walk(func(c *Node) bool {
		s.handles++
		c.el.Handle = desktop.Handle(fmt.Sprintf("h%d", s.handles))
		return true
	})
	process := n.window().el.Process
	if s.pids[process] == 0 {
		s.pids[process] = 1000 + len(s.pids)
	}
}

// activate raises a window and gives the focus to the node that had it there last.
func (s *stack) activate(w *Node) {
	w.minimized = false
	s.windows = append(slices.DeleteFunc(s.windows, func(o *Node) bool { return o == w }), w)
	s.active = w
	if s.focused != nil && s.focused.window() == w {
		return
	}
	s.unfocus()
	if w.last != nil {
		s.focused = w.last
		s.focused.put(desktop.Focused, true)
	}
}

// close removes a window; the one below becomes active.
func (s *stack) close(w *Node) {
	s.windows = slices.DeleteFunc(s.windows, func(o *Node) bool { return o == w })
	if s.focused != nil && s.focused.window() == w {
		s.unfocus()
	}
	if s.menu != nil && s.menu.window() == w {
		s.menu = nil
	}
	s.leave(w)
}

// leave makes the topmost of the other windows active, if a window was active.
func (s *stack) leave(w *Node) {
	if s.active != w {
		return
	}
	s.active = nil
	s.unfocus()
	for _, o := range slices.Backward(s.windows) {
		if o != w && !o.minimized && !o.popup {
			s.activate(o)
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
				Minimized: w.minimized, Maximized: w.maximized, Modal: w.has(desktop.IsModal), Popup: w.popup, Tooltip: w.tooltip,
			})
		}
		return all, nil
	})
}

func (s *stack) manage(c desktop.Manage) error {
	w := s.windowOf(c.Window)
	if w == nil {
		return desktop.ErrNotFound
	}
	switch c.Do {
	case desktop.Activate:
		s.activate(w)
	case desktop.Close:
		s.hear("close %q", w.el.Name)
		s.close(w)
	case desktop.Minimize:
		w.minimized = true
		s.leave(w)
	case desktop.Maximize:
		if !w.maximized {
			w.former, w.maximized = w.el.Bounds, true
			place(w, desktop.Rect{W: s.size.W, H: s.size.H})
		}
	case desktop.Restore:
		w.minimized = false
		if w.maximized {
			w.maximized = false
			place(w, w.former)
		}
	case desktop.Place:
		place(w, c.Bounds)
	default:
		return fmt.Errorf("there is no window action %q", c.Do)
	}
	return nil
}

// windowOf returns the window with an ID, or nil.
func (s *stack) windowOf(id desktop.WindowID) *Node {
	i := slices.IndexFunc(s.windows, func(w *Node) bool { return w.el.Window == id })
	if i < 0 {
		return nil
	}
	return s.windows[i]
}

// place moves a window with its content; a zero size keeps the size.
func place(w *Node, to desktop.Rect) {
	w.shift(to.X-w.el.Bounds.X, to.Y-w.el.Bounds.Y)
	if !to.Empty() {
		w.el.Bounds.W, w.el.Bounds.H = to.W, to.H
	}
}
