package win32

import (
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// A layout tells what keys type.
type layout interface {
	// types returns the characters of a key with some modifiers: control characters, too. A
	// dead key has an accent, which goes on the next character.
	types(key virtualKey, scan uint32, with shifts) (text string, dead bool)
	// hasAltGr reports whether the right Alt key gives other characters.
	hasAltGr() bool
}

// shifts are the modifiers that make other characters.
type shifts struct{ shift, altGr, capsLock bool }

// stroke is a press or a release of a key.
type stroke struct {
	layout
	key      virtualKey
	scan     uint32 // of packetKey: a unit of UTF-16
	extended bool
	down     bool
	capsLock bool
	held     []desktop.Key // modifiers
}

// translator interprets the keys that a person presses: which key it was, and what it typed
// given the layout, the modifiers and the dead key before it.
type translator struct {
	dead rune // 0: none
	half rune // the first unit of a character of two
}

// fill fills in what a stroke is, and reports whether that is worth reporting.
func (t *translator) fill(ev *desktop.InputEvent, s stroke) bool {
	ev.Type, ev.Key = desktop.KeyRelease, s.name()
	ev.Mods = slices.DeleteFunc(slices.Clone(s.held), func(m desktop.Key) bool { return m == ev.Key })
	if s.down {
		ev.Type, ev.Text = desktop.KeyPress, t.text(s, ev.Key)
	}
	return ev.Key != "" || ev.Text != ""
}

// name returns the name of a key, which does not depend on modifiers.
func (s stroke) name() desktop.Key {
	if k, ok := keyNames[s.key]; ok {
		switch {
		case s.key == rightAlt && !s.hasAltGr():
			return desktop.Alt
		case s.key == enterKey && s.extended:
			return "numenter"
		}
		return k
	}
	text, dead := string(rune(s.scan)), false
	if s.key != packetKey {
		text, dead = s.types(s.key, s.scan, shifts{})
	}
	r, n := utf8.DecodeRuneInString(text)
	if dead || n != len(text) || !unicode.IsGraphic(r) || r == utf8.RuneError {
		return ""
	}
	return desktop.Key(string(unicode.ToLower(r)))
}

// text returns what a press types: "" for a shortcut, and for a dead key.
func (t *translator) text(s stroke, name desktop.Key) string {
	if s.key == packetKey {
		return t.packet(rune(s.scan))
	}
	if name.IsModifier() {
		return ""
	}
	before := t.dead
	with := shifts{slices.Contains(s.held, desktop.Shift), slices.Contains(s.held, desktop.AltGr), s.capsLock}
	text, dead := s.types(s.key, s.scan, with)
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return "" // such as the key of a lock
	}
	t.dead = 0
	if slices.ContainsFunc(s.held, func(m desktop.Key) bool { return m != desktop.Shift && m != desktop.AltGr }) {
		return ""
	}
	switch {
	case dead && before == 0:
		t.dead = r
		return ""
	case !unicode.IsGraphic(r):
		return ""
	case before != 0:
		return input.Compose(before, r) + text[n:]
	}
	return text
}

// packet returns the character that another program, such as a keyboard on the screen, types
// without a key.
func (t *translator) packet(unit rune) string {
	half := t.half
	t.half = 0
	switch {
	case utf16.IsSurrogate(unit) && half == 0:
		t.half = unit
		return ""
	case half != 0:
		return string(utf16.DecodeRune(half, unit))
	case !unicode.IsGraphic(unit):
		return ""
	}
	return string(unit)
}
