package input

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// NamedKey is a key with a name instead of a character.
type NamedKey struct {
	Sym     uint32 // its X keysym
	Robotgo string // robotgo's name for it; "" when robotgo lacks it on some system
	Code    uint32 // the kernel's code for it on the usual keyboard; 0 if that lacks it
}

// NamedKeys are all keys of package desktop that have names.
var NamedKeys = map[desktop.Key]NamedKey{
	"ctrl": {0xffe3, "ctrl", 29}, "shift": {0xffe1, "shift", 42}, "alt": {0xffe9, "alt", 56},
	"altgr": {0xfe03, "", 100}, "super": {0xffeb, "cmd", 125},
	"enter": {0xff0d, "enter", 28}, "escape": {0xff1b, "esc", 1}, "tab": {0xff09, "tab", 15},
	"space": {0x20, "space", 57}, "backspace": {0xff08, "backspace", 14}, "delete": {0xffff, "delete", 111},
	"insert": {0xff63, "insert", 110}, "home": {0xff50, "home", 102}, "end": {0xff57, "end", 107},
	"pageup": {0xff55, "pageup", 104}, "pagedown": {0xff56, "pagedown", 109},
	"up": {0xff52, "up", 103}, "down": {0xff54, "down", 108}, "left": {0xff51, "left", 105}, "right": {0xff53, "right", 106},
	"f1": {0xffbe, "f1", 59}, "f2": {0xffbf, "f2", 60}, "f3": {0xffc0, "f3", 61}, "f4": {0xffc1, "f4", 62},
	"f5": {0xffc2, "f5", 63}, "f6": {0xffc3, "f6", 64}, "f7": {0xffc4, "f7", 65}, "f8": {0xffc5, "f8", 66},
	"f9": {0xffc6, "f9", 67}, "f10": {0xffc7, "f10", 68}, "f11": {0xffc8, "f11", 87}, "f12": {0xffc9, "f12", 88},
	"f13": {0xffca, "f13", 0}, "f14": {0xffcb, "f14", 0}, "f15": {0xffcc, "f15", 0}, "f16": {0xffcd, "f16", 0},
	"f17": {0xffce, "f17", 0}, "f18": {0xffcf, "f18", 0}, "f19": {0xffd0, "f19", 0}, "f20": {0xffd1, "f20", 0},
	"f21": {0xffd2, "f21", 0}, "f22": {0xffd3, "f22", 0}, "f23": {0xffd4, "f23", 0}, "f24": {0xffd5, "f24", 0},
	"capslock": {0xffe5, "capslock", 58}, "numlock": {0xff7f, "num_lock", 69}, "scrolllock": {0xff14, "scroll_lock", 70},
	"printscreen": {0xff61, "printscreen", 99}, "pause": {0xff13, "", 119}, "menu": {0xff67, "menu", 127},
	"num0": {0xffb0, "num0", 82}, "num1": {0xffb1, "num1", 79}, "num2": {0xffb2, "num2", 80}, "num3": {0xffb3, "num3", 81}, "num4": {0xffb4, "num4", 75},
	"num5": {0xffb5, "num5", 76}, "num6": {0xffb6, "num6", 77}, "num7": {0xffb7, "num7", 71}, "num8": {0xffb8, "num8", 72}, "num9": {0xffb9, "num9", 73},
	"numenter": {0xff8d, "num_enter", 96}, "numadd": {0xffab, "num+", 78}, "numsubtract": {0xffad, "num-", 74},
	"nummultiply": {0xffaa, "num*", 55}, "numdivide": {0xffaf, "num/", 98}, "numdecimal": {0xffae, "num.", 83},
	"volumeup": {0x1008ff13, "audio_vol_up", 115}, "volumedown": {0x1008ff11, "audio_vol_down", 114}, "volumemute": {0x1008ff12, "audio_mute", 113},
	"mediaplay": {0x1008ff14, "audio_play", 164}, "mediastop": {0x1008ff15, "audio_stop", 166},
	"medianext": {0x1008ff17, "audio_next", 163}, "mediaprevious": {0x1008ff16, "audio_prev", 165},
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

// Types returns the text of a chord that only types a character.
func Types(c desktop.Chord) (string, bool) {
	if len(c.Mods) > 0 {
		return "", false
	}
	_, ok := Character(c.Key)
	return string(c.Key), ok
}
