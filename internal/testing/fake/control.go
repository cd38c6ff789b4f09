package fake

import (
	"fmt"
	"slices"

	"understudy/internal/desktop"
)

// control returns the element that an action is for, and what the action does to
// its node: it acts and returns its line of the journal, or refuses. An action
// that is for no element has none.
func (s *stack) control(a desktop.Action) (of desktop.Handle, do func(*Node) (line string, err error)) {
	switch a := a.(type) {
	case desktop.Invoke:
		return a.Element, func(n *Node) (string, error) {
			action := n.action(a.Action)
			if !slices.Contains(n.el.Actions, action) || !n.has(desktop.Enabled) {
				return n.refuse("cannot do %q", action)
			}
			s.act(n)
			return fmt.Sprintf("invoke %s %s", n, action), nil
		}
	case desktop.SetText:
		return a.Element, func(n *Node) (string, error) {
			if !n.editable() {
				return n.refuse("cannot be edited")
			}
			n.selectAll()
			s.insert(n, a.Text)
			return fmt.Sprintf("set text %s %q", n, a.Text), nil
		}
	case desktop.InsertText:
		return a.Element, func(n *Node) (string, error) {
			if !n.editable() {
				return n.refuse("cannot be edited")
			}
			n.moveTo(n.caret)
			s.insert(n, a.Text)
			return fmt.Sprintf("insert %s %q", n, a.Text), nil
		}
	case desktop.SetNumber:
		return a.Element, func(n *Node) (string, error) {
			v := n.el.Value
			if v == nil || !n.has(desktop.Enabled) {
				return n.refuse("has no value to set")
			}
			v.Now = min(max(a.Value, v.Min), v.Max)
			s.hear("number %q %g", n.el.Name, v.Now)
			return fmt.Sprintf("set number %s %g", n, a.Value), nil
		}
	case desktop.Select:
		return a.Container, func(n *Node) (string, error) {
			c := n.option(a.Child)
			if c == nil {
				return "", desktop.ErrNotFound
			}
			if !c.has(desktop.Selectable | desktop.Enabled) {
				return c.refuse("cannot be selected")
			}
			n.options().choose(c, a.On)
			s.hear("choose %q %q", n.el.Name, c.el.Name)
			return fmt.Sprintf("select %s %v", c, a.On), nil
		}
	case desktop.GrabFocus:
		return a.Element, func(n *Node) (string, error) {
			if !n.has(desktop.Focusable) {
				return n.refuse("takes no focus")
			}
			if s.focused != n && n.editable() && !n.has(desktop.MultiLine) { // as most toolkits do in a field of one line
				n.selectAll()
			}
			s.focus(n)
			return "focus " + n.String(), nil
		}
	case desktop.Reveal:
		return a.Element, func(n *Node) (string, error) {
			n.put(desktop.Showing, true)
			n.scrollIntoView()
			return "reveal " + n.String(), nil
		}
	}
	return "", nil
}

// String names a node by its role and name.
func (n *Node) String() string { return fmt.Sprintf("%s %q", n.el.Role, n.el.Name) }

// refuse returns the error of a node that does not do an action.
func (n *Node) refuse(format string, args ...any) (line string, err error) {
	return "", fmt.Errorf("%w: %s %s", desktop.ErrRefused, n, fmt.Sprintf(format, args...))
}

// action returns the name of an action of a node: "" is the first.
func (n *Node) action(name string) string {
	if name == "" && len(n.el.Actions) > 0 {
		return n.el.Actions[0]
	}
	return name
}

// options returns the node whose children are selected: a combo box may keep
// them in a menu.
func (n *Node) options() *Node {
	if n.el.Role == "combobox" && len(n.children) == 1 && n.children[0].el.Role == "menu" {
		return n.children[0]
	}
	return n
}

// option returns a child that may be selected, or nil.
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
func (s *stack) act(n *Node) {
	if !n.has(desktop.Enabled) {
		return
	}
	s.closeMenu(n)
	switch n.el.Role {
	case "checkbox", "switch", "checkmenuitem":
		s.toggle(n, desktop.Checked, !n.has(desktop.Checked))
	case "cell":
		if slices.Contains(n.el.Actions, "Toggle") { // with a checkbox in it
			s.toggle(n, desktop.Checked, !n.has(desktop.Checked))
		} else if n.parent != nil {
			n.parent.choose(n, true)
		}
	case "togglebutton":
		s.toggle(n, desktop.Pressed, !n.has(desktop.Pressed))
	case "radiobutton", "radiomenuitem":
		s.checkAlone(n)
	case "combobox":
		n.put(desktop.Expanded, !n.has(desktop.Expanded))
	case "menu":
		s.openMenu(n)
	default:
		if slices.Contains(n.el.Actions, "click") {
			s.hear("click %q", n.el.Name)
		}
		if n.has(desktop.Selectable) && n.parent != nil {
			n.parent.choose(n, true)
		}
	}
	s.later(n.click)
}

// toggle switches a state of a node on or off.
func (s *stack) toggle(n *Node, state desktop.States, on bool) {
	if n.has(state) == on {
		return
	}
	n.put(state, on)
	s.hear("toggle %q %s", n.el.Name, map[bool]string{true: "on", false: "off"}[on])
}

// checkAlone checks a node and unchecks its siblings of the same role.
func (s *stack) checkAlone(n *Node) {
	if n.parent != nil {
		for _, o := range n.parent.children {
			if o != n && o.el.Role == n.el.Role {
				s.toggle(o, desktop.Checked, false)
			}
		}
	}
	s.toggle(n, desktop.Checked, true)
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

// pullsDown reports whether the node is a menu of a menu bar, whose items show
// only while it is open.
func (n *Node) pullsDown() bool {
	return n.el.Role == "menu" && n.parent != nil && n.parent.el.Role == "menubar"
}

func (s *stack) openMenu(n *Node) {
	if !n.pullsDown() {
		return
	}
	s.menu = n
	n.showItems(true)
	s.hear("menu %q open", n.el.Name)
}

// closeMenu closes the menu that is open, because something was done to another
// element, or to an item of it.
func (s *stack) closeMenu(by *Node) {
	if s.menu == nil || by != nil && by == s.menu {
		return
	}
	s.menu.showItems(false)
	s.hear("menu %q closed", s.menu.el.Name)
	s.menu = nil
}

func (n *Node) showItems(on bool) {
	for _, c := range n.children {
		c.put(desktop.Showing, on)
	}
}
