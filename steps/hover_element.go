package steps

import (
	"context"

	"understudy/steps/desktop"
)

// HoverElement rests the pointer on an element.
var HoverElement = Define(Kind{
	Name:       "hover_element",
	Summary:    "Rest the pointer on an element, as for a tooltip or a menu that opens by itself.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, HoverArgs{Target: aimed, Around: around}, hoverElement)

// HoverArgs says where to rest, and how long.
type HoverArgs struct {
	Target
	DurationMS Millis `json:"duration_ms,omitzero" jsonschema:"how long to stay before the step ends"`
	Around
}

// HoverResult says where the pointer rests.
type HoverResult struct {
	At      desktop.Point    `json:"at" jsonschema:"the point where the pointer is"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element under it"`
	After
}

func hoverElement(ctx context.Context, env *Env, a HoverArgs) (HoverResult, error) {
	el, at, err := env.aim(ctx, a.Target, need{point: middle, windows: a.WindowOptions})
	if err != nil {
		return HoverResult{}, err
	}
	r := HoverResult{At: at, Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		if err := env.Desktop.MovePointer(ctx, at); err != nil {
			return false, err
		}
		if err := Sleep(ctx, a.DurationMS.Std()); err != nil {
			return false, err
		}
		now, err := env.Desktop.PointerPosition(ctx)
		return now == at, err
	})
	return r, err
}
