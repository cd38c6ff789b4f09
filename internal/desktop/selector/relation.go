package selector

import (
	"cmp"
	"math"
	"slices"

	"understudy/internal/desktop"
)

const (
	// nearDistance is the maximum gap between two boxes for near:, in pixels.
	nearDistance = 100
	// overlapSlack is the number of pixels by which two boxes may overlap and still be
	// side by side: toolkits count borders and shadows differently.
	overlapSlack = 4
	// maxAnchors is the maximum number of anchors of the first side that are considered.
	// More than one only shows that the anchor is ambiguous.
	maxAnchors = 100
)

// distance returns how far box lies from anchor, and whether it lies in the direction
// of a relative atom at all. An empty box is on no side.
func (k kind) distance(box, anchor desktop.Rect) (pixels int, ok bool) {
	if box.Empty() || anchor.Empty() {
		return 0, false
	}
	if k == near {
		gap := gapBetween(box, anchor)
		return gap, gap <= nearDistance
	}
	if k == above || k == below {
		box, anchor = transposed(box), transposed(anchor)
	}
	left, right := anchor, box
	if k == leftOf || k == above {
		left, right = box, anchor
	}
	gap := right.X - (left.X + left.W)
	overlap := overlapLen(box.Y, box.H, anchor.Y, anchor.H)
	askew := min(box.H, anchor.H) - overlap
	return max(gap, 0) + askew, gap >= -overlapSlack && overlap > 0
}

// transposed swaps the axes of a box, so that above becomes left of.
func transposed(r desktop.Rect) desktop.Rect { return desktop.Rect{X: r.Y, Y: r.X, W: r.H, H: r.W} }

// overlapLen returns how far two spans overlap; if negative, the gap between
// them.
func overlapLen(a, aLen, b, bLen int) int { return min(a+aLen, b+bLen) - max(a, b) }

// gapBetween returns the distance between two boxes.
func gapBetween(a, b desktop.Rect) int {
	dx := max(0, -overlapLen(a.X, a.W, b.X, b.W))
	dy := max(0, -overlapLen(a.Y, a.H, b.Y, b.H))
	return int(math.Hypot(float64(dx), float64(dy)))
}

// A distanced element has a distance from its anchors.
type distanced struct {
	element *desktop.Element
	pixels  int
}

// nearestBeside keeps, for each anchor of the first side, the nearest of the elements
// that lie on every side, or the nth nearest. Distances from the anchors of several
// sides add up. So an ambiguous anchor makes an ambiguous match instead of one that is
// right by chance.
func nearestBeside(tops, fits []*desktop.Element, sides []atom, nth *int) []*desktop.Element {
	beside := make([]distanced, len(fits))
	for i, e := range fits {
		beside[i].element = e
	}
	for _, a := range sides[1:] {
		beside = a.kind.besideAny(a.inner.Find(tops), beside)
	}
	first, anchors := sides[0].kind, sides[0].inner.Find(tops)
	kept := map[*desktop.Element]bool{}
	for i := range min(len(anchors), maxAnchors) {
		for _, e := range closest(first.besideAny(anchors[i:i+1], beside), nth) {
			kept[e] = true
		}
	}
	return slices.DeleteFunc(fits, func(e *desktop.Element) bool { return !kept[e] })
}

// besideAny returns the elements that lie on this side of one of the anchors, with the
// distance from the closest one added to theirs.
func (k kind) besideAny(anchors []*desktop.Element, all []distanced) (beside []distanced) {
	for _, d := range all {
		if pixels, ok := k.nearestDistance(d.element, anchors); ok {
			beside = append(beside, distanced{d.element, d.pixels + pixels})
		}
	}
	return beside
}

// closest returns the elements at the least distance, or the nth of all.
func closest(found []distanced, nth *int) []*desktop.Element {
	slices.SortStableFunc(found, func(a, b distanced) int { return cmp.Compare(a.pixels, b.pixels) })
	var all []*desktop.Element
	for _, p := range found {
		if nth == nil && p.pixels > found[0].pixels {
			break
		}
		all = append(all, p.element)
	}
	if nth == nil {
		return innermost(all)
	}
	return pick(all, *nth)
}

// nearestDistance returns the distance to the closest anchor in the same window
// that is not the element itself, its ancestor or its descendant.
func (k kind) nearestDistance(e *desktop.Element, anchors []*desktop.Element) (pixels int, ok bool) {
	for _, a := range anchors {
		if a.Window != e.Window {
			continue
		}
		if n, lies := k.distance(e.Bounds, a.Bounds); lies && (!ok || n < pixels) && !holdsElement(a, e) && !holdsElement(e, a) {
			pixels, ok = n, true
		}
	}
	return pixels, ok
}

// holdsElement reports whether outer is the element or an ancestor.
func holdsElement(outer, e *desktop.Element) bool {
	for ; e != nil; e = e.Parent {
		if e == outer {
			return true
		}
	}
	return false
}

// innermost returns those of the elements that hold no other of them.
func innermost(all []*desktop.Element) []*desktop.Element {
	if len(all) < 2 {
		return all
	}
	holds := map[*desktop.Element]bool{}
	for _, e := range all {
		for p := e.Parent; p != nil; p = p.Parent {
			holds[p] = true
		}
	}
	return slices.DeleteFunc(all, func(e *desktop.Element) bool { return holds[e] })
}

// smallestAt returns the smallest of the elements at a point; of equally small
// ones the last in the tree, which is drawn last.
func smallestAt(all []*desktop.Element, at desktop.Point) []*desktop.Element {
	var best []*desktop.Element
	smallest := 0
	for _, e := range all {
		if size := e.Bounds.W * e.Bounds.H; e.Bounds.Contains(at) && (best == nil || size <= smallest) {
			best, smallest = []*desktop.Element{e}, size
		}
	}
	return best
}
