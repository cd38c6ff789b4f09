package fake

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
)

// Do performs an action and writes it in the journal, unless it fails.
func (d *Desktop) Do(ctx context.Context, a desktop.Action) error {
	note := func(line string, err error) error {
		if err == nil && line != "" { // an action that only waits has no line
			d.note("%s", line)
		}
		return err
	}
	name := desktop.NameOf(a)
	if h, do := d.control(a); do != nil {
		return d.with(ctx, name, h, func(n *Node) error { return note(do(n)) })
	}
	return d.do(ctx, name, func() error { return note(d.perform(a)) })
}

// perform performs an action that is for no element, and returns its line of the
// journal.
func (d *Desktop) perform(a desktop.Action) (line string, err error) {
	switch a := a.(type) {
	case desktop.MovePointer:
		d.input.move(a.To)
		return fmt.Sprintf("move %s", a.To), nil
	case desktop.ButtonDown:
		d.input.hold(a)
		return fmt.Sprintf("button down %s", a.Button), nil
	case desktop.ButtonUp:
		d.input.release(a.Button)
		return fmt.Sprintf("button up %s", a.Button), nil
	case desktop.Click:
		line = fmt.Sprintf("click %s %s", a.At, a.Button)
		if a.Count > 1 {
			line += fmt.Sprintf(" x%d", a.Count)
		}
		return line, d.input.clickAt(a)
	case desktop.Scroll:
		d.input.turnWheel(a.DX, a.DY)
		return fmt.Sprintf("scroll %d,%d", a.DX, a.DY), nil
	case desktop.KeyDown:
		d.input.holdKey(a.Key)
		return fmt.Sprintf("key down %s", a.Key), nil
	case desktop.KeyUp:
		d.input.releaseKey(a.Key)
		return fmt.Sprintf("key up %s", a.Key), nil
	case desktop.Press:
		if a.Ask { // no program here takes keys wherever they are pressed
			return "", nil
		}
		d.input.press(a.Chord)
		return fmt.Sprintf("press %s", a.Chord), nil
	case desktop.Type:
		if a.Text == "" {
			return "", nil
		}
		d.input.typeText(a.Text)
		return fmt.Sprintf("type %q", a.Text), nil
	}
	return d.performOther(a)
}

// performOther performs an action of neither the pointer nor the keyboard.
func (d *Desktop) performOther(a desktop.Action) (line string, err error) {
	switch a := a.(type) {
	case desktop.Manage:
		if w := d.windowOf(a.Window); w != nil {
			line = fmt.Sprintf("%s %q", a.Do, w.el.Name)
		}
		return line, d.manage(a)
	case desktop.WriteClipboard:
		d.clipboard = a.Text
		return fmt.Sprintf("clipboard %q", a.Text), nil
	case desktop.RestoreFocus:
		return "restore focus", d.restoreFocus(a.State)
	case desktop.Launch:
		return fmt.Sprintf("launch %s", a.App), d.launch(a)
	case desktop.OpenURL:
		return fmt.Sprintf("open %s", a.URL), nil
	case desktop.Mark:
		d.mark = a.Area
		return fmt.Sprintf("mark %s %q for %s", a.Area, a.Label, a.For), nil
	case desktop.Unmark:
		d.mark = desktop.Rect{}
		return "unmark", nil
	case desktop.Panel:
		d.panel = a
		return "panel", nil
	}
	return "", desktop.Unsupported(a)
}
