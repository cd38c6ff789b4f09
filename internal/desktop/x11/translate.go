//go:build linux

package x11

import (
	"cmp"
	"time"
	"unicode"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// translator interprets keys that were pressed: which key it was, and what it typed given the
// layout, the modifiers and the dead key before it.
type translator struct {
	table
	level3, numlock uint16 // the bits of these modifiers
	composer        input.Composer
	patches         map[[2]byte]time.Time // when a request changed the rows of these keys (first, count)
}

func (l *server) newTranslator() (*translator, error) {
	t := &translator{patches: map[[2]byte]time.Time{}}
	return t, t.load(l)
}

// load reads the keyboard mapping.
func (t *translator) load(l *server) error {
	rows, err := l.readTable()
	if err != nil {
		return err
	}
	mods, err := l.modifierKeys()
	if err != nil {
		return err
	}
	t.table, t.level3, t.numlock = rows, rows.bitsOf(symLevel3, mods), rows.bitsOf(symNumLock, mods)
	return nil
}

// patch applies requests from the stream that change the mapping.
func (t *translator) patch(requests []byte) {
	const changeKeyboardMapping, header = 100, 8
	for b := requests; len(b) >= header && b[0] == changeKeyboardMapping; {
		size := 4 * int(xgb.Get16(b[2:]))
		if size < header || size > len(b) {
			return
		}
		t.change(int(b[4]), int(b[1]), int(b[5]), b[header:size])
		t.patches[[2]byte{b[4], b[1]}] = time.Now()
		b = b[size:]
	}
}

// change replaces the rows of keys.
func (t *translator) change(first, count, per int, syms []byte) {
	for key := range count {
		for column := range t.per {
			i := (first+key-t.min)*t.per + column
			if i < 0 || i >= len(t.syms) {
				continue
			}
			t.syms[i] = 0
			if o := 4 * (key*per + column); column < per && o+4 <= len(syms) {
				t.syms[i] = xproto.Keysym(xgb.Get32(syms[o:]))
			}
		}
	}
}

// patched reports whether the announcement of a change is about one that was in the stream.
// The server announces each several times.
func (t *translator) patched(first, count byte) bool {
	when, ok := t.patches[[2]byte{first, count}]
	return ok && time.Since(when) < time.Second
}

// group returns where the keysyms of the layout in use begin in the row of a key.
func (t *translator) group(key xproto.Keycode, state uint16) int {
	if state>>13&3 > 0 && t.at(key, 2) != 0 {
		return 2
	}
	return 0
}

// sym returns the keysym that a key gives in a state.
func (t *translator) sym(key xproto.Keycode, state uint16) uint32 {
	base := t.group(key, state)
	if third := 4 + base; state&t.level3 != 0 && t.at(key, third) != 0 {
		base = third
	}
	plain, shifted := t.at(key, base), t.at(key, base+1)
	shifted = cmp.Or(shifted, plain)
	shift := state&uint16(modShift) != 0
	if state&t.numlock != 0 && shifted >= 0xff80 && shifted <= 0xffbd {
		shift = !shift
	}
	if state&uint16(modLock) != 0 && unicode.IsLetter(input.CharOf(plain)) {
		shift = !shift
	}
	if !shift {
		return plain
	}
	if shifted == plain {
		return symOfUpper(plain)
	}
	return shifted
}

// symOfUpper returns the keysym with Shift of a letter whose key has no second keysym.
func symOfUpper(sym uint32) uint32 {
	if r := input.CharOf(sym); unicode.IsLower(r) {
		return input.SymOf(unicode.ToUpper(r))
	}
	return sym
}

// text returns what pressing a key types (see input.Composer).
func (t *translator) text(key xproto.Keycode, state uint16) string {
	return t.composer.Text(t.sym(key, state), uint32(state))
}

// key returns the name of a key, which does not depend on modifiers.
func (t *translator) key(key xproto.Keycode, state uint16) desktop.Key {
	base := t.group(key, state)
	sym := t.at(key, base)
	if shifted := t.at(key, base+1); state&t.numlock != 0 && shifted >= 0xffaa && shifted <= 0xffb9 {
		sym = shifted
	}
	return input.KeyOf(sym)
}

// mods returns the modifiers that are held in a state.
func (t *translator) mods(state uint16) []desktop.Key {
	return input.HeldMods(uint32(state), uint32(t.level3))
}
