package recorder

import (
	"understudy/steps/desktop"
)

// Keys are the chords that steer a recording. The zero Chord is none.
type Keys struct {
	Stop   desktop.Chord
	Pause  desktop.Chord // again: go on
	Assert desktop.Chord // check that the element under the pointer is there
}

// DefaultKeys are chords that few programs use.
func DefaultKeys() Keys {
	with := func(k desktop.Key) desktop.Chord {
		return desktop.Chord{Mods: []desktop.Key{desktop.Ctrl, desktop.Shift}, Key: k}
	}
	return Keys{Stop: with("f12"), Pause: with("f11"), Assert: with("f9")}
}
