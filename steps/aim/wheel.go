package aim

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// Qt Quick cannot scroll to an element on request and has no scroll bars to move, so the
// wheel is turned as by a person. The scrolling container may be missing in the tree: the
// wheel is turned over the nearest showing element whose direction is known.

const (
	mostNotches = 500 // of the wheel
	mostVain    = 3   // notches that did not move the element
	mostAsked   = 30  // elements that are hit tested at their own middle
	// stillLooks is how many reads, StillTime apart, must find an element in one place
	// before the wheel is turned again: scrolling slows down at its end.
	stillLooks = 3
	// scrollTime bounds the wait for that.
	scrollTime = 5 * time.Second
)

// errVain means that a notch of the wheel did not move the element.
var errVain = errors.New("it did not move")

// notch is one of the wheel: over which element, and which way.
type notch struct {
	over   desktop.Handle
	dx, dy int
}

// wheelIntoView turns the wheel until an element is in view, and reports whether it is. The
// pointer is put back.
func wheelIntoView(ctx context.Context, hand *Hand, d *desktop.Desktop, el *desktop.Element, o WindowOptions) (bool, error) {
	if err := BringToFront(ctx, hand, o, el.Window); err != nil {
		return false, err
	}
	if now, err := hand.Desktop.Refresh(ctx, el.Handle); err == nil {
		now.Parent = el.Parent
		if in, _, err := inView(ctx, hand, now); in || err != nil {
			return in, err
		}
	}
	defer RestorePointer(ctx, hand, true)(ctx)
	vain := map[notch]bool{}
	for range mostNotches {
		tree, err := hand.Desktop.Tree(ctx, desktop.Scope{Window: el.Window, Hidden: true, Full: true})
		if err != nil {
			return false, err
		}
		now, around := neighbours(tree, el.Handle)
		if now == nil || !sameRow(el, now) || now.Bounds.Empty() {
			return false, nil
		}
		if in, _, err := inView(ctx, hand, now); in || err != nil || len(vain) > mostVain {
			return in, err
		}
		over, n, err := nextNotch(ctx, hand, now, around, vain)
		if over == nil || err != nil {
			return false, err
		}
		if err := n.turn(ctx, hand, d, now, over); errors.Is(err, errVain) {
			vain[n] = true
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

// neighbours returns an element of a tree, and the other leaves that show, the nearest
// first.
func neighbours(tree *desktop.Tree, h desktop.Handle) (el *desktop.Element, around []*desktop.Element) {
	place, at := map[*desktop.Element]int{}, 0
	tree.Walk(func(e *desktop.Element) bool {
		place[e] = len(place)
		if e.Handle == h {
			el, at = e, place[e]
		} else if len(e.Children) == 0 && e.States.Has(desktop.Showing) && !e.Bounds.Empty() {
			around = append(around, e)
		}
		return true
	})
	far := func(e *desktop.Element) int { return max(place[e]-at, at-place[e]) }
	slices.SortStableFunc(around, func(a, b *desktop.Element) int { return cmp.Compare(far(a), far(b)) })
	return el, around
}

// inView reports whether an element is at its middle, and what is there.
func inView(ctx context.Context, hand *Hand, el *desktop.Element) (in bool, hit *desktop.Element, err error) {
	at := el.Bounds.Center()
	if away, err := outOfView(ctx, hand.Desktop, el, at); away || err != nil {
		return false, nil, err
	}
	hit, err = elementAt(ctx, hand, el, at, hand.Desktop.ElementAt)
	return hit != nil && sameOrInside(el, hit), hit, err
}

// nextNotch returns the nearest element over which the wheel may be turned to bring el
// into view, or nil.
func nextNotch(ctx context.Context, hand *Hand, el *desktop.Element, around []*desktop.Element, vain map[notch]bool) (*desktop.Element, notch, error) {
	asked := 0
	for _, over := range around {
		i := slices.IndexFunc(waysTo(el, over), func(n notch) bool { return !vain[n] })
		if i < 0 || takesWheel(over) {
			continue
		}
		if asked++; asked > mostAsked {
			break
		}
		if _, err := checkUncovered(ctx, hand, over, over.Bounds.Center()); steps.CodeOf(err) == steps.NotActionable {
			continue
		} else if err != nil {
			return nil, notch{}, err
		}
		in, hit, err := inView(ctx, hand, over)
		if err != nil {
			return nil, notch{}, err
		}
		if in && !takesWheel(hit) {
			return over, waysTo(el, over)[i], nil
		}
	}
	return nil, notch{}, nil
}

// waysTo returns the directions in which el lies beside an element that shows.
func waysTo(el, over *desktop.Element) (ways []notch) {
	add := func(dx, dy int, lies bool) {
		if lies {
			ways = append(ways, notch{over.Handle, dx, dy})
		}
	}
	a, b := el.Bounds, over.Bounds
	add(0, 1, a.Y >= b.Y+b.H)
	add(0, -1, a.Y+a.H <= b.Y)
	add(1, 0, a.X >= b.X+b.W)
	add(-1, 0, a.X+a.W <= b.X)
	return ways
}

// takesWheel reports whether the wheel may do more over an element than scroll what the
// element is in, such as change a number.
func takesWheel(el *desktop.Element) bool {
	for p := el; p != nil; p = p.Parent {
		if p.Value != nil || p.Role.Is(desktop.TakesWheel|desktop.OpensMenu) || p.States.Has(desktop.MultiLine) {
			return true
		}
	}
	return false
}

// turn turns the wheel over an element, and waits until el has moved and rests. If el has
// not moved it returns errVain, after turning back what moved instead.
func (n notch) turn(ctx context.Context, hand *Hand, d *desktop.Desktop, el, over *desktop.Element) error {
	if err := TurnWheel(ctx, hand, d, over.Bounds.Center(), n.dx, n.dy); err != nil {
		return err
	}
	if err := WaitForEffect(ctx, UsualEffectLimit, hasMoved(hand, el)); err == nil {
		return rests(ctx, hand, el)
	} else if !errors.Is(err, errVain) {
		return err
	}
	if err := hasMoved(hand, over)(ctx); err != nil {
		return err
	}
	if err := d.Do(ctx, desktop.Scroll{DX: -n.dx, DY: -n.dy}); err != nil {
		return err
	}
	return errors.Join(errVain, rests(ctx, hand, over))
}

// TurnWheel turns the wheel on d over a point.
func TurnWheel(ctx context.Context, hand *Hand, d *desktop.Desktop, at desktop.Point, dx, dy int) error {
	if err := hand.Unaccounted().Do(ctx, desktop.MovePointer{To: at}); err != nil {
		return err
	}
	if err := DismissTooltipAt(ctx, hand, at); err != nil {
		return err
	}
	return d.Do(ctx, desktop.Scroll{DX: dx, DY: dy})
}

// hasMoved returns a check that an element has moved since it was read; it fails with
// errVain.
func hasMoved(hand *Hand, el *desktop.Element) func(context.Context) error {
	return func(ctx context.Context) error {
		now, err := hand.Desktop.Refresh(ctx, el.Handle)
		if err == nil && now.Bounds == el.Bounds {
			err = errVain
		}
		return err
	}
}

// rests waits until an element was read in one place stillLooks times.
func rests(ctx context.Context, hand *Hand, el *desktop.Element) error {
	last, seen := desktop.Rect{}, 0
	for end := time.Now().Add(scrollTime); seen < stillLooks && time.Now().Before(end); {
		now, err := hand.Desktop.Refresh(ctx, el.Handle)
		if err != nil {
			return err
		}
		if seen++; now.Bounds != last {
			last, seen = now.Bounds, 1
		}
		if err := steps.Sleep(ctx, StillTime); err != nil {
			return err
		}
	}
	return nil
}
