package aim

import (
	"context"
	"errors"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Hand is what one attempt of a step aims and presses with: its Env, and what was
// learnt of the screen during the attempt.
type Hand struct {
	*steps.Env
	// pictures are what elements that are pictures were recognised by.
	pictures map[*desktop.Element]picture
	// reachable is how elements can be reached that were found ready.
	reachable map[*desktop.Element]reachability
	// revealed are the elements that were scrolled into view.
	revealed map[desktop.Handle]bool
	// refused is one that its application did not scroll to; nil when there is none.
	refused *desktop.Element
	// persistentPopups are popups that the pointer does not dismiss.
	persistentPopups map[desktop.WindowID]bool
	// pointerBefore is where the pointer was before it was moved to dismiss a
	// tooltip; nil when it was not.
	pointerBefore *desktop.Point
}

// NewHand makes a Hand for one attempt.
func NewHand(env *steps.Env) *Hand { return &Hand{Env: env} }

// mostReruns bounds how often a kind's function begins again.
const mostReruns = 3

// With gives a kind's function a Hand in place of its Env. Where an element was found
// and is gone before anything was done, as when a page loads, the function begins again.
func With[A, R any](run func(context.Context, *Hand, A) (R, error)) func(context.Context, *steps.Env, A) (R, error) {
	return func(ctx context.Context, env *steps.Env, args A) (r R, err error) {
		for range 1 + mostReruns {
			if r, err = run(ctx, NewHand(env), args); !vanished(err) || env.Acted() != steps.ActedNo || ctx.Err() != nil {
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
