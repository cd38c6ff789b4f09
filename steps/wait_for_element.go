package steps

import (
	"errors"
	"time"

	"understudy/steps/desktop"
)

// WaitForElement waits until something is so on the screen.
var WaitForElement = Define[WaitArgs, WaitResult](Kind{
	Name:    "wait_for_element",
	Summary: "Wait until an element is there, gone, visible, enabled, focused, or holds a text.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
	Timeout: time.Hour,
}, WaitArgs{Target: aimed, Condition: Exists}, nil)

// WaitArgs says what to wait for.
type WaitArgs struct {
	Target
	Condition Condition `json:"condition,omitzero" jsonschema:"what to wait for"`
	Text      string    `json:"text,omitzero" jsonschema:"for the condition text: what the element must hold somewhere in its text"`
}

// Validate wants a text where one is needed.
func (a *WaitArgs) Validate() error {
	if (a.Condition == HasText) != (a.Text != "") {
		return errors.New("the condition text and the argument text belong together")
	}
	return a.Target.Validate()
}

// Condition is something that can be so of an element.
type Condition string

// What can be waited for.
const (
	Exists    Condition = "exists"
	Gone      Condition = "gone"
	IsVisible Condition = "visible"
	IsEnabled Condition = "enabled"
	IsFocused Condition = "focused"
	HasText   Condition = "text"
)

// WaitResult says how long it took.
type WaitResult struct {
	WaitedMS int64            `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Element  *desktop.Element `json:"element,omitzero" jsonschema:"the element, unless it is gone"`
}
