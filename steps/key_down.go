package steps

import "understudy/steps/desktop"

// KeyDown presses a key and keeps it down.
var KeyDown = Define[KeyArgs, KeyResult](Kind{
	Name:       "key_down",
	Summary:    "Press a key and hold it until key_up, or until the run ends.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, KeyArgs{}, nil)

// KeyUp lets go of a key.
var KeyUp = Define[KeyArgs, KeyResult](Kind{
	Name:       "key_up",
	Summary:    "Let go of a key that key_down holds.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, KeyArgs{}, nil)

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}
