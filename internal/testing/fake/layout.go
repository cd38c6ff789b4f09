package fake

import "understudy/internal/desktop"

const (
	border = 10 // between a window's edge and its content
	head   = 30 // the height of a window's title
	line   = 30 // from one node without a position to the next
)

// layout gives positions to the nodes of a window that have none: leaves stand
// below one another, containers around their children.
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

// hull returns the smallest area around the nodes.
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

// notch is how far one notch of the wheel scrolls.
const notch = line

// turnWheel scrolls the node under the pointer.
func (i *input) turnWheel(dx, dy int) {
	n := i.under(i.pointer)
	for range max(dy, -dy) {
		i.tellWheel(n, dy > 0, "down", "up")
	}
	for range max(dx, -dx) {
		i.tellWheel(n, dx > 0, "right", "left")
	}
	for ; n != nil; n = n.parent {
		if n.scrolls {
			n.scrollBy(dy * notch)
			return
		}
	}
}

// tellWheel has a canvas hear one notch of the wheel.
func (i *input) tellWheel(n *Node, forth bool, ahead, back string) {
	if n == nil || n.el.Role != "canvas" {
		return
	}
	if !forth {
		ahead = back
	}
	i.hear("wheel %q %s", n.el.Name, ahead)
}

// scrollBy moves the children of a node up, as far as there is more below.
func (n *Node) scrollBy(dy int) {
	if len(n.children) == 0 {
		return
	}
	all, box := hull(n.children), n.el.Bounds
	least, most := min(all.Y-box.Y, 0), max(all.Y+all.H-box.Y-box.H, 0)
	dy = min(max(dy, least), most)
	for _, c := range n.children {
		c.shift(0, -dy)
	}
	n.clip()
}

// scrollIntoView scrolls the ancestors of the node until its middle shows.
func (n *Node) scrollIntoView() {
	for p := n.parent; p != nil; p = p.parent {
		if p.scrolls {
			p.scrollBy(n.el.Bounds.Center().Y - p.el.Bounds.Center().Y)
		}
	}
}

// clip makes only those children show that are in view.
func (n *Node) clip() {
	if !n.scrolls {
		return
	}
	for _, c := range n.children {
		c.put(desktop.Showing, n.el.Bounds.Contains(c.el.Bounds.Center()))
	}
}
