package input

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"understudy/steps/desktop"
)

// NamedKey is a key with a name instead of a character.
type NamedKey struct {
	Sym     uint32 // its X keysym
	Robotgo string // robotgo's name for it; "" when robotgo lacks it on some system
}

// NamedKeys are all keys of package desktop that have names.
var NamedKeys = map[desktop.Key]NamedKey{
	"ctrl": {0xffe3, "ctrl"}, "shift": {0xffe1, "shift"}, "alt": {0xffe9, "alt"},
	"altgr": {0xfe03, ""}, "super": {0xffeb, "cmd"},
	"enter": {0xff0d, "enter"}, "escape": {0xff1b, "esc"}, "tab": {0xff09, "tab"},
	"space": {0x20, "space"}, "backspace": {0xff08, "backspace"}, "delete": {0xffff, "delete"},
	"insert": {0xff63, "insert"}, "home": {0xff50, "home"}, "end": {0xff57, "end"},
	"pageup": {0xff55, "pageup"}, "pagedown": {0xff56, "pagedown"},
	"up": {0xff52, "up"}, "down": {0xff54, "down"}, "left": {0xff51, "left"}, "right": {0xff53, "right"},
	"f1": {0xffbe, "f1"}, "f2": {0xffbf, "f2"}, "f3": {0xffc0, "f3"}, "f4": {0xffc1, "f4"},
	"f5": {0xffc2, "f5"}, "f6": {0xffc3, "f6"}, "f7": {0xffc4, "f7"}, "f8": {0xffc5, "f8"},
	"f9": {0xffc6, "f9"}, "f10": {0xffc7, "f10"}, "f11": {0xffc8, "f11"}, "f12": {0xffc9, "f12"},
	"f13": {0xffca, "f13"}, "f14": {0xffcb, "f14"}, "f15": {0xffcc, "f15"}, "f16": {0xffcd, "f16"},
	"f17": {0xffce, "f17"}, "f18": {0xffcf, "f18"}, "f19": {0xffd0, "f19"}, "f20": {0xffd1, "f20"},
	"f21": {0xffd2, "f21"}, "f22": {0xffd3, "f22"}, "f23": {0xffd4, "f23"}, "f24": {0xffd5, "f24"},
	"capslock": {0xffe5, "capslock"}, "numlock": {0xff7f, "num_lock"}, "scrolllock": {0xff14, "scroll_lock"},
	"printscreen": {0xff61, "printscreen"}, "pause": {0xff13, ""}, "menu": {0xff67, "menu"},
	"num0": {0xffb0, "num0"}, "num1": {0xffb1, "num1"}, "num2": {0xffb2, "num2"}, "num3": {0xffb3, "num3"}, "num4": {0xffb4, "num4"},
	"num5": {0xffb5, "num5"}, "num6": {0xffb6, "num6"}, "num7": {0xffb7, "num7"}, "num8": {0xffb8, "num8"}, "num9": {0xffb9, "num9"},
	"numenter": {0xff8d, "num_enter"}, "numadd": {0xffab, "num+"}, "numsubtract": {0xffad, "num-"},
	"nummultiply": {0xffaa, "num*"}, "numdivide": {0xffaf, "num/"}, "numdecimal": {0xffae, "num."},
	"volumeup": {0x1008ff13, "audio_vol_up"}, "volumedown": {0x1008ff11, "audio_vol_down"}, "volumemute": {0x1008ff12, "audio_mute"},
	"mediaplay": {0x1008ff14, "audio_play"}, "mediastop": {0x1008ff15, "audio_stop"},
	"medianext": {0x1008ff17, "audio_next"}, "mediaprevious": {0x1008ff16, "audio_prev"},
}

// Character returns the character of a key that is one.
func Character(k desktop.Key) (rune, bool) {
	r, n := utf8.DecodeRuneInString(string(k))
	return r, n > 0 && n == len(k) && r != utf8.RuneError
}

// Known fails for a key that does not exist: robotgo would press another one, or none.
func Known(keys ...desktop.Key) error {
	for _, k := range keys {
		if _, ok := NamedKeys[k]; ok {
			continue
		}
		if r, ok := Character(k); !ok || !unicode.IsPrint(r) {
			return &desktop.UnknownKeyError{Name: string(k)}
		}
	}
	return nil
}

// Keys returns the keys of a chord: its modifiers, then its key.
func Keys(c desktop.Chord) []desktop.Key { return append(slices.Clone(c.Mods), c.Key) }

// Plain returns "ctrl+s" for "ctrl+S": with modifiers, a letter names its key. Shift must
// be asked for by name.
func Plain(c desktop.Chord) desktop.Chord {
	if r, ok := Character(c.Key); ok && slices.ContainsFunc(c.Mods, func(m desktop.Key) bool { return m != desktop.Shift }) {
		c.Key = desktop.Key(unicode.ToLower(r))
	}
	return c
}

// Types returns the text of a chord that only types a character.
func Types(c desktop.Chord) (string, bool) {
	if len(c.Mods) > 0 {
		return "", false
	}
	_, ok := Character(c.Key)
	return string(c.Key), ok
}
