package aim

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// A browser tells late where the elements of a page are, and nothing of some
// motions, such as that of a panel that glides in with all that is on it. What
// it says of a point is so. An element that has moved is not at the corners of
// the box where it was: so it is looked for there, and then in the middle.

// occludedStillTime is how long an element of which a page does not show the corners
// must stay where it is: longer than a browser takes to tell that it moved.
const occludedStillTime = 700 * time.Millisecond

// browserStill fails when an element of a page has moved since the page told where it
// is, and says what the page finds at a point of it. One whose corners do not
// show, such as one that is covered in part, is watched for a while.
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

// pageElementAt is what the page itself finds at a point of an element. It fails when
// that is not the element.
func pageElementAt(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	hit, err := askElementAt(ctx, el, at, d.Hit)
	if err != nil {
		return nil, err
	}
	if hit != nil && hit.Guessed {
		return nil, NotActionable(el, "may have moved: its page does not say what is where it was", "wait until the page answers again")
	}
	return hit, notCovered(el, hit, at)
}

// cornersSeen says at which of two opposite corners an element was found.
type cornersSeen [2]bool

var whole = cornersSeen{true, true}

// cornersFound looks for an element at two opposite corners of its box, as far
// inside that they belong to it when they are round.
func cornersFound(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (seen cornersSeen, err error) {
	const round = 7 // a quarter of a circle leaves a seventh of its width free
	b := el.Bounds
	in := (min(b.W, b.H) + round - 1) / round
	for i, p := range []desktop.Point{{X: b.X + in, Y: b.Y + in}, {X: b.X + b.W - 1 - in, Y: b.Y + b.H - 1 - in}} {
		hit, err := askElementAt(ctx, el, p, d.Hit)
		if err != nil {
			return seen, err
		}
		seen[i] = hit != nil && !hit.Guessed && sameOrInside(el, hit)
	}
	return seen, nil
}

// notCovered fails when something else than an element is at a point of it. A
// guess says nothing.
func notCovered(el, hit *desktop.Element, at desktop.Point) error {
	if hit == nil || hit.Guessed || sameOrInside(el, hit) {
		return nil
	}
	if isIn(el, hit) { // it is seen through, or not there
		return NotActionable(el, fmt.Sprintf("is not at %s, where %s is found", at, Describe(hit)), "wait until it stands still, name a part of it that shows with click_position, or use invoke_element")
	}
	return NotActionable(el, fmt.Sprintf("is covered by %s at %s", Describe(hit), at), "close what covers it, or use invoke_element")
}
