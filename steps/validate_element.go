package steps

import "understudy/steps/desktop"

// ValidateElement says whether an element is there.
var ValidateElement = Define[ValidateArgs, ValidateResult](Kind{
	Name:    "validate_element",
	Summary: "Say whether an element is there and what it is like; it does not fail when there is none.",
	Toolset: Desktop,
	Touches: Look,
	Reads:   true,
}, ValidateArgs{}, nil)

// ValidateArgs says which element to look for. Unless a timeout is given, it
// looks once.
type ValidateArgs struct {
	Target
}

// ValidateResult says what was found.
type ValidateResult struct {
	Exists  bool             `json:"exists" jsonschema:"whether the element is there"`
	Matches int              `json:"matches" jsonschema:"how many elements match"`
	Visible bool             `json:"visible" jsonschema:"whether it shows"`
	Enabled bool             `json:"enabled" jsonschema:"whether it can be used"`
	Focused bool             `json:"focused" jsonschema:"whether it has the focus"`
	Checked bool             `json:"checked" jsonschema:"whether it is checked, selected or pressed"`
	Text    string           `json:"text" jsonschema:"what it shows or holds"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
}
