package fake

import "understudy/steps/desktop"

// pullsDown says whether the node is a menu of a menu bar, whose items show only
// while it is open.
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
