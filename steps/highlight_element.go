package steps

import (
	"context"

	"understudy/steps/desktop"
)

// HighlightElement shows an element to a person.
var HighlightElement = Define(Kind{
	Name:       "highlight_element",
	Summary:    "Draw a frame around an element for a while, to show it to a person.",
	Toolset:    Desktop,
	Touches:    Look,
	Idempotent: true,
}, HighlightArgs{Target: aimed, DurationMS: 1000}, highlightElement)

// HighlightArgs says what to show.
type HighlightArgs struct {
	Target
	DurationMS Millis `json:"duration_ms,omitzero" jsonschema:"how long the frame stays; the step does not wait for it"`
	Text       string `json:"text,omitzero" jsonschema:"what to write beside the frame; without it the element's role"`
}

// HighlightResult says what is shown.
type HighlightResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
}

// StopHighlighting removes the frames.
var StopHighlighting = Define(Kind{
	Name:       "stop_highlighting",
	Summary:    "Remove the frames that highlight_element drew.",
	Toolset:    Desktop,
	Touches:    Look,
	Idempotent: true,
}, NoArgs{}, stopHighlighting)

// NoArgs are the arguments of a kind that takes none.
type NoArgs struct{}

// NoResult is the result of a kind that has nothing to say.
type NoResult struct{}

func highlightElement(ctx context.Context, env *Env, a HighlightArgs) (HighlightResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{})
	if err != nil {
		return HighlightResult{}, err
	}
	if el.Bounds.Empty() {
		return HighlightResult{}, notReady(el, "takes up no room on the screen, so there is nothing to frame", "scroll it into view with scroll_element")
	}
	text := a.Text
	if text == "" {
		text = string(el.Role)
	}
	return HighlightResult{plain(el)}, env.Desktop.Mark(ctx, el.Bounds, text, a.DurationMS.Std())
}

func stopHighlighting(ctx context.Context, env *Env, _ NoArgs) (NoResult, error) {
	return NoResult{}, env.Desktop.Unmark(ctx)
}
