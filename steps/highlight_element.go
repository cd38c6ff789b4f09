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
}, HighlightArgs{Target: aimed, DurationMS: 1000, Beside: beside}, highlightElement)

// HighlightArgs says what to show.
type HighlightArgs struct {
	Target
	DurationMS Millis `json:"duration_ms,omitzero" jsonschema:"how long the frame stays; the step does not wait for it"`
	Text       string `json:"text,omitzero" jsonschema:"what to write beside the frame; without it the element's role"`
	MarkStyle
	Beside
}

// MarkStyle are arguments on how a frame looks, of which there is one way.
type MarkStyle struct {
	Color              Count  `json:"color,omitzero" jsonschema:"accepted and without effect: frames are red"`
	TextPosition       string `json:"text_position,omitzero" jsonschema:"accepted and without effect: the text stands above the frame"`
	FontSize           Count  `json:"font_size,omitzero" jsonschema:"accepted and without effect: the text has one size"`
	FontBold           bool   `json:"font_bold,omitzero" jsonschema:"accepted and without effect: the text has one font"`
	FontColor          Count  `json:"font_color,omitzero" jsonschema:"accepted and without effect: the text is white"`
	IncludeElementInfo bool   `json:"include_element_info,omitzero" jsonschema:"accepted and without effect: the result always has it"`
}

// HighlightResult says what is shown.
type HighlightResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	Seen
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
	if err := env.Desktop.Mark(ctx, el.Bounds, text, a.DurationMS.Std()); err != nil {
		return HighlightResult{}, err
	}
	seen, err := env.beside(ctx, a.Beside, el)
	return HighlightResult{plain(el), seen}, err
}

func stopHighlighting(ctx context.Context, env *Env, _ NoArgs) (NoResult, error) {
	return NoResult{}, env.Desktop.Unmark(ctx)
}
