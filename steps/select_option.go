package steps

import "understudy/steps/desktop"

// SelectOption chooses an option of a list or a combo box.
var SelectOption = Define[SelectOptionArgs, SelectOptionResult](Kind{
	Name:       "select_option",
	Summary:    "Choose an option of a combo box or a list by its text.",
	Toolset:    Core,
	Touches:    Act,
	Idempotent: true,
}, SelectOptionArgs{Target: aimed, Around: around}, nil)

// SelectOptionArgs says which option to choose.
type SelectOptionArgs struct {
	Target
	OptionName string `json:"option_name" jsonschema:"the option's text"`
	Around
}

// SelectOptionResult says which option is chosen now.
type SelectOptionResult struct {
	Selected string           `json:"selected" jsonschema:"the text of the option that was chosen"`
	Element  *desktop.Element `json:"element,omitzero" jsonschema:"the combo box or list"`
	After
}
