package fake

import "understudy/steps/desktop"

const (
	border = 10 // between a window's edge and what is in it
	head   = 30 // the height of a window's title
	line   = 30 // from one node without a place to the next
)

// layout gives places to the nodes of a window that have none: leaves stand
// below one another, containers are drawn around what they hold.
func layout(w *Node, order int) {
	if !w.box {
		w.el.Bounds = desktop.Rect{X: 40 * order, Y: 30 * order, W: 400, H: head + border + line*leaves(w)}
	}
	next := desktop.Point{X: w.el.Bounds.X + border, Y: w.el.Bounds.Y + head}
	for _, c := range w.children {
		c.settle(&next)
	}
}

func (n *Node) settle(next *desktop.Point) {
	inside := next
	switch {
	case n.scrolls:
		inside = &desktop.Point{X: n.el.Bounds.X, Y: n.el.Bounds.Y}
	case n.pullsDown():
		inside = &desktop.Point{X: next.X, Y: next.Y + line}
		n.showItems(false)
	}
	for _, c := range n.children {
		c.settle(inside)
	}
	n.clip()
	switch {
	case n.box:
	case len(n.children) == 0 || n.pullsDown():
		n.el.Bounds = desktop.Rect{X: next.X, Y: next.Y, W: 200, H: 24}
		next.Y += line
	default:
		n.el.Bounds = hull(n.children)
	}
}

// hull is the least area around the nodes.
func hull(nodes []*Node) desktop.Rect {
	area := nodes[0].el.Bounds.Image()
	for _, c := range nodes[1:] {
		area = area.Union(c.el.Bounds.Image())
	}
	return desktop.RectOf(area)
}

func leaves(n *Node) int {
	if len(n.children) == 0 || n.pullsDown() {
		return 1
	}
	sum := 0
	for _, c := range n.children {
		sum += leaves(c)
	}
	return sum
}
