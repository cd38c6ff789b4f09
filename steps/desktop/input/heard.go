package input

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"understudy/steps/desktop"
)

// KeyOf is the key that gives a keysym, "" where it has no name. The keys on the right
// and those of the number pad without NumLock have the names of their twins.
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

// A Composer says what keys type that are pressed one after the other.
type Composer struct {
	dead rune // the accent of the dead key that was pressed last
}

// Text is what the key of a keysym types: "" for one that types nothing, and for a dead
// key, which changes the next.
func (c *Composer) Text(sym uint32) string {
	if accent, ok := deadAccents[sym]; ok && c.dead == 0 {
		c.dead = accent
		return ""
	}
	r := CharOf(sym)
	if r == 0 || !unicode.IsPrint(r) {
		return ""
	}
	s := string(r)
	if c.dead != 0 {
		s = norm.NFC.String(s + string(c.dead))
		c.dead = 0
	}
	return s
}

// deadAccents are the combining characters of dead keys.
var deadAccents = func() map[uint32]rune {
	m := map[uint32]rune{}
	for i, accent := range []rune{
		0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30a, 0x30b, 0x30c, 0x327, 0x328, 0x345, 0x3099, 0x309a, 0x323, 0x309, 0x31b,
	} {
		m[0xfe50+uint32(i)] = accent
	}
	return m
}()
