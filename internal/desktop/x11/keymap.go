//go:build linux

package x11

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop/input"
)

// The keysyms that change how other keys are read.
const (
	symShift    = 0xffe1
	symCapsLock = 0xffe5
	symNumLock  = 0xff7f
	symLevel3   = 0xfe03
	symAltRight = 0xffea
)

// stroke is how a keysym is typed: by a key, with or without Shift.
type stroke struct {
	key   xproto.Keycode
	shift bool
}

// keymap is the keyboard mapping as it was last read, and the use of its spare keys for
// characters that the layout lacks: two for each spare key, plain and with Shift.
//
// A binding stays, because an application may read the mapping long after the key was
// pressed. A slot is bound to another character only after it has rested for a while.
type keymap struct {
	table
	shift  xproto.Keycode
	layout map[uint32]stroke
	slots  []slot
	bound  map[uint32]int // keysym → index in slots
	numbit modifiers      // the modifier of NumLock
}

// table is the core mapping of a keyboard: a row of keysyms for each key. The columns are
// layout 1 plain and with Shift, layout 2 likewise, then the third and fourth levels of
// both.
type table struct {
	min  int
	per  int // columns of each key
	syms []xproto.Keysym
}

// slot is one half of a spare key.
type slot struct {
	stroke
	sym  uint32 // 0: it is free
	used time.Time
}

// rest is how long a slot rests after its last use before it is bound to something else.
const rest = 400 * time.Millisecond

// binding is a slot that is about to be bound to a keysym.
type binding struct {
	slot int
	sym  uint32
}

// at returns the keysym in one column of a key.
func (t *table) at(key xproto.Keycode, column int) uint32 {
	if row := t.row(key); column < len(row) {
		return uint32(row[column])
	}
	return 0
}

func (t *table) row(key xproto.Keycode) []xproto.Keysym {
	i := (int(key) - t.min) * t.per
	if i < 0 || i+t.per > len(t.syms) {
		return nil
	}
	return t.syms[i : i+t.per]
}

// bitsOf returns the bits of the modifiers that a key with a keysym is.
func (t *table) bitsOf(sym xproto.Keysym, mods map[xproto.Keycode]uint16) (all uint16) {
	for key, bits := range mods {
		if slices.Contains(t.row(key), sym) {
			all |= bits
		}
	}
	return all
}

// keys iterates over the keys of the mapping.
func (t *table) keys() iter.Seq[xproto.Keycode] {
	return func(yield func(xproto.Keycode) bool) {
		for key := t.min; key < t.min+len(t.syms)/max(t.per, 1); key++ {
			if !yield(xproto.Keycode(key)) {
				return
			}
		}
	}
}

// learn takes over the mapping of the server and reports whether it differs from the one
// that was known.
func (k *keymap) learn(min, per int, syms []xproto.Keysym) bool {
	if k.min == min && k.per == per && slices.Equal(k.syms, syms) {
		return false
	}
	k.min, k.per, k.syms = min, per, syms
	k.layout = map[uint32]stroke{}
	ours := k.takeSlots()
	for key := range k.keys() {
		if ours[key] {
			continue
		}
		for column := range 2 {
			k.offer(k.at(key, column), stroke{key, column == 1})
		}
	}
	k.shift = k.layout[symShift].key
	return true
}

// offer adds a keysym that the layout types, unless an earlier key types it.
func (k *keymap) offer(sym uint32, s stroke) {
	names := []uint32{sym}
	if sym < 0xff00 {
		names = append(names, input.SymOf(input.CharOf(sym))) // a keysym older than Unicode, and that of its character
	}
	for _, name := range names {
		if _, known := k.layout[name]; name != 0 && !known {
			k.layout[name] = s
		}
	}
}

