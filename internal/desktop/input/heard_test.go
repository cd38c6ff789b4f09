package input

import (
	"strings"
	"testing"
)

func TestTextOfKeys(t *testing.T) {
	syms := map[string]uint32{
		"grave": 0xfe50, "acute": 0xfe51, "circumflex": 0xfe52, "diaeresis": 0xfe57, "space": 0x20, "nbsp": 0xa0,
		"shift": 0xffe1, "level3": 0xfe03, "capslock": 0xffe5, "backspace": 0xff08, "left": 0xff51, "enter": 0xff0d, "angstrom": 0x100212b,
	}
	for _, row := range []struct{ sentence, keys, want string }{
		{"a character", "a", "a"},
		{"a dead key and a letter", "acute e", "é"},
		{"a dead key and a letter with Shift", "acute shift E", "É"},
		{"also with CapsLock", "acute capslock E", "É"},
		{"a letter after that is plain", "acute e e", "ée"},
		{"a letter that has none with the accent", "acute x", "x\u0301"},
		{"two accents on one letter", "circumflex acute a", "ấ"},
		{"a dead key and the space bar", "circumflex space", "^"},
		{"an apostrophe", "acute space", "'"},
		{"a quotation mark", "diaeresis space", `"`},
		{"a dead key twice", "grave grave", "`"},
		{"an accent of its own", "acute acute", "´"},
		{"two dots of their own", "diaeresis diaeresis", "¨"},
		{"a dead key that is taken back", "acute backspace e", "e"},
		{"a dead key before the caret moves", "acute left e", "e"},
		{"a dead key before a shortcut", "acute ctrl+c e", "e"},
		{"a space that does not break", "a nbsp b", "a\u00a0b"},
		{"a character stays as it is", "angstrom", "\u212b"},
		{"a key that types nothing", "level3 enter", ""},
	} {
		var c Composer
		var got strings.Builder
		for key := range strings.FieldsSeq(row.keys) {
			var state uint32
			if k, ok := strings.CutPrefix(key, "ctrl+"); ok {
				key, state = k, controlBit
			}
			sym, named := syms[key]
			if !named {
				sym = SymOf([]rune(key)[0])
			}
			got.WriteString(c.Text(sym, state))
		}
		if got.String() != row.want {
			t.Errorf("%s: %s types %q, wanted %q", row.sentence, row.keys, got.String(), row.want)
		}
	}
}
