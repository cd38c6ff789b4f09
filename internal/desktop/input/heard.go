package input

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"understudy/internal/desktop"
)

// KeyOf returns the key that gives a keysym, or "" if it has no name. The keys on the right
// side and those of the number pad without NumLock have the names of their twins.
func KeyOf(sym uint32) desktop.Key {
	if k, ok := keyBySym[sym]; ok {
		return k
	}
	if r := CharOf(sym); r != 0 && unicode.IsPrint(r) {
		return desktop.Key(strings.ToLower(string(r)))
	}
	return ""
}

var keyBySym = func() map[uint32]desktop.Key {
	m := map[uint32]desktop.Key{
		0xffe2: desktop.Shift, 0xffe4: desktop.Ctrl, 0xffea: desktop.Alt, 0xffec: desktop.Super,
		0xffe7: desktop.Alt, 0xffe8: desktop.Alt, 0xfe20: "tab",
		0xff95: "home", 0xff96: "left", 0xff97: "up", 0xff98: "right", 0xff99: "down",
		0xff9a: "pageup", 0xff9b: "pagedown", 0xff9c: "end", 0xff9e: "insert", 0xff9f: "delete",
	}
	for k, n := range NamedKeys {
		m[n.Sym] = k
	}
	return m
}()

// The bits of modifiers in a keyboard state, in X as in XKB. AltGr is level3 unless a
// keymap says otherwise.
const (
	shiftBit, controlBit, altBit, superBit = 1 << 0, 1 << 2, 1 << 3, 1 << 6
	Level3Bit                              = 1 << 7
)

// ModBits are the bits of the modifiers in a state of the usual keyboard.
var ModBits = map[desktop.Key]uint32{
	desktop.Ctrl: controlBit, desktop.Shift: shiftBit, desktop.Alt: altBit, desktop.AltGr: Level3Bit, desktop.Super: superBit,
}

// HeldMods returns the modifiers that are held in a state, in which AltGr has a bit, or
// none if that is zero.
func HeldMods(state, altGr uint32) (held []desktop.Key) {
	for _, k := range []desktop.Key{desktop.Ctrl, desktop.Shift, desktop.Alt, desktop.AltGr, desktop.Super} {
		bit := ModBits[k]
		if k == desktop.AltGr {
			bit = altGr
		}
		if state&bit != 0 {
			held = append(held, k)
		}
	}
	return held
}

// A Composer turns keys that are pressed one after the other into text, as the toolkits
// and the Compose file of X do.
type Composer struct {
	dead []deadKey // those pressed since the last character
}

// deadKey is a key that puts an accent on the next character.
type deadKey struct {
	accent       rune // a combining character
	alone, twice rune // what the key types before a space, and when it is pressed again
}

// Text returns what a key types that gives a keysym in a state: "" for a key that types
// nothing, for a shortcut, and for a dead key, which changes the next one.
func (c *Composer) Text(sym, state uint32) string {
	if isModifier(sym) {
		return ""
	}
	dead := c.dead
	c.dead = nil
	if state&(controlBit|altBit|superBit) != 0 {
		return ""
	}
	if d, ok := deadKeys[sym]; ok {
		if slices.Contains(dead, d) {
			return string(d.twice)
		}
		dead = append(dead, d)
		c.dead = dead
		return ""
	}
	r := CharOf(sym)
	switch {
	case !unicode.IsGraphic(r):
		return ""
	case len(dead) == 0:
		return string(r)
	case r == ' ':
		return string(dead[0].alone)
	}
	text := []rune{r}
	for _, d := range dead {
		text = append(text, d.accent)
	}
	return norm.NFC.String(string(text))
}

// isModifier reports whether a keysym is that of a modifier or of a lock, which does not
// come between a dead key and its letter.
func isModifier(sym uint32) bool {
	return sym >= 0xffe1 && sym <= 0xffee || sym >= 0xfe01 && sym <= 0xfe13 || sym == 0xff7e || sym == 0xff7f
}

// deadKeys are the dead keys by their keysyms.
var deadKeys = func() map[uint32]deadKey {
	m := map[uint32]deadKey{}
	for i, d := range []deadKey{
		{0x300, '`', '`'},
		{0x301, '\'', '´'},
		{0x302, '^', '^'},
		{0x303, '~', '~'},
		{0x304, '¯', '¯'},
		{0x306, '˘', '˘'},
		{0x307, '˙', '˙'},
		{0x308, '"', '¨'},
		{0x30a, '°', '°'},
		{0x30b, '˝', '˝'},
		{0x30c, 'ˇ', 'ˇ'},
		{0x327, '¸', '¸'},
		{0x328, '˛', '˛'},
		{0x345, 'ͺ', 'ͺ'},
		{0x3099, '゛', '゛'},
		{0x309a, '゜', '゜'},
		{0x323, 0x323, 0x323},
		{0x309, 0x309, 0x309},
		{0x31b, 0x31b, 0x31b},
	} {
		m[0xfe50+uint32(i)] = d
	}
	return m
}()