// takeSlots finds the spare keys: those without a meaning, and those that still have the
// one that we gave them.
func (k *keymap) takeSlots() map[xproto.Keycode]bool {
	old := map[xproto.Keycode][2]slot{}
	for i := 0; i+1 < len(k.slots); i += 2 {
		old[k.slots[i].key] = [2]slot{k.slots[i], k.slots[i+1]}
	}
	ours := map[xproto.Keycode]bool{}
	k.slots, k.bound = nil, map[uint32]int{}
	for key := range k.keys() {
		pair := old[key]
		if !k.means(key, pair[0].sym, pair[1].sym) {
			if !k.means(key, 0, 0) {
				continue
			}
			pair = [2]slot{}
		}
		ours[key] = true
		for i, s := range pair {
			s.stroke = stroke{key, i == 1}
			if s.sym != 0 {
				k.bound[s.sym] = len(k.slots)
			}
			k.slots = append(k.slots, s)
		}
	}
	return ours
}

// means reports whether a key has the row that we write for two keysyms.
func (k *keymap) means(key xproto.Keycode, plain, shifted uint32) bool {
	if plain == 0 && shifted == 0 {
		return !slices.ContainsFunc(k.row(key), func(sym xproto.Keysym) bool { return sym != 0 })
	}
	first, second := k.at(key, 0), k.at(key, 1)
	return (plain == 0 || first == plain) && (second == shifted || shifted == 0)
}

// looksBound reports whether a key has a row as we write it: two keysyms, repeated.
func (t *table) looksBound(key xproto.Keycode) bool {
	plain, shifted := t.at(key, 0), t.at(key, 1)
	if plain == 0 || t.at(key, 2) == 0 {
		return false
	}
	for c, want := range twice(plain, shifted, t.per) {
		// The server omits columns that repeat others.
		if got := t.at(key, c); got != 0 && got != uint32(want) {
			return false
		}
	}
	return true
}

// find returns how a keysym is typed now, by the layout or by a spare key.
func (k *keymap) find(sym uint32) (stroke, bool) {
	if s, ok := k.layout[sym]; ok {
		return s, true
	}
	if i, ok := k.bound[sym]; ok {
		return k.slots[i].stroke, true
	}
	return stroke{}, false
}

// plan returns how many of the first keysyms can be typed in one go, up to most, which
// slots must be bound for them, and how long these must still rest.
func (k *keymap) plan(syms []uint32, most int, now time.Time) (n int, bind []binding, wait time.Duration) {
	need := map[uint32]bool{}
	var fresh []uint32
	for n < min(most, len(syms)) {
		sym := syms[n]
		if _, inLayout := k.layout[sym]; !inLayout && !need[sym] {
			if len(need) == len(k.slots) {
				break
			}
			need[sym] = true
			if _, ok := k.bound[sym]; !ok {
				fresh = append(fresh, sym)
			}
		}
		n++
	}
	if len(fresh) == 0 {
		return n, nil, 0
	}
	free := k.leastMissed(need, syms[n:])
	for i, sym := range fresh {
		bind = append(bind, binding{free[i], sym})
		wait = max(wait, rest-now.Sub(k.slots[free[i]].used))
	}
	return n, bind, wait
}

// foresight is how far ahead a text is searched for characters that are needed again.
const foresight = 1000

// leastMissed returns the slots that are not needed now, beginning with those whose
// character comes last in the rest of the text, or never, and among these with the longest
// unused. That keeps bindings few: each one costs every application time.
func (k *keymap) leastMissed(need map[uint32]bool, coming []uint32) []int {
	next := map[uint32]int{}
	for i, sym := range coming[:min(foresight, len(coming))] {
		if _, ok := next[sym]; !ok {
			next[sym] = i
		}
	}
	again := func(slot int) int {
		if i, ok := next[k.slots[slot].sym]; ok {
			return i
		}
		return foresight
	}
	var free []int
	for i, s := range k.slots {
		if !need[s.sym] {
			free = append(free, i)
		}
	}
	slices.SortStableFunc(free, func(a, b int) int {
		return cmp.Or(cmp.Compare(again(b), again(a)), k.slots[a].used.Compare(k.slots[b].used))
	})
	return free
}

