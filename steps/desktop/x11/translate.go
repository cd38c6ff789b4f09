//go:build linux

package x11

import (
	"cmp"
	"time"
	"unicode"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// translator reads keys that were pressed: which key it was, and what it
// typed by the layout, the modifiers and the dead key before it.
type translator struct {
	table
	level3, numlock uint16 // which modifiers they are
	composer        input.Composer
	patches         map[[2]byte]time.Time
}

// newTranslator reads the keyboard's mapping.
func (l *xConn) newTranslator() (*translator, error) {
	t := &translator{patches: map[[2]byte]time.Time{}}
	return t, t.load(l)
}

func (t *translator) load(l *xConn) error {
	first := l.setup.MinKeycode
	m, err := xproto.GetKeyboardMapping(l.x, first, byte(l.setup.MaxKeycode-first)+1).Reply()
	if err != nil {
		return err
	}
	mods, err := xproto.GetModifierMapping(l.x).Reply()
	if err != nil {
		return err
	}
	t.table = table{int(first), int(m.KeysymsPerKeycode), m.Keysyms}
	t.level3, t.numlock = 0, 0
	for i, key := range mods.Keycodes {
		bit := uint16(1) << (i / int(mods.KeycodesPerModifier))
		for column := range t.per {
			switch sym := t.at(key, column); {
			case key == 0:
			case sym == symLevel3:
				t.level3 |= bit
			case sym == symNumLock:
				t.numlock |= bit
			}
		}
	}
	return nil
}

// patch takes requests that change the mapping, from the stream.
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

// change writes the rows of keys.
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

// patched says whether the announcement of a change is about one that was in
// the stream. The server announces one several times.
func (t *translator) patched(first, count byte) bool {
	when, ok := t.patches[[2]byte{first, count}]
	return ok && time.Since(when) < time.Second
}

// level is where a key's keysyms begin in its row, for a state.
func (t *translator) level(key xproto.Keycode, state uint16) int {
	base := 0
	if state>>13&3 > 0 && t.at(key, 2) != 0 {
		base = 2
	}
	third := 4 + base
	if t.level3 != 0 && state&t.level3 != 0 && t.at(key, third) != 0 {
		return third
	}
	return base
}

// sym is the keysym that a key gives in a state.
func (t *translator) sym(key xproto.Keycode, state uint16) uint32 {
	base := t.level(key, state)
	plain, shifted := t.at(key, base), t.at(key, base+1)
	shifted = cmp.Or(shifted, plain)
	shift := state&uint16(modShift) != 0
	if t.numlock != 0 && state&t.numlock != 0 && shifted >= 0xff80 && shifted <= 0xffbd {
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

// symOfUpper is what Shift makes of a letter whose key has no second keysym.
func symOfUpper(sym uint32) uint32 {
	if r := input.CharOf(sym); unicode.IsLower(r) {
		return input.SymOf(unicode.ToUpper(r))
	}
	return sym
}

// shortcut are the modifiers with which a key types nothing.
const shortcut = uint16(modControl | mod1 | mod4)

// text is what a key press types: "" for keys that type nothing, and for a
// dead key, which changes the next.
func (t *translator) text(key xproto.Keycode, state uint16) string {
	if state&shortcut != 0 {
		return ""
	}
	return t.composer.Text(t.sym(key, state))
}

// key is the name of a key, the same whatever modifiers are held.
func (t *translator) key(key xproto.Keycode, state uint16) desktop.Key {
	base := 0
	if state>>13&3 > 0 && t.at(key, 2) != 0 {
		base = 2
	}
	sym := t.at(key, base)
	if t.numlock != 0 && state&t.numlock != 0 && t.at(key, base+1) >= 0xffaa && t.at(key, base+1) <= 0xffb9 {
		sym = t.at(key, base+1)
	}
	return input.KeyOf(sym)
}

// mods are the modifiers that are held in a state.
func (t *translator) mods(state uint16) []desktop.Key {
	var ks []desktop.Key
	for _, m := range []struct {
		bit uint16
		key desktop.Key
	}{
		{uint16(modControl), desktop.Ctrl},
		{uint16(modShift), desktop.Shift},
		{uint16(mod1), desktop.Alt},
		{t.level3, desktop.AltGr},
		{uint16(mod4), desktop.Super},
	} {
		if m.bit != 0 && state&m.bit != 0 {
			ks = append(ks, m.key)
		}
	}
	return ks
}
