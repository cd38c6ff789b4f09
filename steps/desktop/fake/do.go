package fake

import (
	"context"
	"fmt"

	"understudy/steps/desktop"
)

// Do performs an action and writes it in the journal, unless it fails.
func (d *Desktop) Do(ctx context.Context, a desktop.Action) error {
	name := desktop.NameOf(a)
	if h, ok := target(a); ok {
		return d.with(ctx, name, h, func(n *Node) error {
			return d.noted(controlLine(a, n), func() error { return d.control(n, a) })
		})
	}
	return d.do(ctx, name, func() error {
		return d.noted(d.lineOf(a), func() error { return d.perform(a) })
	})
}

// noted writes a line of the journal when f succeeds. The lock is held.
func (d *Desktop) noted(line string, f func() error) error {
	err := f()
	if err == nil {
		d.journal = append(d.journal, line)
	}
	return err
}

// perform performs an action that is for no element.
func (d *Desktop) perform(a desktop.Action) error {
	switch a := a.(type) {
	case desktop.MovePointer:
		d.move(a.To)
	case desktop.ButtonDown:
		d.hold(a.Button)
	case desktop.ButtonUp:
		d.release(a.Button)
	case desktop.Click:
		return d.clickAt(a)
	case desktop.KeyDown:
		d.holdKey(a.Key)
	case desktop.KeyUp:
		d.releaseKey(a.Key)
	case desktop.Press:
		d.press(a.Chord)
	case desktop.Type:
		d.typeText(a.Text)
	case desktop.Manage:
		return d.manage(a)
	case desktop.WriteClipboard:
		d.clipboard = a.Text
	case desktop.RestoreFocus:
		return d.restoreFocus(a.State)
	case desktop.Launch:
		return d.launch(a)
	case desktop.Scroll:
		d.turnWheel(a.DX, a.DY)
	case desktop.Mark:
		d.mark = a.Area
	case desktop.Unmark:
		d.mark = desktop.Rect{}
	case desktop.OpenURL: // only writes the journal
	default:
		return desktop.Unsupported(a)
	}
	return nil
}

// lineOf is the line of the journal for an action that is for no element.
func (d *Desktop) lineOf(a desktop.Action) string {
	switch a := a.(type) {
	case desktop.MovePointer:
		return fmt.Sprintf("move %s", a.To)
	case desktop.ButtonDown:
		return fmt.Sprintf("button down %s", a.Button)
	case desktop.ButtonUp:
		return fmt.Sprintf("button up %s", a.Button)
	case desktop.Click:
		times := ""
		if a.Count > 1 {
			times = fmt.Sprintf(" x%d", a.Count)
		}
		return fmt.Sprintf("click %s %s%s", a.At, a.Button, times)
	case desktop.Scroll:
		return fmt.Sprintf("scroll %d,%d", a.DX, a.DY)
	case desktop.KeyDown:
		return fmt.Sprintf("key down %s", a.Key)
	case desktop.KeyUp:
		return fmt.Sprintf("key up %s", a.Key)
	case desktop.Press:
		return fmt.Sprintf("press %s", a.Chord)
	case desktop.Type:
		return fmt.Sprintf("type %q", a.Text)
	case desktop.Manage:
		if w := d.windowOf(a.Window); w != nil {
			return fmt.Sprintf("%s %q", a.Do, w.el.Name)
		}
	case desktop.WriteClipboard:
		return fmt.Sprintf("clipboard %q", a.Text)
	case desktop.RestoreFocus:
		return "restore focus"
	case desktop.Launch:
		return fmt.Sprintf("launch %s", a.App)
	case desktop.OpenURL:
		return fmt.Sprintf("open %s", a.URL)
	case desktop.Mark:
		return fmt.Sprintf("mark %s %q for %s", a.Area, a.Label, a.For)
	case desktop.Unmark:
		return "unmark"
	}
	return ""
}

// controlLine is the line of the journal for an action on a node.
func controlLine(a desktop.Action, n *Node) string {
	what := fmt.Sprintf("%s %q", n.el.Role, n.el.Name)
	switch a := a.(type) {
	case desktop.Invoke:
		return fmt.Sprintf("invoke %s %s", what, n.action(a.Action))
	case desktop.SetText:
		return fmt.Sprintf("set text %s %q", what, a.Text)
	case desktop.SetNumber:
		return fmt.Sprintf("set number %s %g", what, a.Value)
	case desktop.Select:
		if c := n.option(a.Child); c != nil {
			return fmt.Sprintf("select %s %q %v", c.el.Role, c.el.Name, a.On)
		}
	case desktop.GrabFocus:
		return "focus " + what
	case desktop.Reveal:
		return "reveal " + what
	}
	return ""
}