// bind binds slots to keysyms and returns the rows to write.
func (k *keymap) bind(bs []binding) map[xproto.Keycode][]xproto.Keysym {
	rows := map[xproto.Keycode][]xproto.Keysym{}
	for _, b := range bs {
		s := &k.slots[b.slot]
		delete(k.bound, s.sym)
		s.sym = b.sym
		k.bound[b.sym] = b.slot
		first := b.slot &^ 1
		rows[s.key] = twice(k.slots[first].sym, k.slots[first+1].sym, k.per)
	}
	return rows
}

// twice returns a row that repeats two keysyms, so that they mean the same in all layouts.
func twice(plain, shifted uint32, per int) []xproto.Keysym {
	plain = cmp.Or(plain, shifted)
	shifted = cmp.Or(shifted, plain)
	r := make([]xproto.Keysym, per)
	for i := range r {
		r[i] = xproto.Keysym(plain)
		if i%2 == 1 {
			r[i] = xproto.Keysym(shifted)
		}
	}
	return r
}

// use records that a keysym was typed now.
func (k *keymap) use(sym uint32, now time.Time) {
	if i, ok := k.bound[sym]; ok {
		k.slots[i].used = now
	}
}

// isModifier reports whether a key is held to change others.
func (k *keymap) isModifier(key xproto.Keycode) bool {
	switch sym := k.at(key, 0); sym {
	case symLevel3, 0xff7e, 0xfe11: // level 3, mode switch, level 5
		return true
	default: // Shift, Control, Meta, Alt, Super, Hyper, but not the locks
		return sym >= symShift && sym <= 0xffee && sym != symCapsLock && sym != symCapsLock+1
	}
}

// mapping reads and writes the keyboard mapping of the server.
type mapping struct {
	keyboardExtension
	keymap keymap // guarded by Driver.inputMu
}

// readTable reads the mapping.
func (l *server) readTable() (table, error) {
	first := l.setup.MinKeycode
	m, err := xproto.GetKeyboardMapping(l.x, first, byte(l.setup.MaxKeycode-first)+1).Reply()
	if err != nil {
		return table{}, err
	}
	return table{int(first), int(m.KeysymsPerKeycode), m.Keysyms}, nil
}

// modifierKeys reads which keys are modifiers, and their bits.
func (l *server) modifierKeys() (map[xproto.Keycode]uint16, error) {
	mods, err := xproto.GetModifierMapping(l.x).Reply()
	if err != nil {
		return nil, err
	}
	bits := map[xproto.Keycode]uint16{}
	for i, key := range mods.Keycodes {
		if key != 0 {
			bits[key] |= 1 << (i / int(mods.KeycodesPerModifier))
		}
	}
	return bits, nil
}

// learn reads the mapping into the keymap and reports whether it has changed.
func (l *mapping) learn() (bool, error) {
	t, err := l.readTable()
	if err != nil || !l.keymap.learn(t.min, t.per, t.syms) {
		return false, err
	}
	mods, err := l.modifierKeys()
	l.keymap.numbit = modifiers(l.keymap.bitsOf(symNumLock, mods))
	return true, err
}

// unbind takes the meaning from spare keys, unless a layout has given them another one
// since: no layout has rows like ours.
func (l *mapping) unbind(keys []byte) error {
	defer l.x.Sync()
	if len(keys) == 0 {
		return nil
	}
	if _, err := l.learn(); err != nil {
		return err
	}
	for _, key := range keys {
		if k := xproto.Keycode(key); l.keymap.looksBound(k) {
			xproto.ChangeKeyboardMapping(l.x, 1, k, byte(l.keymap.per), make([]xproto.Keysym, l.keymap.per))
		}
	}
	return nil
}

// pressedModifiers returns the modifier keys that are down.
func (l *mapping) pressedModifiers() (keys []xproto.Keycode, err error) {
	down, err := xproto.QueryKeymap(l.x).Reply()
	if err != nil {
		return nil, err
	}
	for key := range l.keymap.keys() {
		if down.Keys[key/8]&(1<<(key%8)) != 0 && l.keymap.isModifier(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
