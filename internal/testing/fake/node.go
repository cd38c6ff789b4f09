package fake

import (
	"image/color"
	"slices"

	"understudy/internal/desktop"
)

// Node is a live element of the fake desktop. Its building methods return the
// node, and are for before it is shown; Set changes it afterwards.
type Node struct {
	content
	el        desktop.Element
	parent    *Node
	children  []*Node
	box       bool         // the bounds were given
	former    desktop.Rect // of a maximised window: its bounds before
	minimized bool         // a window that is minimised
	popup     bool         // a window that goes when the pointer moves
	stays     bool         // a popup that does not
	tooltip   bool         // a popup that is known as a tooltip
	maximized bool         // a window that is maximised
	last      *Node        // of a window: the node that had the focus when it was left
	scrolls   bool         // the children can be scrolled
	painted   color.RGBA   // its own colour, if any
	click     func()
	changed   func(text string)
}

// roles are the states that a node of a role begins with, beside Enabled, Showing
// and Visible, and its action, if any.
var roles = map[desktop.Role]struct {
	states desktop.States
	action string
}{
	"button":        {desktop.Focusable, "click"},
	"checkbox":      {desktop.Focusable, "toggle"},
	"radiobutton":   {desktop.Focusable, "toggle"},
	"togglebutton":  {desktop.Focusable, "toggle"},
	"switch":        {desktop.Focusable, "toggle"},
	"link":          {desktop.Focusable, "click"},
	"combobox":      {desktop.Focusable, "press"},
	"slider":        {desktop.Focusable, ""},
	"spinbutton":    {desktop.Focusable, ""},
	"entry":         {desktop.Focusable | desktop.Editable, "activate"},
	"password":      {desktop.Focusable | desktop.Editable, "activate"},
	"text":          {desktop.Focusable | desktop.Editable | desktop.MultiLine, ""},
	"terminal":      {desktop.Focusable | desktop.Editable | desktop.MultiLine, ""},
	"listitem":      {desktop.Focusable | desktop.Selectable, "click"},
	"treeitem":      {desktop.Focusable | desktop.Selectable, ""},
	"cell":          {desktop.Focusable | desktop.Selectable, ""},
	"pagetab":       {desktop.Focusable | desktop.Selectable, "click"},
	"menu":          {0, "click"},
	"menuitem":      {desktop.Selectable, "click"},
	"checkmenuitem": {desktop.Selectable, "toggle"},
	"radiomenuitem": {desktop.Selectable, "toggle"},
}

// El returns a node of any role.
func El(role desktop.Role, name string, children ...*Node) *Node {
	n := &Node{children: children}
	n.el.Role, n.el.Name = role, name
	n.el.States = desktop.Enabled | desktop.Showing | desktop.Visible | roles[role].states
	if action := roles[role].action; action != "" {
		n.el.Actions = []string{action}
	}
	for _, c := range children {
		c.parent = n
	}
	return n
}

// Window returns a window of a program.
func Window(title, process string, children ...*Node) *Node {
	n := El("frame", title, children...)
	n.el.Process = process
	return n
}

// Dialog returns a window that blocks the program's others.
func Dialog(title, process string, children ...*Node) *Node {
	n := Window(title, process, children...)
	n.el.Role = "dialog"
	n.el.States |= desktop.IsModal
	return n
}

// Button returns a button.
func Button(name string) *Node { return El("button", name) }

// Label returns a text.
func Label(text string) *Node { return El("label", text).Holding(text) }

// At sets the position of the node on the screen. Nodes without a position stand
// below one another.
func (n *Node) At(x, y, w, h int) *Node {
	n.el.Bounds, n.box = desktop.Rect{X: x, Y: y, W: w, H: h}, true
	return n
}

// Tooltip makes the window a tooltip, which is dismissed when the pointer moves,
// unless it stays.
func (n *Node) Tooltip(stays bool) *Node {
	n.tooltip = true
	return n.Popup(stays)
}

// Popup makes the window one that no window manager manages, and that is dismissed
// when the pointer moves, unless it stays.
func (n *Node) Popup(stays bool) *Node {
	n.popup, n.stays = true, stays
	return n
}

// Scrolling makes the children of the node stand below one another and scroll in
// its box. The node must have a position.
func (n *Node) Scrolling() *Node {
	n.scrolls = true
	return n
}

func (n *Node) Painted(c color.RGBA) *Node {
	n.painted = c
	return n
}

func (n *Node) ID(id string) *Node {
	n.el.ID = id
	return n
}

func (n *Node) Labelled(label string) *Node {
	n.el.Label = label
	return n
}

// Holding gives the node a text, with the caret at its end.
func (n *Node) Holding(text string) *Node {
	n.hold(text)
	return n
}

func (n *Node) With(s desktop.States) *Node {
	n.el.States |= s
	return n
}

func (n *Node) Without(s desktop.States) *Node {
	n.el.States &^= s
	return n
}

// OnClick sets a function to call when the node is clicked or invoked while it is
// enabled.
func (n *Node) OnClick(f func()) *Node {
	n.click = f
	return n
}

// OnChange sets a function to call with the node's text when an action changed it.
func (n *Node) OnChange(f func(text string)) *Node {
	n.changed = f
	return n
}

func (n *Node) window() *Node {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// walk calls f for the node and its descendants, until f returns false.
func (n *Node) walk(f func(*Node) bool) bool {
	if !f(n) {
		return false
	}
	for _, c := range n.children {
		if !c.walk(f) {
			return false
		}
	}
	return true
}

func (n *Node) has(s desktop.States) bool { return n.el.States.Has(s) }

func (n *Node) put(s desktop.States, on bool) {
	n.el.States &^= s
	if on {
		n.el.States |= s
	}
}

func (n *Node) remove() {
	if p := n.parent; p != nil {
		p.children = slices.DeleteFunc(p.children, func(c *Node) bool { return c == n })
		n.parent = nil
	}
}

func (n *Node) shift(dx, dy int) {
	n.walk(func(c *Node) bool {
		c.el.Bounds.X += dx
		c.el.Bounds.Y += dy
		return true
	})
}
