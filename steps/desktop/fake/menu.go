package fake

import "understudy/steps/desktop"

// pullsDown says whether the node is a menu of a menu bar, whose items show only
// while it is open.
func (n *Node) pullsDown() bool {
	return n.el.Role == "menu" && n.parent != nil && n.parent.el.Role == "menubar"
}

// openMenu opens a menu.
func (d *Desktop) openMenu(n *Node) {
	if !n.pullsDown() {
		return
	}
	d.menu = n
	n.showItems(true)
	d.hear("menu %q open", n.el.Name)
}

// closeMenu closes the menu that is open, because something was done to another
// element, or to an item of it.
func (d *Desktop) closeMenu(by *Node) {
	if d.menu == nil || by != nil && by == d.menu {
		return
	}
	d.menu.showItems(false)
	d.hear("menu %q closed", d.menu.el.Name)
	d.menu = nil
}

func (n *Node) showItems(on bool) {
	for _, c := range n.children {
		c.put(desktop.Showing, on)
	}
}
