//go:build linux

package wayland

import (
	"fmt"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
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

// textKeymap returns a keymap with a key for each of the first keysyms of a text, as far as there
// are keys, and the strokes that type these. Keys that move the caret on, such as Return, stay
// where they are: GTK 3 looks up the meaning of such a key when it handles it, in the keymap
// that it has by then.
func textKeymap(syms []uint32) (keymap string, strokes []stroke) {
	given := map[uint32]stroke{}
	var keys strings.Builder
	for _, sym := range syms {
		s, known := given[sym]
		if !known && blank(sym) {
			s, known = plainStroke(sym)
		}
		if !known {
			if len(given) == len(letters) {
				break
			}
			key := letters[len(given)]
			s = stroke{code: key.code}
			given[sym] = s
			fmt.Fprintf(&keys, "replace key %s { type[group1] = \"ONE_LEVEL\", [ %#x ] };\n", key.name, sym)
		}
		strokes = append(strokes, s)
	}
	return keymapOf(keys.String()), strokes
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

// codeOf returns the code of a key with a name, or 0.
func codeOf(k desktop.Key) uint32 { return input.NamedKeys[k].Code }

// plainStrokes are the strokes of keysyms on the usual keyboard.
var plainStrokes = func() map[uint32]stroke {
	all := map[uint32]stroke{input.SymOf('\n'): {code: codeOf("enter")}, input.SymOf('\t'): {code: codeOf("tab")}}
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

// plainStroke returns how a keysym is typed on the usual keyboard, or false if that lacks it.
func plainStroke(sym uint32) (stroke, bool) {
	s, ok := plainStrokes[sym]
	return s, ok
}
