package aim

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/browse"
)

// Hand is the Env of one attempt of a step, with a cache of what it learnt of the screen.
type Hand struct {
	*steps.Env
	// pictures are the templates of elements that are picture matches.
	pictures map[*desktop.Element]picture
	// reachable are the elements that were found ready, and how; nil stands for a point
	// that must be in a window.
	reachable map[*desktop.Element]reachability
	// revealed are the elements that were scrolled into view.
	revealed map[desktop.Handle]bool
	// persistentPopups are popups that the pointer does not dismiss.
	persistentPopups map[desktop.WindowID]bool
	// pointerBefore is the position of the pointer before the hand moved it, as to dismiss
	// a tooltip; nil if it did not.
	pointerBefore *desktop.Point
	// witness is the page that was asked, if the browser is connected; asked reports whether
	// one was looked for.
	witness *browse.Witness
	asked   bool
	// aside reports whether the pointer was taken aside in a page.
	aside bool
}

// newHand makes a Hand for one attempt.
func newHand(env *steps.Env) *Hand {
	return &Hand{
		Env: env, pictures: map[*desktop.Element]picture{}, reachable: map[*desktop.Element]reachability{},
		revealed: map[desktop.Handle]bool{}, persistentPopups: map[desktop.WindowID]bool{},
	}
}

// mostReruns bounds how often a kind's function begins again.
const mostReruns = 3

// With gives a kind's function a Hand instead of its Env. If an element that was found is
// gone before the first act, as when a page loads, the function is run again.
func With[A, R any](run func(context.Context, *Hand, A) (R, error)) func(context.Context, *steps.Env, A) (R, error) {
	return func(ctx context.Context, env *steps.Env, args A) (r R, err error) {
		for range 1 + mostReruns {
			hand := newHand(env)
			r, err = run(ctx, hand, args)
			if hand.witness != nil {
				hand.witness.Close()
			}
			if !vanished(err) || env.Acted() != steps.ActedNo || ctx.Err() != nil {
				break
			}
		}
		return r, err
	}
}

// vanished reports whether an error is that of an element which was found and is gone.
// An element that is not found at all has an error with advice.
func vanished(err error) bool {
	_, advised := errors.AsType[*steps.Error](err)
	return !advised && errors.Is(err, desktop.ErrNotFound)
}
