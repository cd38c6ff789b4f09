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
	d.presses[chord] = f
}

// PointerPosition is where the pointer is.
func (d *Desktop) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return get(ctx, d, "PointerPosition", func() (desktop.Point, error) { return d.pointer, nil })
}

// RestBeforeClick has nothing to wait for: no application is here that counts.
func (d *Desktop) RestBeforeClick(ctx context.Context, _ desktop.Point, _ desktop.Button, _ int) error {
	return d.do(ctx, "RestBeforeClick", func() error { return nil })
}

// move moves the pointer, from which popups go.
func (d *Desktop) move(to desktop.Point) {
	d.point(to)
	for _, w := range slices.Clone(d.windows) {
		if w.popup && !w.stays {
			d.close(w)
		}
	}
}

// clickAt presses a button at a point and lets go of it, count times.
func (d *Desktop) clickAt(c desktop.Click) error {
	n := d.under(c.At)
	if w := c.In; w != nil && (n == nil || n.window().el.Window != w.ID || n.window().el.Bounds != w.Bounds) {
		return fmt.Errorf("the window %q is not at %s: %w", w.Title, c.At, desktop.ErrMoved)
	}
	d.point(c.At)
	for i := range max(c.Count, 1) {
		d.pressButton(c.Button, i > 0)
		d.letGo(c.Button)
	}
	return nil
}

// point puts the pointer somewhere.
func (d *Desktop) point(at desktop.Point) {
	if d.pointer == at {
		return
	}
	d.pointer = at
	n := d.grabbed
	if n == nil {
		n = d.under(at)
	}
	d.tellCanvas(n, "move", "")
}

// tellCanvas has a canvas, which does nothing of its own, hear what is done on it.
func (d *Desktop) tellCanvas(n *Node, what string, b desktop.Button) {
	if n == nil || n.el.Role != "canvas" {
		return
	}
	words := []string{what, strconv.Quote(n.el.Name)}
	if b != "" {
		words = append(words, string(b))
	}
	at := desktop.Point{X: d.pointer.X - n.el.Bounds.X, Y: d.pointer.Y - n.el.Bounds.Y}
	words = append(words, "at", at.String())
	if slices.Contains(d.keys, desktop.Ctrl) {
		words = append(words, string(desktop.Ctrl))
	}
	d.hear("%s", strings.Join(words, " "))
}

// pressButton presses a button where the pointer is: the window comes up, and
// what can have the focus gets it. Again is the second press of a double click.
func (d *Desktop) pressButton(b desktop.Button, again bool) {
	n := d.under(d.pointer)
	if d.grabbed = n; n == nil {
		return
	}
	if n.window() != d.active {
		d.activate(n.window())
	}
	if n.has(desktop.Focusable | desktop.Enabled) {
		d.focus(n)
	}
	d.tellCanvas(n, "press", b)
	n.chosen = [2]int{n.caret, n.caret}
	if again {
		d.tellCanvas(n, "double", b)
		n.chosen = [2]int{0, len(n.text)}
	}
}

// letGo lets go of a button: where it was pressed, that does what its role does.
func (d *Desktop) letGo(b desktop.Button) {
	n := d.grabbed
	d.grabbed = nil
	if n == nil {
		d.closeMenu(nil)
		return
	}
	d.tellCanvas(n, "release", b)
	if b == desktop.Left && n == d.under(d.pointer) {
		d.act(n)
	}
}

// hold presses a button where the pointer is, and holds it.
func (d *Desktop) hold(b desktop.Button) {
	if !slices.Contains(d.buttons, b) {
		d.buttons = append(d.buttons, b)
		d.pressButton(b, false)
	}
}

// release lets go of a button, which makes a click where it was pressed.
func (d *Desktop) release(b desktop.Button) {
	d.letGo(b)
	d.buttons = slices.DeleteFunc(d.buttons, func(o desktop.Button) bool { return o == b })
}

// holdKey holds a key.
func (d *Desktop) holdKey(k desktop.Key) {
	if !slices.Contains(d.keys, k) {
		d.keys = append(d.keys, k)
		d.hear("key %q down", k)
	}
}

// releaseKey lets go of a key.
func (d *Desktop) releaseKey(k desktop.Key) {
	if slices.Contains(d.keys, k) {
		d.hear("key %q up", k)
	}
	d.keys = slices.DeleteFunc(d.keys, func(o desktop.Key) bool { return o == k })
}

// Held lists the keys and buttons that are held down.
func (d *Desktop) Held() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, k := range d.keys {
		all = append(all, string(k))
	}
	for _, b := range d.buttons {
		all = append(all, string(b))
	}
	return all
}

// press presses a chord. Keys that edit do so where the focus is, tab moves the
// focus, and enter or space act on a focused button.
func (d *Desktop) press(c desktop.Chord) {
	d.later(d.presses[c.String()])
	if c.Key == "tab" && (len(c.Mods) == 0 || c.String() == "shift+tab") {
		d.tab(len(c.Mods) > 0)
		return
	}
	n := d.focused
	switch {
	case d.menu != nil:
		if c.Key == "escape" {
			d.closeMenu(nil)
		}
	case n == nil:
	case n.editable():
		d.edit(n, c)
	case len(c.Mods) == 0 && (c.Key == "enter" || c.Key == "space"):
		d.act(n)
	}
}

// tab moves the focus to the next element of the active window, or back.
func (d *Desktop) tab(back bool) {
	if d.active == nil {
		return
	}
	var all []*Node
	d.active.walk(func(n *Node) bool {
		if n.has(desktop.Focusable | desktop.Enabled | desktop.Showing) {
			all = append(all, n)
		}
		return true
	})
	if len(all) == 0 {
		return
	}
	step, from := 1, slices.Index(all, d.focused)
	if back {
		step, from = len(all)-1, max(from, 0)
	}
	d.focus(all[(from+step)%len(all)])
}

// typeText enters text where the focus is. In a field of one line a tab moves the
// focus, and an end of line is passed over.
func (d *Desktop) typeText(text string) {
	for _, run := range strings.SplitAfter(text, "\t") {
		n := d.focused
		if n != nil && n.editable() {
			d.insert(n, n.admits(run))
		}
		if strings.HasSuffix(run, "\t") && (n == nil || !n.has(desktop.MultiLine)) {
			d.tab(false)
		}
	}
}
