package steps

import (
	"time"

	"understudy/steps/desktop"
)

// TypeIntoElement types text into an element.
var TypeIntoElement = Define[TypeIntoArgs, TypeIntoResult](Kind{
	Name:    "type_into_element",
	Summary: "Type text into a field and check that it arrived.",
	Details: "A trailing {Enter}, {Tab} or {Escape} is pressed as a key.",
	Toolset: Core,
	Touches: Act,
	Timeout: 2 * time.Minute,
}, TypeIntoArgs{Target: aimed, Around: around, ClearBeforeTyping: true, TryFocusBefore: true, TryClickBefore: true}, nil)

// TypeIntoArgs says what to type, and where.
type TypeIntoArgs struct {
	Target
	TextToType        string `json:"text_to_type" jsonschema:"the text"`
	ClearBeforeTyping bool   `json:"clear_before_typing,omitzero" jsonschema:"replace what the field holds; false adds to it"`
	TryFocusBefore    bool   `json:"try_focus_before,omitzero" jsonschema:"give the field the focus first"`
	TryClickBefore    bool   `json:"try_click_before,omitzero" jsonschema:"click the field when it does not take the focus otherwise"`
	Around
}

// TypeIntoResult says what the field holds now.
type TypeIntoResult struct {
	Value   *string          `json:"value,omitzero" jsonschema:"what the field holds now, when it can be read"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the field"`
	After
}
