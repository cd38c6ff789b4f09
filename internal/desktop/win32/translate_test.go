package win32

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/desktop"
)

// german is a part of the layout of Germany.
type german struct{}

func (german) hasAltGr() bool { return true }

func (german) types(key virtualKey, _ uint32, with shifts) (string, bool) {
	row := map[virtualKey][3]string{
		'A': {"a", "A", ""}, 'E': {"e", "E", "€"}, 'Q': {"q", "Q", "@"}, '1': {"1", "!", ""}, 0xba: {"ü", "Ü", ""},
		' ': {" ", " ", ""}, enterKey: {"\r", "\r", ""}, 0x08: {"\b", "\b", ""}, 0x61: {"1", "", ""},
		0xdd: {"´", "`", ""}, 0xdc: {"^", "°", ""},
	}[key]
	upper := with.shift != (with.capsLock && key >= 'A' && key <= 'Z')
	text := row[0]
	switch {
	case with.altGr:
		text = row[2]
	case upper:
		text = row[1]
	}
	return text, key == 0xdd || key == 0xdc && text == "^"
}

// american is a layout without AltGr, whose keys type nothing that matters here.
type american struct{ german }

func (american) hasAltGr() bool { return false }

func TestKeysAreNamedAndType(t *testing.T) {
	shift, ctrl, altGr, alt := []desktop.Key{"shift"}, []desktop.Key{"ctrl"}, []desktop.Key{"altgr"}, []desktop.Key{"alt"}
	press := func(key virtualKey, held ...desktop.Key) stroke {
		return stroke{layout: german{}, key: key, down: true, held: held}
	}
	packet := func(unit uint32) stroke { return stroke{layout: german{}, key: packetKey, scan: unit, down: true} }
	for _, c := range []struct {
		say     string
		strokes []stroke
		want    string // key "text" and modifiers of each that is worth reporting
	}{
		{"a letter", []stroke{press('A')}, `a "a"`},
		{"a letter with shift", []stroke{press('A', shift...)}, `a "A" shift`},
		{"a letter with CapsLock", []stroke{{layout: german{}, key: 'A', down: true, capsLock: true}}, `a "A"`},
		{"a release types nothing", []stroke{{layout: german{}, key: 'A'}}, `a ""`},
		{"a sign keeps the name of its key", []stroke{press('1', shift...)}, `1 "!" shift`},
		{"a letter of the layout", []stroke{press(0xba)}, `ü "ü"`},
		{"the third level", []stroke{press('E', altGr...), press('Q', altGr...)}, `e "€" altgr, q "@" altgr`},
		{"a shortcut types nothing", []stroke{press('A', ctrl...), press('A', alt...)}, `a "" ctrl, a "" alt`},
		{"a modifier has itself not held", []stroke{{layout: german{}, key: 0xa3, held: ctrl}}, `ctrl ""`},
		{"right Alt is AltGr where there is one", []stroke{press(rightAlt), {layout: american{}, key: rightAlt}}, `altgr "", alt ""`},
		{"keys with names", []stroke{press(enterKey), press(0x08), press(' '), press(0x70)}, `enter "", backspace "", space " ", f1 ""`},
		{"the number pad", []stroke{press(0x61), {layout: german{}, key: enterKey, extended: true, down: true}}, `num1 "1", numenter ""`},
		{"a dead key and its letter", []stroke{press(0xdd), press(0xa0), press('E', shift...)}, `shift "", e "É" shift`},
		{"a dead key with shift has the name of its key", []stroke{press(0xdc), press('A')}, `a "â"`},
		{"a dead key and a space", []stroke{press(0xdc), press(' ')}, `space "^"`},
		{"a dead key twice", []stroke{press(0xdc), press(0xdc)}, ` "^^"`},
		{"a dead key and what it goes not on", []stroke{press(0xdd), press('1')}, `1 "´1"`},
		{"a shortcut ends a dead key", []stroke{press(0xdd), press('A', ctrl...), press('E')}, `a "" ctrl, e "e"`},
		{"a character without a key", []stroke{packet('Ж')}, `ж "Ж"`},
		{"one of two units", []stroke{packet(0xd83d), packet(0xde00)}, ` "😀"`},
		{"no character without a key", []stroke{packet('\b')}, ``},
		{"a key that nobody knows", []stroke{press(0xff)}, ``},
	} {
		t.Run(c.say, func(t *testing.T) {
			var keys translator
			var got []string
			for _, s := range c.strokes {
				var ev desktop.InputEvent
				if keys.fill(&ev, s) {
					got = append(got, strings.TrimRight(fmt.Sprintf("%s %q %s", ev.Key, ev.Text, strings.Trim(fmt.Sprint(ev.Mods), "[]")), " "))
				}
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("it is %s, want %s", all, c.want)
			}
		})
	}
}
