package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ScrollElement turns the wheel over an element.
var ScrollElement = steps.Define(steps.Kind{
	Name:    "scroll_element",
	Summary: "Scroll inside an element, or scroll it into view.",
	Toolset: steps.Core,
}, ScrollElementArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, Direction: Down, Amount: 3}, aim.With(scrollElement))

// ScrollElementArgs says what to scroll, which way and how far.
type ScrollElementArgs struct {
	aim.Target `in:"target"`
	Direction  Direction   `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount     steps.Count `json:"amount,omitzero" jsonschema:"notches of the wheel"`
	IntoView   bool        `json:"into_view,omitzero" jsonschema:"bring it into view instead"`
	observe.ActionOptions
}

func scrollElement(ctx context.Context, hand *aim.Hand, a ScrollElementArgs) (observe.ElementResult, error) {
	if a.IntoView {
		return a.reveal(ctx, hand)
	}
	n := aim.Requirement{Point: desktop.Rect.Center, Windows: a.WindowOptions}
	el, at, err := aim.At(ctx, hand, a.Target, n)
	if err != nil {
		return observe.ElementResult{}, err
	}
	var r observe.ElementResult
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		return observe.Unchecked, aim.PointAt(ctx, hand, a.Target, n, el, at, func(el *desktop.Element, at desktop.Point) error {
			r.Element = aim.Plain(el)
			return wheel(ctx, hand, at, a.Direction, int(a.Amount))
		})
	})
	return r, err
}

func (a *ScrollElementArgs) reveal(ctx context.Context, hand *aim.Hand) (observe.ElementResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Handle: true, Hidden: true, Windows: a.WindowOptions})
	if err != nil {
		return observe.ElementResult{}, err
	}
	r := observe.ElementResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		if err := aim.Reveal(ctx, hand, hand.Desktop, el, a.WindowOptions); errors.Is(err, desktop.ErrRefused) {
			return observe.Unchecked, &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("bringing %s into view: %w", aim.Describe(el), err), Next: "scroll the element that holds it"}
		} else if err != nil {
			return observe.Unchecked, err
		}
		now, err := observe.WaitUntilIs(ctx, hand, el, func(now *desktop.Element) bool {
			return now.States.Has(desktop.Showing) && !now.Bounds.Empty()
		})
		r.Element = cmp.Or(aim.Plain(now), r.Element)
		return observe.YesIf(err == nil), err
	})
	return r, err
}
