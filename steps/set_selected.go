package steps

import "understudy/steps/desktop"

// SetSelected checks, selects or switches an element, or the opposite.
var SetSelected = Define[SetSelectedArgs, SetSelectedResult](Kind{
	Name:       "set_selected",
	Summary:    "Check a checkbox, choose a radio button, select an item or switch a toggle, or undo that; nothing happens when it is so already.",
	Toolset:    Desktop,
	Touches:    Act,
	Idempotent: true,
}, SetSelectedArgs{Target: aimed, Around: around}, nil)

// SetSelectedArgs says what to select, or not.
type SetSelectedArgs struct {
	Target
	State bool `json:"state" jsonschema:"true to select or check, false to undo it"`
	Around
}

// SetSelectedResult says how it was and how it is.
type SetSelectedResult struct {
	State   bool             `json:"state" jsonschema:"whether it is selected or checked now"`
	Changed bool             `json:"changed" jsonschema:"whether it was otherwise before"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	After
}
