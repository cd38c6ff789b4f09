//go:build linux

package wayland

import (
	"fmt"
	"strings"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// keymapOf returns the keymap of the usual keyboard, in which codes mean the usual keys, except
// for keys that get other symbols.
func keymapOf(others string) string {
	return `xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)+level3(ralt_switch)"
` + others + "};\n};\n"
}

// plainKeymap is the keymap for chords and plain text.
var plainKeymap = keymapOf("")

// letters are the keys that get other symbols for characters that the usual keyboard lacks:
// those that type something. A browser takes other keys, such as Escape, for what they usually
// are, whatever the keymap says.
var letters = func() (list []letter) {
	for _, row := range []struct {
		name  string
		first uint32
		keys  int
	}{{"AD", 16, 12}, {"AC", 30, 11}, {"AB", 44, 10}, {"AE", 2, 12}} {
		for i := range row.keys {
			list = append(list, letter{fmt.Sprintf("<%s%02d>", row.name, i+1), row.first + uint32(i)})
		}
	}
	return list
}()

type letter struct {
	name string
	code uint32
}

// textKeymap returns a keymap with a key for each of the first n keysyms of a text, as far as
// there are keys, and the strokes by keysym. Keys that move the caret on, such as Return, stay
// where they are: GTK 3 looks up the meaning of such a key when it handles it, in the keymap
// that it has by then.
func textKeymap(syms []uint32) (keymap string, strokes map[uint32]stroke, n int) {
	strokes = map[uint32]stroke{}
	var keys strings.Builder
	for _, sym := range syms {
		_, known := strokes[sym]
		switch s, plain := plainStrokes[sym]; {
		case known:
		case plain && blank(sym):
			strokes[sym] = s
		default:
			used := strings.Count(keys.String(), ";")
			if used == len(letters) {
				return keymapOf(keys.String()), strokes, n
			}
			strokes[sym] = stroke{code: letters[used].code}
			fmt.Fprintf(&keys, "replace key %s { type[group1] = \"ONE_LEVEL\", [ %#x ] };\n", letters[used].name, sym)
		}
		n++
	}
	return keymapOf(keys.String()), strokes, n
}

// blank reports whether a keysym is that of a space, a tab or a line end.
func blank(sym uint32) bool {
	return sym == ' ' || sym == input.SymOf('\t') || sym == input.SymOf('\n')
}

// A stroke is a key of the usual keyboard, and the modifiers that it is pressed with.
type stroke struct {
	code  uint32
	shift bool
	altGr bool
}

// mods returns these modifiers.
func (s stroke) mods() (mods []desktop.Key) {
	if s.shift {
		mods = append(mods, desktop.Shift)
	}
	if s.altGr {
		mods = append(mods, desktop.AltGr)
	}
	return mods
}

// rows are the characters of the usual keyboard with consecutive codes, without and with Shift.
var rows = []struct {
	first          uint32
	plain, shifted string
}{
	{2, "1234567890-=", "!@#$%^&*()_+"},
	{16, "qwertyuiop[]", "QWERTYUIOP{}"},
	{30, "asdfghjkl;'`", `ASDFGHJKL:"~`},
	{43, `\zxcvbnm,./`, "|ZXCVBNM<>?"},
	{57, " ", ""},
}

// named are the codes of the keys with names.
var named = map[desktop.Key]uint32{
	"ctrl": 29, "shift": 42, "alt": 56, "altgr": 100, "super": 125,
	"enter": 28, "escape": 1, "tab": 15, "space": 57, "backspace": 14, "delete": 111, "insert": 110,
	"home": 102, "end": 107, "pageup": 104, "pagedown": 109, "up": 103, "down": 108, "left": 105, "right": 106,
	"f1": 59, "f2": 60, "f3": 61, "f4": 62, "f5": 63, "f6": 64, "f7": 65, "f8": 66, "f9": 67, "f10": 68, "f11": 87, "f12": 88,
	"capslock": 58, "numlock": 69, "scrolllock": 70, "printscreen": 99, "pause": 119, "menu": 127,
	"num0": 82, "num1": 79, "num2": 80, "num3": 81, "num4": 75, "num5": 76, "num6": 77, "num7": 71, "num8": 72, "num9": 73,
	"numenter": 96, "numadd": 78, "numsubtract": 74, "nummultiply": 55, "numdivide": 98, "numdecimal": 83,
	"volumeup": 115, "volumedown": 114, "volumemute": 113,
	"mediaplay": 164, "mediastop": 166, "medianext": 163, "mediaprevious": 165,
}

// plainStrokes are the strokes of keysyms on the usual keyboard.
var plainStrokes = func() map[uint32]stroke {
	all := map[uint32]stroke{input.SymOf('\n'): {code: named["enter"]}, input.SymOf('\t'): {code: named["tab"]}}
	for _, r := range rows {
		for i, c := range r.plain {
			all[input.SymOf(c)] = stroke{code: r.first + uint32(i)}
		}
		for i, c := range r.shifted {
			all[input.SymOf(c)] = stroke{code: r.first + uint32(i), shift: true}
		}
	}
	return all
}()
