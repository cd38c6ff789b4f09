package fake

import "understudy/steps/desktop"

// notch is how far one turn of the wheel scrolls.
const notch = line

// turnWheel scrolls what is under the pointer.
func (h *hands) turnWheel(dx, dy int) {
	n := h.under(h.pointer)
	for range max(dy, -dy) {
		h.tellWheel(n, dy > 0, "down", "up")
	}
	for range max(dx, -dx) {
		h.tellWheel(n, dx > 0, "right", "left")
	}
	for ; n != nil; n = n.parent {
		if n.scrolls {
			n.scrollBy(dy * notch)
			return
		}
	}
}

// tellWheel has a canvas hear one notch of the wheel.
func (h *hands) tellWheel(n *Node, forth bool, ahead, back string) {
	if n == nil || n.el.Role != "canvas" {
		return
	}
	if !forth {
		ahead = back
	}
	h.hear("wheel %q %s", n.el.Name, ahead)
}

// scrollBy moves what is in a node up, as far as there is more of it.
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

// scrollIntoView scrolls what the node stands in until its middle shows.
func (n *Node) scrollIntoView() {
	for p := n.parent; p != nil; p = p.parent {
		if p.scrolls {
			p.scrollBy(n.el.Bounds.Center().Y - p.el.Bounds.Center().Y)
		}
	}
}

// clip has those children show that are in view.
func (n *Node) clip() {
	if !n.scrolls {
		return
	}
	for _, c := range n.children {
		c.put(desktop.Showing, n.el.Bounds.Contains(c.el.Bounds.Center()))
	}
}
