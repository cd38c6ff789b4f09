package kinds

import (
	"cmp"
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// HighlightElement shows an element to a person.
var HighlightElement = steps.Define(steps.Kind{
	Name:       "highlight_element",
	Summary:    "Draw a frame around an element for a while, to show it to a person.",
	Toolset:    steps.Desktop,
	Touches:    steps.Look,
	Idempotent: true,
}, HighlightArgs{Target: aim.DefaultTarget, DurationMS: 1000, LookOptions: observe.DefaultLookOptions}, aim.With(highlightElement))

// HighlightArgs says what to show.
type HighlightArgs struct {
	aim.Target `in:"target"`
	DurationMS steps.Millis `json:"duration_ms,omitzero" jsonschema:"how long the frame stays; the step does not wait for it"`
	Text       string       `json:"text,omitzero" jsonschema:"what to write beside the frame; without it the element's role"`
	observe.LookOptions
}

// HighlightResult says what is shown.
type HighlightResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	observe.Seen
}

func highlightElement(ctx context.Context, hand *aim.Hand, a HighlightArgs) (HighlightResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{})
	if err != nil {
		return HighlightResult{}, err
	}
	if el.Bounds.Empty() {
		return HighlightResult{}, aim.NotActionable(el, "has no area on the screen, so there is nothing to frame", "scroll it into view with scroll_element")
	}
	text := cmp.Or(a.Text, string(el.Role))
	if err := hand.Desktop.Do(ctx, desktop.Mark{Area: el.Bounds, Label: text, For: a.DurationMS.Std()}); err != nil {
		return HighlightResult{}, err
	}
	seen, err := observe.Look(ctx, hand.Env, a.LookOptions, el)
	return HighlightResult{aim.Plain(el), seen}, err
}
