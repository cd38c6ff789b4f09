package pagecontrol

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// StepsByKeys reports whether an element is a slider, a spin button or a window splitter of a page
// that is made of other elements, which often takes only keys.
func StepsByKeys(el *desktop.Element) bool {
	return el.Value != nil && stepKeys[el.Role] != nil && el.Attributes["tag"] != "" && el.Attributes["tag"] != "input"
}

// stepKeys are the keys for one step up and one down, by role, in the order in which they are tried: some
// take only those along which they move.
var stepKeys = map[desktop.Role][][2]desktop.Key{
	"slider": {{"up", "down"}, {"right", "left"}}, "spinbutton": {{"up", "down"}}, "separator": {{"right", "left"}, {"down", "up"}},
}

// mostSteps bounds the keys that are pressed at once.
const mostSteps = 1000

// StepByKeys steps a slider or a spin button to a number: one key shows how far a step leads.
func StepByKeys(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, is func(*desktop.Element) bool, o aim.WindowOptions) (*desktop.Element, error) {
	wanted, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, invalidNumber(el, value)
	}
	if err := aim.BringToFront(ctx, hand, o, el.Window); err != nil {
		return nil, err
	}
	if err := aim.Focus(ctx, hand, el, aim.FocusOptions{Grab: true, Click: true}); err != nil {
		return nil, err
	}
	was, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil || is(was) {
		return was, err
	}
	var key desktop.Chord
	var now *desktop.Element
	for _, keys := range stepKeys[el.Role] {
		if key.Key = keys[0]; wanted < was.Value.Now {
			key.Key = keys[1]
		}
		if now, err = pressed(ctx, hand, el, was, []desktop.Chord{key}); steps.CodeOf(err) != steps.Unexpected {
			break
		}
	}
	if err != nil || is(now) {
		return now, err
	}
	left := math.Round((wanted - now.Value.Now) / (now.Value.Now - was.Value.Now))
	if !(left > 0 && left <= mostSteps) {
		return now, steps.Errorf(steps.Unexpected, "%s goes from %g to %g by a key, and does not reach %g so", aim.Describe(el), was.Value.Now, now.Value.Now, wanted)
	}
	if err := aim.PressKeys(ctx, hand.Desktop, slices.Repeat([]desktop.Chord{key}, int(left))); err != nil {
		return now, err
	}
	return observe.WaitUntilIs(ctx, hand, el, is)
}

// pressed presses keys in an element and waits until its number is another one than it was.
func pressed(ctx context.Context, hand *aim.Hand, el, was *desktop.Element, keys []desktop.Chord) (*desktop.Element, error) {
	if err := aim.PressKeys(ctx, hand.Desktop, keys); err != nil {
		return was, err
	}
	return observe.WaitUntilIs(ctx, hand, el, func(now *desktop.Element) bool { return now.Value != nil && now.Value.Now != was.Value.Now })
}

func invalidNumber(el *desktop.Element, value string) error {
	return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s takes a number, found %q", aim.Describe(el), value)}
}
