package steps

import "understudy/steps/desktop"

// SetValue sets the value of an element at once.
var SetValue = Define[SetValueArgs, ValueResult](Kind{
	Name:       "set_value",
	Summary:    "Set the text of a field, or the number of a slider, at once and check it.",
	Details:    "Does not press keys, so an application that watches typing may not notice; then use type_into_element.",
	Toolset:    Core,
	Touches:    Act,
	Idempotent: true,
}, SetValueArgs{Target: aimed, Around: around}, nil)

// SetValueArgs says which value to set, and where.
type SetValueArgs struct {
	Target
	Value Value `json:"value" jsonschema:"the text or the number"`
	Around
}

// Value is a text or a number in an argument.
type Value string

// UnmarshalJSON reads a text or a number.
func (v *Value) UnmarshalJSON(b []byte) error {
	text, err := textOf(b)
	*v = Value(text)
	return err
}

// ValueResult says what the element holds now.
type ValueResult struct {
	Value   *string          `json:"value,omitzero" jsonschema:"what the element holds now, when it can be read"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	After
}
