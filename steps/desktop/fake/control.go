package fake

import (
	"context"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// Invoke does an action of an element.
func (d *Desktop) Invoke(ctx context.Context, h desktop.Handle, action string) error {
	return d.with(ctx, "Invoke", h, func(n *Node) error {
		if action == "" && len(n.el.Actions) > 0 {
			action = n.el.Actions[0]
		}
		if !slices.Contains(n.el.Actions, action) || !n.has(desktop.Enabled) {
			return fmt.Errorf("%w: %s %q cannot do %q", desktop.ErrRefused, n.el.Role, n.el.Name, action)
		}
		d.note("invoke %s %q %s", n.el.Role, n.el.Name, action)
		d.act(n)
		return nil
	})
}

// SetText replaces an element's text.
func (d *Desktop) SetText(ctx context.Context, h desktop.Handle, text string) error {
	return d.with(ctx, "SetText", h, func(n *Node) error {
		if !n.editable() {
			return fmt.Errorf("%w: %s %q cannot be edited", desktop.ErrRefused, n.el.Role, n.el.Name)
		}
		d.note("set text %s %q %q", n.el.Role, n.el.Name, text)
		n.chosen = [2]int{0, len(n.text)}
		d.insert(n, text)
		return nil
	})
}

// SetNumber sets a value, within its limits.
func (d *Desktop) SetNumber(ctx context.Context, h desktop.Handle, value float64) error {
	return d.with(ctx, "SetNumber", h, func(n *Node) error {
		if n.el.Value == nil || !n.has(desktop.Enabled) {
			return fmt.Errorf("%w: %s %q has no value to set", desktop.ErrRefused, n.el.Role, n.el.Name)
		}
		d.note("set number %s %q %g", n.el.Role, n.el.Name, value)
		n.el.Value.Now = min(max(value, n.el.Value.Min), n.el.Value.Max)
		d.hear("number %q %g", n.el.Name, n.el.Value.Now)
		return nil
	})
}

// Select selects a child of a container, or deselects it.
func (d *Desktop) Select(ctx context.Context, h desktop.Handle, child int, on bool) error {
	return d.with(ctx, "Select", h, func(n *Node) error {
		name := n.el.Name
		if n.el.Role == "combobox" && len(n.children) == 1 && n.children[0].el.Role == "menu" {
			n = n.children[0]
		}
		if child < 0 || child >= len(n.children) {
			return desktop.ErrNotFound
		}
		c := n.children[child]
		if !c.has(desktop.Selectable | desktop.Enabled) {
			return fmt.Errorf("%w: %s %q cannot be selected", desktop.ErrRefused, c.el.Role, c.el.Name)
		}
		d.note("select %s %q %v", c.el.Role, c.el.Name, on)
		n.choose(c, on)
		d.hear("choose %q %q", name, c.el.Name)
		return nil
	})
}

// choose selects a child, alone unless several may be.
func (n *Node) choose(c *Node, on bool) {
	if on && !n.has(desktop.MultiSelectable) {
		for _, o := range n.children {
			o.put(desktop.Selected, false)
		}
	}
	c.put(desktop.Selected, on)
}

// GrabFocus puts the focus on an element.
func (d *Desktop) GrabFocus(ctx context.Context, h desktop.Handle) error {
	return d.with(ctx, "GrabFocus", h, func(n *Node) error {
		if !n.has(desktop.Focusable) {
			return fmt.Errorf("%w: %s %q takes no focus", desktop.ErrRefused, n.el.Role, n.el.Name)
		}
		d.note("focus %s %q", n.el.Role, n.el.Name)
		if d.focused != n && n.editable() && !n.has(desktop.MultiLine) { // as most toolkits do in a field of one line
			n.chosen, n.caret = [2]int{0, len(n.text)}, len(n.text)
		}
		d.focus(n)
		return nil
	})
}

// Reveal makes an element show, and scrolls what it stands in.
func (d *Desktop) Reveal(ctx context.Context, h desktop.Handle) error {
	return d.with(ctx, "Reveal", h, func(n *Node) error {
		d.note("reveal %s %q", n.el.Role, n.el.Name)
		n.put(desktop.Showing, true)
		n.scrollIntoView()
		return nil
	})
}

// act has the effect of a click on a node.
func (d *Desktop) act(n *Node) {
	if !n.has(desktop.Enabled) {
		return
	}
	d.closeMenu(n)
	switch n.el.Role {
	case "checkbox", "switch", "checkmenuitem":
		d.turn(n, desktop.Checked, !n.has(desktop.Checked))
	case "cell":
		if slices.Contains(n.el.Actions, "Toggle") { // with a checkbox in it
			d.turn(n, desktop.Checked, !n.has(desktop.Checked))
		} else if n.parent != nil {
			n.parent.choose(n, true)
		}
	case "togglebutton":
		d.turn(n, desktop.Pressed, !n.has(desktop.Pressed))
	case "radiobutton", "radiomenuitem":
		d.only(n)
	case "combobox":
		n.put(desktop.Expanded, !n.has(desktop.Expanded))
	case "menu":
		d.openMenu(n)
	default:
		if slices.Contains(n.el.Actions, "click") {
			d.hear("click %q", n.el.Name)
		}
		if n.has(desktop.Selectable) && n.parent != nil {
			n.parent.choose(n, true)
		}
	}
	d.later(n.click)
}

// turn switches a node on or off.
func (d *Desktop) turn(n *Node, s desktop.States, on bool) {
	if n.has(s) == on {
		return
	}
	n.put(s, on)
	d.hear("toggle %q %s", n.el.Name, map[bool]string{true: "on", false: "off"}[on])
}

// only checks a node and none of its siblings of the same role.
func (d *Desktop) only(n *Node) {
	if n.parent != nil {
		for _, o := range n.parent.children {
			if o != n && o.el.Role == n.el.Role {
				d.turn(o, desktop.Checked, false)
			}
		}
	}
	d.turn(n, desktop.Checked, true)
}

func (d *Desktop) focus(n *Node) {
	d.unfocus()
	d.focused = n
	n.put(desktop.Focused, true)
	n.window().last = n
	if d.active != n.window() {
		d.activate(n.window())
	}
}

func (d *Desktop) unfocus() {
	if d.focused != nil {
		d.focused.put(desktop.Focused, false)
		d.focused = nil
	}
}
