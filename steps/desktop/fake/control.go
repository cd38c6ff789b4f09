package fake

import (
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// target is the element that an action is for, if it is for one.
func target(a desktop.Action) (h desktop.Handle, ok bool) {
	switch a := a.(type) {
	case desktop.Invoke:
		return a.Element, true
	case desktop.SetText:
		return a.Element, true
	case desktop.InsertText:
		return a.Element, true
	case desktop.SetNumber:
		return a.Element, true
	case desktop.Select:
		return a.Container, true
	case desktop.GrabFocus:
		return a.Element, true
	case desktop.Reveal:
		return a.Element, true
	}
	return "", false
}

// control performs an action on a node, unless that refuses.
func (d *Desktop) control(n *Node, a desktop.Action) error {
	if err := n.refuses(a); err != nil {
		return err
	}
	switch a := a.(type) {
	case desktop.Invoke:
		d.act(n)
	case desktop.SetText:
		n.chosen = [2]int{0, len(n.text)}
		d.hands.insert(n, a.Text)
	case desktop.InsertText:
		n.moveTo(n.caret)
		d.hands.insert(n, a.Text)
	case desktop.SetNumber:
		n.el.Value.Now = min(max(a.Value, n.el.Value.Min), n.el.Value.Max)
		d.hear("number %q %g", n.el.Name, n.el.Value.Now)
	case desktop.Select:
		c := n.option(a.Child)
		n.options().choose(c, a.On)
		d.hear("choose %q %q", n.el.Name, c.el.Name)
	case desktop.GrabFocus:
		if d.focused != n && n.editable() && !n.has(desktop.MultiLine) { // as most toolkits do in a field of one line
			n.chosen, n.caret = [2]int{0, len(n.text)}, len(n.text)
		}
		d.focus(n)
	case desktop.Reveal:
		n.put(desktop.Showing, true)
		n.scrollIntoView()
	}
	return nil
}

// refuses says why a node does not do what it is asked; nil when it does.
func (n *Node) refuses(a desktop.Action) error {
	refused := func(of *Node, cannot string) error {
		return fmt.Errorf("%w: %s %q %s", desktop.ErrRefused, of.el.Role, of.el.Name, cannot)
	}
	switch a := a.(type) {
	case desktop.Invoke:
		if action := n.action(a.Action); !slices.Contains(n.el.Actions, action) || !n.has(desktop.Enabled) {
			return refused(n, fmt.Sprintf("cannot do %q", action))
		}
	case desktop.SetText, desktop.InsertText:
		if !n.editable() {
			return refused(n, "cannot be edited")
		}
	case desktop.SetNumber:
		if n.el.Value == nil || !n.has(desktop.Enabled) {
			return refused(n, "has no value to set")
		}
	case desktop.Select:
		c := n.option(a.Child)
		if c == nil {
			return desktop.ErrNotFound
		}
		if !c.has(desktop.Selectable | desktop.Enabled) {
			return refused(c, "cannot be selected")
		}
	case desktop.GrabFocus:
		if !n.has(desktop.Focusable) {
			return refused(n, "takes no focus")
		}
	}
	return nil
}

// action is the name of an action of a node: "" is the first.
func (n *Node) action(name string) string {
	if name == "" && len(n.el.Actions) > 0 {
		return n.el.Actions[0]
	}
	return name
}

// options is the node whose children are selected: a combo box may keep them in
// a menu.
func (n *Node) options() *Node {
	if n.el.Role == "combobox" && len(n.children) == 1 && n.children[0].el.Role == "menu" {
		return n.children[0]
	}
	return n
}

// option is a child that may be selected, or nil.
func (n *Node) option(i int) *Node {
	if all := n.options().children; i >= 0 && i < len(all) {
		return all[i]
	}
	return nil
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

func (s *stack) focus(n *Node) {
	s.unfocus()
	s.focused = n
	n.put(desktop.Focused, true)
	n.window().last = n
	if s.active != n.window() {
		s.activate(n.window())
	}
}

func (s *stack) unfocus() {
	if s.focused != nil {
		s.focused.put(desktop.Focused, false)
		s.focused = nil
	}
}
