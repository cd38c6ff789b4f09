package steps

import "understudy/steps/desktop"

// Scroll turns the wheel at a point.
var Scroll = Define[ScrollArgs, ScrollResult](Kind{
	Name:    "scroll",
	Summary: "Turn the mouse wheel, at a point or where the pointer is.",
	Toolset: Desktop,
	Touches: Act,
}, ScrollArgs{Direction: Down, Amount: 3}, nil)

// ScrollArgs says where to scroll, which way and how far.
type ScrollArgs struct {
	Place
	Direction Direction `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount    Count     `json:"amount,omitzero" jsonschema:"how many notches of the wheel"`
}

// Validate wants a whole point or none.
func (a *ScrollArgs) Validate() error {
	_, err := a.Given()
	return err
}

// ScrollResult says where it scrolled.
type ScrollResult struct {
	At desktop.Point `json:"at" jsonschema:"where the wheel was turned"`
}

// Direction is a way to scroll.
type Direction string

// The ways to scroll.
const (
	Up         Direction = "up"
	Down       Direction = "down"
	ToTheLeft  Direction = "left"
	ToTheRight Direction = "right"
)

// ScrollElement turns the wheel over an element.
var ScrollElement = Define[ScrollElementArgs, ElementResult](Kind{
	Name:    "scroll_element",
	Summary: "Scroll inside an element, or scroll it into view.",
	Toolset: Core,
	Touches: Act,
}, ScrollElementArgs{Target: aimed, Around: around, Direction: Down, Amount: 3}, nil)

// ScrollElementArgs says what to scroll, which way and how far.
type ScrollElementArgs struct {
	Target
	Direction Direction `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount    Count     `json:"amount,omitzero" jsonschema:"how many notches of the wheel"`
	IntoView  bool      `json:"into_view,omitzero" jsonschema:"instead of scrolling inside it, bring the element into view"`
	Around
}
