package steps

import "understudy/steps/desktop"

// HighlightElement shows an element to a person.
var HighlightElement = Define[HighlightArgs, HighlightResult](Kind{
	Name:       "highlight_element",
	Summary:    "Draw a frame around an element for a while, to show it to a person.",
	Toolset:    Desktop,
	Touches:    Look,
	Idempotent: true,
}, HighlightArgs{Target: aimed, DurationMS: 1000}, nil)

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
var StopHighlighting = Define[NoArgs, NoResult](Kind{
	Name:       "stop_highlighting",
	Summary:    "Remove the frames that highlight_element drew.",
	Toolset:    Desktop,
	Touches:    Look,
	Idempotent: true,
}, NoArgs{}, nil)

// NoArgs are the arguments of a kind that takes none.
type NoArgs struct{}

// NoResult is the result of a kind that has nothing to say.
type NoResult struct{}
