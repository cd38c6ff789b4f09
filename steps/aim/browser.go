package aim

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Browsers report moves of elements late, and some not at all, such as those inside a
// panel that slides in. Their hit test is right. So an element of a page is hit tested at
// two corners of its reported box and at the point, where one that moved is not found.

// occludedStillTime is how long an element whose corners are covered must keep its
// place. Browsers report moves up to 0.5 s late.
const occludedStillTime = 700 * time.Millisecond

// browserStill returns what the page's own hit test finds at a point of el, or an
// error if el has moved since it was read. An element with a covered corner cannot be
// checked by its corners, so it is polled for occludedStillTime.
func browserStill(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	first, err := cornersFound(ctx, hand.Desktop, el)
	if err != nil {
		return nil, err
	}
	hit, err := pageElementAt(ctx, hand.Desktop, el, at)
	for began := time.Now(); err == nil && first != whole && time.Since(began) < occludedStillTime; {
		if err = steps.Sleep(ctx, LongestPause); err != nil {
			break
		}
		if seen, err := cornersFound(ctx, hand.Desktop, el); err != nil {
			return nil, err
		} else if seen != first {
			return nil, NotActionable(el, "moves: its corners are not where they were", "wait until it stands still")
		}
		now, failed := refresh(ctx, hand, el)
		if err := checkSamePlace(el, now, failed, Requirement{}); err != nil {
			return nil, err
		}
		hit, err = pageElementAt(ctx, hand.Desktop, el, at)
	}
	return hit, err
}

// pageElementAt returns the page's hit test at a point of el. Anything but el is an
// error.
func pageElementAt(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	hit, err := elementAt(ctx, el, at, d.Hit)
	if err != nil {
		return nil, err
	}
	if hit != nil && hit.Guessed {
		return nil, NotActionable(el, "may have moved: its page does not say what is where it was", "wait until the page answers again")
	}
	return hit, notCovered(el, hit, at)
}

// cornersSeen says at which of two opposite corners the hit test found the element.
type cornersSeen [2]bool

var whole = cornersSeen{true, true}

// cornersFound runs the hit test at two opposite corners, inset far enough to be
// inside a rounded box.
func cornersFound(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (seen cornersSeen, err error) {
	const round = 7 // a quarter of a circle leaves a seventh of its width free
	b := el.Bounds
	in := (min(b.W, b.H) + round - 1) / round
	for i, p := range []desktop.Point{{X: b.X + in, Y: b.Y + in}, {X: b.X + b.W - 1 - in, Y: b.Y + b.H - 1 - in}} {
		hit, err := elementAt(ctx, el, p, d.Hit)
		if err != nil {
			return seen, err
		}
		seen[i] = hit != nil && !hit.Guessed && sameOrInside(el, hit)
	}
	return seen, nil
}

// notCovered returns an error if the hit test found something other than el. A guess
// proves nothing.
func notCovered(el, hit *desktop.Element, at desktop.Point) error {
	if hit == nil || hit.Guessed || sameOrInside(el, hit) {
		return nil
	}
	if isIn(el, hit) { // it is transparent, or not there
		return NotActionable(el, fmt.Sprintf("is not at %s, where %s is found", at, Describe(hit)), "wait until it stands still, name a part of it that shows with click_position, or use invoke_element")
	}
	return NotActionable(el, fmt.Sprintf("is covered by %s at %s", Describe(hit), at), "close what covers it, or use invoke_element")
}
