package steps

import "understudy/steps/desktop"

// HoverElement rests the pointer on an element.
var HoverElement = Define[HoverArgs, HoverResult](Kind{
	Name:       "hover_element",
	Summary:    "Rest the pointer on an element, as for a tooltip or a menu that opens by itself.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, HoverArgs{Target: aimed, Around: around}, nil)

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
