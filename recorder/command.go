package recorder

import (
	"understudy/internal/desktop"
)

// Command is a command of the person to a recording: by keys, on the bar or on its page.
type Command string

// The commands.
const (
	Stop      Command = "stop"
	Pause     Command = "pause" // or resume
	Check     Command = "assert"
	CheckText Command = "assert-text"
	Undo      Command = "undo"
	Hide      Command = "secret"
	Vary      Command = "variable"
)

// Steering describes a command.
type Steering struct {
	Command Command
	Label   string // on its button
	Does    string
	Keys    desktop.Chord
}

// Keys are the chords of the commands. A command may have none.
type Keys map[Command]desktop.Chord

// Steerings returns the commands, with chords that few programs use.
func Steerings() []Steering {
	with := func(k desktop.Key) desktop.Chord {
		return desktop.Chord{Mods: []desktop.Key{desktop.Ctrl, desktop.Shift}, Key: k}
	}
	return []Steering{
		{Stop, "Stop", "stop the recording", with("f12")},
		{Pause, "Pause", "pause it, and go on", with("f11")},
		{Check, "Check", "check that the element under the pointer is there", with("f9")},
		{CheckText, "Check text", "check that the element under the pointer shows its text", with("f10")},
		{Undo, "Undo", "take the last step back", with("f8")},
		{Hide, "Secret", "make a secret of what was typed last", with("f7")},
		{Vary, "Variable", "make a variable of what was typed last", with("f6")},
	}
}

// DefaultKeys returns the chords of Steerings.
func DefaultKeys() Keys {
	keys := Keys{}
	for _, s := range Steerings() {
		keys[s.Command] = s.Keys
	}
	return keys
}
