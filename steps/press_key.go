package steps

// PressKey presses keys on an element, or where the focus is.
var PressKey = Define[PressKeyArgs, ElementResult](Kind{
	Name:    "press_key",
	Summary: "Press keys, such as enter or ctrl+s, on an element or where the focus is.",
	Toolset: Core,
	Touches: Act,
	Focus:   Take,
}, PressKeyArgs{Target: aimed, Around: around, TryFocusBefore: true, TryClickBefore: true}, nil)

// PressKeyArgs says which keys to press, and where.
type PressKeyArgs struct {
	Target
	Key            Keys `json:"key" jsonschema:"the keys: enter, ctrl+s, {Tab}{Tab}"`
	TryFocusBefore bool `json:"try_focus_before,omitzero" jsonschema:"give the element the focus first"`
	TryClickBefore bool `json:"try_click_before,omitzero" jsonschema:"click the element when it does not take the focus otherwise"`
	Around
}

// Validate allows that no element is named.
func (a *PressKeyArgs) Validate() error {
	if !a.Named() {
		return nil
	}
	return a.Target.Validate()
}

// PressKeyGlobal presses keys for the active window, or that of an application.
var PressKeyGlobal = Define[PressKeyGlobalArgs, After](Kind{
	Name:    "press_key_global",
	Summary: "Press keys in the active window, or in the window of an application.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, PressKeyGlobalArgs{Around: around}, nil)

// PressKeyGlobalArgs says which keys to press.
type PressKeyGlobalArgs struct {
	Process string `json:"process,omitzero" jsonschema:"the application whose window is brought to the front first"`
	Key     Keys   `json:"key" jsonschema:"the keys: escape, ctrl+v, {Alt}{F4}"`
	Around
}
