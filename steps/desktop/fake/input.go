package fake

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"understudy/steps/desktop"
)

// OnPress calls f when a chord such as "ctrl+s" is pressed, whatever has the
// focus.
func (d *Desktop) OnPress(chord string, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hands.presses[chord] = f
}

func (d *Desktop) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return get(ctx, d, "PointerPosition", func() (desktop.Point, error) { return d.hands.pointer, nil })
}

// RestBeforeClick returns at once: no application here counts clicks.
func (d *Desktop) RestBeforeClick(ctx context.Context, _ desktop.Click) error {
	return d.do(ctx, "RestBeforeClick", func() error { return nil })
}

// move moves the pointer, which dismisses popups.
func (h *hands) move(to desktop.Point) {
	h.point(to)
	for _, w := range slices.Clone(h.windows) {
		if w.popup && !w.stays {
			h.close(w)
		}
	}
}

// clickAt presses and releases a button at a point, count times.
func (h *hands) clickAt(c desktop.Click) error {
	n := h.under(c.At)
	if w := c.In; w != nil && (n == nil || n.window().el.Window != w.ID || n.window().el.Bounds != w.Bounds) {
		return fmt.Errorf("the window %q is not at %s: %w", w.Title, c.At, desktop.ErrMoved)
	}
	h.point(c.At)
	for i := range max(c.Count, 1) {
		h.pressButton(c.Button, i > 0)
		h.letGo(c.Button)
	}
	return nil
}

func (h *hands) point(at desktop.Point) {
	if h.pointer == at {
		return
	}
	h.pointer = at
	n := h.grabbed
	if n == nil {
		n = h.under(at)
	}
	h.tellCanvas(n, "move", "")
}

// tellCanvas has a canvas, which does nothing itself, hear an event of the mouse.
func (h *hands) tellCanvas(n *Node, what string, b desktop.Button) {
	if n == nil || n.el.Role != "canvas" {
		return
	}
	words := []string{what, strconv.Quote(n.el.Name)}
	if b != "" {
		words = append(words, string(b))
	}
	at := desktop.Point{X: h.pointer.X - n.el.Bounds.X, Y: h.pointer.Y - n.el.Bounds.Y}
	words = append(words, "at", at.String())
	if slices.Contains(h.keys, desktop.Ctrl) {
		words = append(words, string(desktop.Ctrl))
	}
	h.hear("%s", strings.Join(words, " "))
}

// pressButton presses a button at the pointer: the window is raised, and a
// focusable node gets the focus. Again is the second press of a double click.
func (h *hands) pressButton(b desktop.Button, again bool) {
	n := h.under(h.pointer)
	if h.grabbed = n; n == nil {
		return
	}
	if n.window() != h.active {
		h.activate(n.window())
	}
	if n.has(desktop.Focusable | desktop.Enabled) {
		h.focus(n)
	}
	h.tellCanvas(n, "press", b)
	n.moveTo(n.caret)
	if again {
		h.tellCanvas(n, "double", b)
		n.chosen = [2]int{0, len(n.text)}
	}
}

// letGo releases a button. On the node where it was pressed, that is a click.
func (h *hands) letGo(b desktop.Button) {
	n := h.grabbed
	h.grabbed = nil
	if n == nil {
		h.closeMenu(nil)
		return
	}
	h.tellCanvas(n, "release", b)
	if b == desktop.Left && n == h.under(h.pointer) {
		h.act(n)
	}
}

// hold presses a button at the pointer, and holds it.
func (h *hands) hold(a desktop.ButtonDown) {
	if slices.Contains(h.buttons, a.Button) {
		return
	}
	h.buttons = append(h.buttons, a.Button)
	here := desktop.Click{At: h.pointer, Button: a.Button}
	h.pressButton(a.Button, a.Follows && h.last == here)
	h.last = here
}

// release releases a held button.
func (h *hands) release(b desktop.Button) {
	h.letGo(b)
	h.buttons = slices.DeleteFunc(h.buttons, func(o desktop.Button) bool { return o == b })
}

func (h *hands) holdKey(k desktop.Key) {
	if !slices.Contains(h.keys, k) {
		h.keys = append(h.keys, k)
		h.hear("key %q down", k)
	}
}

func (h *hands) releaseKey(k desktop.Key) {
	if slices.Contains(h.keys, k) {
		h.hear("key %q up", k)
	}
	h.keys = slices.DeleteFunc(h.keys, func(o desktop.Key) bool { return o == k })
}

// Held lists the keys and buttons that are held down.
func (d *Desktop) Held() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, k := range d.hands.keys {
		all = append(all, string(k))
	}
	for _, b := range d.hands.buttons {
		all = append(all, string(b))
	}
	return all
}

// press presses a chord. Editing keys edit the focused field, tab moves the focus,
// and enter or space act on a focused button.
func (h *hands) press(c desktop.Chord) {
	h.later(h.presses[c.String()])
	if c.Key == "tab" && (len(c.Mods) == 0 || c.String() == "shift+tab") {
		h.tab(len(c.Mods) > 0)
		return
	}
	n := h.focused
	switch {
	case h.menu != nil:
		if c.Key == "escape" {
			h.closeMenu(nil)
		}
	case n == nil:
	case n.editable():
		h.edit(n, c)
	case len(c.Mods) == 0 && (c.Key == "enter" || c.Key == "space"):
		h.act(n)
	}
}

// tab moves the focus to the next element of the active window, or back.
func (h *hands) tab(back bool) {
	if h.active == nil {
		return
	}
	var all []*Node
	h.active.walk(func(n *Node) bool {
		if n.has(desktop.Focusable | desktop.Enabled | desktop.Showing) {
			all = append(all, n)
		}
		return true
	})
	if len(all) == 0 {
		return
	}
	step, from := 1, slices.Index(all, h.focused)
	if back {
		step, from = len(all)-1, max(from, 0)
	}
	h.focus(all[(from+step)%len(all)])
}

// typeText inserts text into the focused field. In a field of one line a tab moves
// the focus, and an end of line is ignored.
func (h *hands) typeText(text string) {
	for _, run := range strings.SplitAfter(text, "\t") {
		n := h.focused
		if n != nil && n.editable() {
			h.insert(n, n.admits(run))
		}
		if strings.HasSuffix(run, "\t") && (n == nil || !n.has(desktop.MultiLine)) {
			h.tab(false)
		}
	}
}
