//go:build linux

package x11

import (
	"cmp"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop/input"
)

// The keysyms that have a part in how other keys are read.
const (
	symShift    = 0xffe1
	symCapsLock = 0xffe5
	symNumLock  = 0xff7f
	symLevel3   = 0xfe03
	symAltRight = 0xffea
)

// stroke is how a keysym is typed: a key, and whether Shift is held.
type stroke struct {
	key   xproto.Keycode
	shift bool
}

// keymap is what we know of the keyboard's mapping, and which of its spare
// keys we use for characters that the layout lacks. Each spare key takes two,
// plain and with Shift.
//
// A binding stays, because an application may look at the mapping long after
// the key was pressed; a slot is used for another character only when it has
// rested for a while.
type keymap struct {
	table
	shift  xproto.Keycode
	layout map[uint32]stroke
	slots  []slot
	bound  map[uint32]int // keysym → index in slots
	numbit modifiers      // which modifier NumLock is
}

// table is the core mapping of a keyboard: for each key a row of keysyms. The
// columns are layout 1 plain and with Shift, layout 2 the same, then the
// third and fourth levels of both.
type table struct {
	min  int
	per  int // columns a key
	syms []xproto.Keysym
}

// slot is one half of a spare key.
type slot struct {
	stroke
	sym  uint32 // 0 when it is free
	used time.Time
}

// rest is how long a slot rests after its last use before it may mean
// something else.
const rest = 400 * time.Millisecond

// binding is a slot that is about to mean a keysym.
type binding struct {
	slot int
	sym  uint32
}

// at is the keysym in one column of a key.
func (t *table) at(key xproto.Keycode, column int) uint32 {
	i := (int(key)-t.min)*t.per + column
	if int(key) < t.min || column >= t.per || i >= len(t.syms) {
		return 0
	}
	return uint32(t.syms[i])
}

func (t *table) row(key xproto.Keycode) []xproto.Keysym {
	i := (int(key) - t.min) * t.per
	if int(key) < t.min || i+t.per > len(t.syms) {
		return nil
	}
	return t.syms[i : i+t.per]
}

// learn takes the mapping that the server has now. It says whether it differs
// from the one that was known.
func (k *keymap) learn(min, per int, syms []xproto.Keysym) bool {
	if k.min == min && k.per == per && slices.Equal(k.syms, syms) {
		return false
	}
	k.min, k.per, k.syms = min, per, syms
	k.layout = map[uint32]stroke{}
	ours := k.takeSlots()
	for key := k.min; key < k.min+len(syms)/max(per, 1); key++ {
		kc := xproto.Keycode(key)
		if ours[kc] {
			continue
		}
		for column := range 2 {
			k.offer(k.at(kc, column), stroke{kc, column == 1})
		}
	}
	k.shift = k.layout[symShift].key
	return true
}

// offer notes how the layout types a keysym, unless a key before does.
func (k *keymap) offer(sym uint32, s stroke) {
	names := []uint32{sym}
	if sym < 0xff00 {
		names = append(names, input.SymOf(input.CharOf(sym))) // an old keysym and the character's
	}
	for _, name := range names {
		if _, known := k.layout[name]; name != 0 && !known {
			k.layout[name] = s
		}
	}
}

// takeSlots finds the spare keys: those that mean nothing and those that
// still mean what we bound to them.
func (k *keymap) takeSlots() map[xproto.Keycode]bool {
	old := map[xproto.Keycode][2]slot{}
	for i := 0; i+1 < len(k.slots); i += 2 {
		old[k.slots[i].key] = [2]slot{k.slots[i], k.slots[i+1]}
	}
	ours := map[xproto.Keycode]bool{}
	k.slots, k.bound = nil, map[uint32]int{}
	for key := k.min; key < k.min+len(k.syms)/max(k.per, 1); key++ {
		kc := xproto.Keycode(key)
		pair := old[kc]
		if !k.means(kc, pair[0].sym, pair[1].sym) {
			if !k.means(kc, 0, 0) {
				continue
			}
			pair = [2]slot{}
		}
		ours[kc] = true
		for i, s := range pair {
			s.stroke = stroke{kc, i == 1}
			if s.sym != 0 {
				k.bound[s.sym] = len(k.slots)
			}
			k.slots = append(k.slots, s)
		}
	}
	return ours
}

// means says whether a key has the row that we write for two keysyms.
func (k *keymap) means(key xproto.Keycode, plain, shifted uint32) bool {
	if plain == 0 && shifted == 0 {
		for c := range k.per {
			if k.at(key, c) != 0 {
				return false
			}
		}
		return true
	}
	first, second := k.at(key, 0), k.at(key, 1)
	return (plain == 0 || first == plain) && (second == shifted || shifted == 0)
}

// looksBound says whether a key still has a row as we write it: two keysyms over
// and over.
func (t *table) looksBound(key xproto.Keycode) bool {
	plain, shifted := t.at(key, 0), t.at(key, 1)
	if plain == 0 || t.at(key, 2) == 0 {
		return false
	}
	for c, want := range twice(plain, shifted, t.per) {
		// The server leaves out columns that repeat others.
		if got := t.at(key, c); got != 0 && got != uint32(want) {
			return false
		}
	}
	return true
}

// find is how a keysym is typed now, by the layout or by a spare key.
func (k *keymap) find(sym uint32) (stroke, bool) {
	if s, ok := k.layout[sym]; ok {
		return s, true
	}
	if i, ok := k.bound[sym]; ok {
		return k.slots[i].stroke, true
	}
	return stroke{}, false
}

// plan takes as many of the first keysyms as can be typed in one go, up to
// most. It says what must be bound for them, and how long the slots for it
// still rest.
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

// foresight is how far we look ahead in a text for what is needed again.
const foresight = 1000

// leastMissed are the slots that mean nothing needed, first those that mean
// what comes last in the rest of the text or not at all, and of these the
// longest unused. So there are few bindings, each of which costs every
// application time.
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

// bind makes slots mean keysyms, and gives the rows that must be written.
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

// twice repeats two keysyms over all columns, so that they mean the same in
// each of several layouts.
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

// use notes that a keysym was typed now.
func (k *keymap) use(sym uint32, now time.Time) {
	if i, ok := k.bound[sym]; ok {
		k.slots[i].used = now
	}
}

// isModifier says whether a key is held to change others.
func (k *keymap) isModifier(key xproto.Keycode) bool {
	switch sym := k.at(key, 0); sym {
	case symLevel3, 0xff7e, 0xfe11: // level 3, mode switch, level 5
		return true
	default: // Shift, Control, Meta, Alt, Super, Hyper, but not the locks
		return sym >= symShift && sym <= 0xffee && sym != symCapsLock && sym != symCapsLock+1
	}
}
