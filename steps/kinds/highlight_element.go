package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
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
	aim.Target
	DurationMS steps.Millis `json:"duration_ms,omitzero" jsonschema:"how long the frame stays; the step does not wait for it"`
	Text       string       `json:"text,omitzero" jsonschema:"what to write beside the frame; without it the element's role"`
	MarkStyle
	observe.LookOptions
}

// MarkStyle are arguments on how a frame looks, of which there is one way.
type MarkStyle struct {
	Color              steps.Count `json:"color,omitzero" jsonschema:"accepted and without effect: frames are red"`
	TextPosition       string      `json:"text_position,omitzero" jsonschema:"accepted and without effect: the text stands above the frame"`
	FontSize           steps.Count `json:"font_size,omitzero" jsonschema:"accepted and without effect: the text has one size"`
	FontBold           bool        `json:"font_bold,omitzero" jsonschema:"accepted and without effect: the text has one font"`
	FontColor          steps.Count `json:"font_color,omitzero" jsonschema:"accepted and without effect: the text is white"`
	IncludeElementInfo bool        `json:"include_element_info,omitzero" jsonschema:"accepted and without effect: the result always has it"`
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
		return HighlightResult{}, aim.NotActionable(el, "takes up no room on the screen, so there is nothing to frame", "scroll it into view with scroll_element")
	}
	text := a.Text
	if text == "" {
		text = string(el.Role)
	}
	if err := hand.Desktop.Do(ctx, desktop.Mark{Area: el.Bounds, Label: text, For: a.DurationMS.Std()}); err != nil {
		return HighlightResult{}, err
	}
	seen, err := observe.Look(ctx, hand.Env, a.LookOptions, el)
	return HighlightResult{aim.Plain(el), seen}, err
}
