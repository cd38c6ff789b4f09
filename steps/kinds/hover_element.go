package kinds

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// HoverElement rests the pointer on an element.
var HoverElement = steps.Define(steps.Kind{
	Name:       "hover_element",
	Summary:    "Rest the pointer on an element, as for a tooltip or a menu that opens by itself.",
	Toolset:    steps.Desktop,
	Focus:      steps.Take,
	Idempotent: true,
}, HoverArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(hoverElement))

// HoverArgs says where to rest, and how long.
type HoverArgs struct {
	aim.Target `in:"target"`
	DurationMS steps.Millis `json:"duration_ms,omitzero" jsonschema:"how long to stay before the step ends"`
	observe.ActionOptions
}

// HoverResult says where the pointer rests.
type HoverResult struct {
	At      desktop.Point    `json:"at" jsonschema:"the point where the pointer is"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element under it"`
	observe.ActionResult
}

func hoverElement(ctx context.Context, hand *aim.Hand, a HoverArgs) (HoverResult, error) {
	n := aim.Requirement{Point: desktop.Rect.Center, Windows: a.WindowOptions}
	el, at, err := aim.At(ctx, hand, a.Target, n)
	if err != nil {
		return HoverResult{}, err
	}
	var r HoverResult
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		err := aim.PointAt(ctx, hand, a.Target, n, el, at, func(el *desktop.Element, at desktop.Point) error {
			r.At, r.Element = at, aim.Plain(el)
			return hand.Desktop.Do(ctx, desktop.MovePointer{To: at})
		})
		if err != nil {
			return observe.Unchecked, err
		}
		if err := steps.Sleep(ctx, a.DurationMS.Std()); err != nil {
			return observe.Unchecked, err
		}
		now, err := hand.Desktop.PointerPosition(ctx)
		if err == nil && now != r.At {
			err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the pointer is at %s and not at %s, where it was moved", now, r.At), Next: "make sure that nobody else moves it"}
		}
		return observe.YesIf(err == nil), err
	})
	return r, err
}
