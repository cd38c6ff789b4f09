//go:build linux

package wayland

import (
	"testing"

	"understudy/internal/desktop/input"
)

// A part of what libxkbcommon writes for a German and a Greek layout.
const germanAndGreek = `xkb_keymap {
xkb_keycodes "(unnamed)" {
	minimum = 8;
	<ESC>                = 9;
	<AE02>               = 11;
	<AE10>               = 19;
	<AD01>               = 24;
	<AD06>               = 29;
	<AC10>               = 47;
	<KP1>                = 87;
	<LSGT>               = 94;
	indicator 1 = "Caps Lock";
};
xkb_symbols "pc+de+gr:2" {
	key <ESC>                {	[          Escape ] };
	key <AE02>               {
		type[group1]= "FOUR_LEVEL",
		symbols[Group1]= [               2,        quotedbl,     twosuperior,       oneeighth ],
		symbols[Group2]= [               2,              at,     twosuperior ]
	};
	key <AD01>               {
		symbols[1]= [               q,               Q,              at,     Greek_OMEGA ],
		symbols[2]= [       semicolon,           colon,       periodcentered ]
	};
	key <AD06>               {	[               z,               Z,       leftarrow,             yen ] };
	key <AC10>               {	[      odiaeresis,      Odiaeresis, dead_doubleacute ] };
	key <KP1>                {	[          KP_End,               1 ] };
	key <LSGT>               {	[            less,         greater,             bar,           U2014 ] };
};
};
`

// What a key types depends on the layout, the group, Shift and AltGr.
func TestTheLayoutIsTheSessions(t *testing.T) {
	groups := groupsOf(germanAndGreek)
	if len(groups) != 2 {
		t.Fatalf("it has %d groups, want 2", len(groups))
	}
	for _, row := range []struct {
		group int
		char  rune
		want  stroke
	}{
		{0, 'z', stroke{code: 21}},
		{0, 'Z', stroke{code: 21, shift: true}},
		{0, '"', stroke{code: 3, shift: true}},
		{0, '@', stroke{code: 16, altGr: true}},
		{0, 'ö', stroke{code: 39}},
		{0, '|', stroke{code: 86, altGr: true}},
		{0, '—', stroke{code: 86, shift: true, altGr: true}},
		{0, '\n', stroke{code: 28}},
		{1, '@', stroke{code: 3, shift: true}},
		{1, ':', stroke{code: 16, shift: true}},
		{1, '·', stroke{code: 16, altGr: true}},
		{1, 'Z', stroke{code: 21, shift: true}}, // whose key has no second group
		{0, '1', stroke{}},                      // the keypad needs Num Lock
		{0, ':', stroke{}},
		{1, 'q', stroke{}},
		{1, 'ж', stroke{}},
	} {
		got, ok := groups[row.group][input.SymOf(row.char)]
		if got != row.want || ok != (row.want != stroke{}) {
			t.Errorf("group %d: %c is typed by %+v, want %+v", row.group, row.char, got, row.want)
		}
	}
}
