package selector

import (
	"cmp"
	"math"
	"slices"

	"understudy/steps/desktop"
)

const (
	// nearDistance is how far near: reaches, in pixels between two boxes.
	nearDistance = 100
	// overlapSlack is how far two boxes may overlap and still stand side by side:
	// toolkits count borders and shadows differently.
	overlapSlack = 4
	// maxAnchors is how many elements beside which others lie are looked at.
	// One is meant; the rest only show that it is not clear which.
	maxAnchors = 100
)

// A Direction is where an element lies, seen from another.
type Direction string

// The directions.
const (
	RightOf Direction = "rightof"
	LeftOf  Direction = "leftof"
	Above   Direction = "above"
	Below   Direction = "below"
	Near    Direction = "near"
)

// Distance says how far box lies from anchor, and whether it lies in that
// direction at all.
//
// A box is right of an anchor when it begins where the anchor ends, or farther
// right, and shares a row of pixels with it; likewise for the other sides. Its
// distance is the gap between the two plus how far the smaller one sticks out of
// the other's line, so that of two entries beside a label the one on its line
// is nearer.
// A box is near an anchor when the gap is at most 100 pixels. An empty box
// lies nowhere.
func (d Direction) Distance(box, anchor desktop.Rect) (pixels int, ok bool) {
	if box.Empty() || anchor.Empty() {
		return 0, false
	}
	var gap, overlap, askew int
	switch d {
	case RightOf, LeftOf:
		overlap = overlapLen(box.Y, box.H, anchor.Y, anchor.H)
		askew = min(box.H, anchor.H) - overlap
	case Above, Below:
		overlap = overlapLen(box.X, box.W, anchor.X, anchor.W)
		askew = min(box.W, anchor.W) - overlap
	case Near:
		gap = gapBetween(box, anchor)
		return gap, gap <= nearDistance
	}
	switch d {
	case RightOf:
		gap = box.X - (anchor.X + anchor.W)
	case LeftOf:
		gap = anchor.X - (box.X + box.W)
	case Above:
		gap = anchor.Y - (box.Y + box.H)
	case Below:
		gap = box.Y - (anchor.Y + anchor.H)
	}
	return max(gap, 0) + askew, gap >= -overlapSlack && overlap > 0
}

// overlapLen is how much of two stretches lies over one another; negative is the
// gap between them.
func overlapLen(a, aLen, b, bLen int) int { return min(a+aLen, b+bLen) - max(a, b) }

// gapBetween is the distance between two boxes.
func gapBetween(a, b desktop.Rect) int {
	dx := max(0, -overlapLen(a.X, a.W, b.X, b.W))
	dy := max(0, -overlapLen(a.Y, a.H, b.Y, b.H))
	return int(math.Hypot(float64(dx), float64(dy)))
}

// distanced is an element with its distance from what it is beside.
type distanced struct {
	element *desktop.Element
	pixels  int
}

// nearestBeside keeps, for each anchor of the first side, the nearest of the elements
// that lie on every side, or the nth from the nearest. Distances from the
// anchors of several sides add up. An anchor that is ambiguous thus makes an
// ambiguous match, and not one that is right by chance.
func nearestBeside(tops, fits []*desktop.Element, sides []atom, nth *int) []*desktop.Element {
	anchors := make([][]*desktop.Element, len(sides))
	for i, a := range sides {
		found := a.inner.Find(tops)
		anchors[i] = found[:min(len(found), maxAnchors)]
	}
	kept := map[*desktop.Element]bool{}
	for _, a := range anchors[0] {
		anchors[0] = []*desktop.Element{a}
		for _, e := range closest(ranked(fits, sides, anchors), nth) {
			kept[e] = true
		}
	}
	return slices.DeleteFunc(fits, func(e *desktop.Element) bool { return !kept[e] })
}

// ranked are the elements that lie on every side, from the nearest on.
func ranked(fits []*desktop.Element, sides []atom, anchors [][]*desktop.Element) []distanced {
	var found []distanced
next:
	for _, e := range fits {
		sum := 0
		for i, a := range sides {
			d, ok := nearestDistance(Direction(a.kind), e, anchors[i])
			if !ok {
				continue next
			}
			sum += d
		}
		found = append(found, distanced{e, sum})
	}
	slices.SortStableFunc(found, func(a, b distanced) int { return cmp.Compare(a.pixels, b.pixels) })
	return found
}

// closest are the elements at the least distance, or the nth of all.
func closest(found []distanced, nth *int) []*desktop.Element {
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

// nearestDistance is the distance to the closest of the anchors that are in the same
// window, not the element itself, and not around or inside it.
func nearestDistance(d Direction, e *desktop.Element, anchors []*desktop.Element) (pixels int, ok bool) {
	for _, a := range anchors {
		if a.Window != e.Window {
			continue
		}
		if n, lies := d.Distance(e.Bounds, a.Bounds); lies && (!ok || n < pixels) && !holdsElement(a, e) && !holdsElement(e, a) {
			pixels, ok = n, true
		}
	}
	return pixels, ok
}

// holdsElement says whether outer is the element, or holds it at any depth.
func holdsElement(outer, e *desktop.Element) bool {
	for ; e != nil; e = e.Parent {
		if e == outer {
			return true
		}
	}
	return false
}

// innermost are those of the elements that hold no other of them.
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

// smallestAt is the smallest of the elements that are at a point; of equally small
// ones, the one that stands last in the tree, because it is drawn last.
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
