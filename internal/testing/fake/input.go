package fake

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop"
)

// OnPress calls f when a chord such as "ctrl+s" is pressed, whatever has the
// focus.
func (d *Desktop) OnPress(chord string, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.input.presses[chord] = f
}

func (d *Desktop) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return get(ctx, d, "PointerPosition", func() (desktop.Point, error) { return d.input.pointer, nil })
}

// Rest says how long a click must wait so as not to count as a double click. By default no
// application counts clicks.
func (d *Desktop) Rest(of func(desktop.Click) time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.input.rest = of
}

func (d *Desktop) ClickRest(ctx context.Context, c desktop.Click) (time.Duration, error) {
	return get(ctx, d, "ClickRest", func() (time.Duration, error) {
		if d.input.rest == nil {
			return 0, nil
		}
		return d.input.rest(c), nil
	})
}

// move moves the pointer, which dismisses popups.
func (i *input) move(to desktop.Point) {
	i.point(to)
	for _, w := range slices.Clone(i.windows) {
		if w.popup && !w.stays {
			i.close(w)
		}
	}
}

// clickAt presses and releases a button at a point, count times.
func (i *input) clickAt(c desktop.Click) error {
	n := i.under(c.At)
	if w := c.In; w != nil && (n == nil || n.window().el.Window != w.ID || n.window().el.Bounds != w.Bounds) {
		return fmt.Errorf("the window %q is not at %s: %w", w.Title, c.At, desktop.ErrMoved)
	}
	i.point(c.At)
	for k := range max(c.Count, 1) {
		i.pressButton(c.Button, k > 0)
		i.letGo(c.Button)
	}
	return nil
}

func (i *input) point(at desktop.Point) {
	if i.pointer == at {
		return
	}
	i.pointer = at
	n := i.grabbed
	if n == nil {
		n = i.under(at)
	}
	i.tellCanvas(n, "move", "")
}

// tellCanvas has a canvas, which does nothing itself, hear an event of the mouse.
func (i *input) tellCanvas(n *Node, what string, b desktop.Button) {
	if n == nil || n.el.Role != "canvas" {
		return
	}
	words := []string{what, strconv.Quote(n.el.Name)}
	if b != "" {
		words = append(words, string(b))
	}
	at := desktop.Point{X: i.pointer.X - n.el.Bounds.X, Y: i.pointer.Y - n.el.Bounds.Y}
	words = append(words, "at", at.String())
	if slices.Contains(i.keys, desktop.Ctrl) {
		words = append(words, string(desktop.Ctrl))
	}
	i.hear("%s", strings.Join(words, " "))
}

// pressButton presses a button at the pointer: the window is raised, and a
// focusable node gets the focus. Again is the second press of a double click.
func (i *input) pressButton(b desktop.Button, again bool) {
	n := i.under(i.pointer)
	if i.grabbed = n; n == nil {
		return
	}
	if n.window() != i.active {
		i.activate(n.window())
	}
	if n.has(desktop.Focusable | desktop.Enabled) {
		i.focus(n)
	}
	i.tellCanvas(n, "press", b)
	n.moveTo(n.caret)
	if again {
		i.tellCanvas(n, "double", b)
		n.chosen = [2]int{0, len(n.text)}
	}
}

// letGo releases a button. On the node where it was pressed, that is a click.
func (i *input) letGo(b desktop.Button) {
	n := i.grabbed
	i.grabbed = nil
	if n == nil {
		i.closeMenu(nil)
		return
	}
	i.tellCanvas(n, "release", b)
	if b == desktop.Left && n == i.under(i.pointer) {
		i.act(n)
	}
}

// hold presses a button at the pointer, and holds it.
func (i *input) hold(a desktop.ButtonDown) {
	if slices.Contains(i.buttons, a.Button) {
		return
	}
	i.buttons = append(i.buttons, a.Button)
	here := desktop.Click{At: i.pointer, Button: a.Button}
	i.pressButton(a.Button, a.Follows && i.last == here)
	i.last = here
}

// release releases a held button.
func (i *input) release(b desktop.Button) {
	i.letGo(b)
	i.buttons = slices.DeleteFunc(i.buttons, func(o desktop.Button) bool { return o == b })
}

func (i *input) holdKey(k desktop.Key) {
	if !slices.Contains(i.keys, k) {
		i.keys = append(i.keys, k)
		i.hear("key %q down", k)
	}
}

func (i *input) releaseKey(k desktop.Key) {
	if slices.Contains(i.keys, k) {
		i.hear("key %q up", k)
	}
	i.keys = slices.DeleteFunc(i.keys, func(o desktop.Key) bool { return o == k })
}

// Held lists the keys and buttons that are held down.
func (d *Desktop) Held() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, k := range d.input.keys {
		all = append(all, string(k))
	}
	for _, b := range d.input.buttons {
		all = append(all, string(b))
	}
	return all
}

// press presses a chord. Editing keys edit the focused field, tab moves the focus,
// and enter or space act on a focused button.
func (i *input) press(c desktop.Chord) {
	i.later(i.presses[c.String()])
	if c.Key == "tab" && (len(c.Mods) == 0 || c.String() == "shift+tab") {
		i.tab(len(c.Mods) > 0)
		return
	}
	n := i.focused
	switch {
	case i.menu != nil:
		if c.Key == "escape" {
			i.closeMenu(nil)
		}
	case n == nil:
	case n.editable():
		i.edit(n, c)
	case len(c.Mods) == 0 && (c.Key == "enter" || c.Key == "space"):
		i.act(n)
	}
}

// tab moves the focus to the next element of the active window, or back.
func (i *input) tab(back bool) {
	if i.active == nil {
		return
	}
	var all []*Node
	i.active.walk(func(n *Node) bool {
		if n.has(desktop.Focusable | desktop.Enabled | desktop.Showing) {
			all = append(all, n)
		}
		return true
	})
	if len(all) == 0 {
		return
	}
	step, from := 1, slices.Index(all, i.focused)
	if back {
		step, from = len(all)-1, max(from, 0)
	}
	i.focus(all[(from+step)%len(all)])
}

// typeText inserts text into the focused field. In a field of one line a tab moves
// the focus, and an end of line is ignored.
func (i *input) typeText(text string) {
	for _, run := range strings.SplitAfter(text, "\t") {
		n := i.focused
		if n != nil && n.editable() {
			i.insert(n, n.admits(run))
		}
		if strings.HasSuffix(run, "\t") && (n == nil || !n.has(desktop.MultiLine)) {
			i.tab(false)
		}
	}
}
