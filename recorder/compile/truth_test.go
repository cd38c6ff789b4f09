package compile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// sheetOfText is a field as its program edits it.
type sheetOfText struct {
	text     []rune
	caret    int
	selected bool // all of it
}

// press applies a key, or a character.
func (d *sheetOfText) press(key string) {
	if d.selected && key != "ctrl+a" {
		d.selected = false
		switch {
		case len([]rune(key)) == 1, key == "enter":
			d.text, d.caret = nil, 0
		case key == "backspace", key == "delete":
			d.text, d.caret = nil, 0
			return
		case key == "left":
			d.caret = 0
			return
		case key == "right":
			d.caret = len(d.text)
			return
		}
	}
	switch key {
	case "enter":
		d.insert("\n")
	case "backspace":
		if d.caret > 0 {
			d.caret--
			d.text = slices.Delete(d.text, d.caret, d.caret+1)
		}
	case "delete":
		if d.caret < len(d.text) {
			d.text = slices.Delete(d.text, d.caret, d.caret+1)
		}
	case "left":
		d.caret = max(0, d.caret-1)
	case "right":
		d.caret = min(len(d.text), d.caret+1)
	case "ctrl+home", "home": // of a text of one line
		d.caret = 0
	case "ctrl+end", "end":
		d.caret = len(d.text)
	case "ctrl+a":
		d.selected, d.caret = true, len(d.text)
	default:
		d.insert(key)
	}
}

func (d *sheetOfText) insert(text string) {
	d.text = slices.Insert(d.text, d.caret, []rune(text)...)
	d.caret += len([]rune(text))
}

// keysAt are keys pressed in a field that held a text, and what was seen of it.
type keysAt struct {
	field  *recorder.Seen
	before string
	keys   []string
	events []recorder.Event
}

// randomKeys are some of a person in a field, where the program shows them late, the recorder hears of them
// late, and reads the field now and then.
func randomKeys(r *rand.Rand, field *recorder.Seen) keysAt {
	k := keysAt{field: field, before: []string{"", "", "eggs", "a", "eggs\nand milk\n"}[r.IntN(5)]}
	others := []string{"backspace", "delete", "left", "right", "ctrl+home", "ctrl+end", "ctrl+a", "enter"}
	if !field.MultiLine() {
		k.before = strings.ReplaceAll(k.before, "\n", " ")
		others = []string{"backspace", "delete", "left", "right", "home", "end", "ctrl+a"}
	}
	if r.IntN(3) > 0 {
		k.keys = append(k.keys, others[r.IntN(len(others))])
	}
	for range 1 + r.IntN(6) {
		k.keys = append(k.keys, string("aegs "[r.IntN(5)]))
		if r.IntN(4) == 0 {
			k.keys = append(k.keys, others[r.IntN(len(others))])
		}
	}
	k.watch(r)
	return k
}

// watch makes the events of the keys.
func (k *keysAt) watch(r *rand.Rand) {
	type seen struct {
		handled time.Duration
		recorder.Event
	}
	began := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	program, recording := time.Duration(r.IntN(3))*200*time.Millisecond, time.Duration(r.IntN(3))*300*time.Millisecond
	gap := 100 * time.Millisecond
	holds := func(at time.Duration) *string {
		d := sheetOfText{text: []rune(k.before)}
		for i, key := range k.keys {
			if time.Duration(i+1)*gap+program <= at {
				d.press(key)
			}
		}
		text := string(d.text)
		return &text
	}
	var all []seen
	focus := time.Duration(r.IntN(2)*r.IntN(len(k.keys)+1)) * gap
	all = append(all, seen{focus, recorder.Event{Type: recorder.Focused, Field: 1, Element: k.field, Time: began.Add(focus), Value: holds(focus)}})
	for i, key := range k.keys {
		at := time.Duration(i+1) * gap
		ev := recorder.Event{Type: recorder.Typed, Field: 1, Time: began.Add(at), Key: desktop.Key(key)}
		if chords, err := desktop.ParseKeys(key); len(key) > 1 && err == nil {
			ev.Key, ev.Mods = chords[0].Key, chords[0].Mods
		} else {
			ev.Text = key
		}
		all = append(all, seen{max(at+recording, focus+1), ev})
	}
	for range r.IntN(4) {
		at := max(focus, gap) + time.Duration(r.IntN(3000))*time.Millisecond
		all = append(all, seen{at, recorder.Event{Type: recorder.Held, Field: 1, Time: began.Add(at), Value: holds(at)}})
	}
	slices.SortStableFunc(all, func(a, b seen) int { return int(a.handled - b.handled) })
	t := newTape(editor)
	k.events = t.events
	for _, s := range all {
		k.events = append(k.events, s.Event)
	}
	end := began.Add(time.Minute)
	k.events = append(k.events, recorder.Event{Type: recorder.Switched, Time: end, Window: &ledger}, recorder.Event{Type: recorder.Ended, Time: end})
}

// pressed is what the keys make of a text.
func (k *keysAt) pressed(before string) string {
	d := sheetOfText{text: []rune(before)}
	for _, key := range k.keys {
		d.press(key)
	}
	return string(d.text)
}

// played is what the steps make of a text; sure: none of them is uncertain.
func (k *keysAt) played(steps stepList, before string) (text string, sure bool) {
	d, sure := sheetOfText{text: []rune(before)}, true
	for _, s := range steps {
		sure = sure && len(s.doubts()) == 0
		switch s.kind {
		case pressKey:
			for chord := range strings.FieldsSeq(s.arg("key").(string)) {
				d.press(chord)
			}
		case typeIntoElement:
			if s.arg("clear_before_typing") == nil {
				d.press("ctrl+a")
				d.press("delete")
			}
			for _, c := range s.input.value {
				d.press(strings.ReplaceAll(string(c), "\n", "enter"))
			}
			for range strings.Count(s.input.after, "{Enter}") {
				d.press("enter")
			}
		}
	}
	return string(d.text), sure
}

// TestWhatIsTypedIsTypedAgainOrUncertain has a person edit fields and documents that are read at any time, in
// programs that show the keys late and with a recorder that hears of them late: the steps do the same again,
// or say that they may not.
func TestWhatIsTypedIsTypedAgainOrUncertain(t *testing.T) {
	const rounds = 3_000
	sures, wrong := 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 42))
		k := randomKeys(r, []*recorder.Seen{page, name}[r.IntN(2)])
		c := New()
		for _, ev := range k.events {
			c.Add(ev)
		}
		c.Finish()
		got, sure := k.played(c.steps, k.before)
		if !sure {
			continue
		}
		sures++
		told := func(before, got string) string {
			return fmt.Sprintf("seed %d: %s held %q, and %q were pressed: %q; played: %q, by %v", seed, k.field.Role, before, k.keys, k.pressed(before), got, c.Lines())
		}
		if got != k.pressed(k.before) {
			if wrong++; wrong < 10 {
				t.Error(told(k.before, got))
			}
		}
		if first := k.keys[0]; k.field == page && k.before != "" && (first == "ctrl+end" || first == "ctrl+home" || first == "ctrl+a") {
			const other = "salt and\nflour"
			if again, _ := k.played(c.steps, other); again != k.pressed(other) {
				if wrong++; wrong < 10 {
					t.Error("with other data: " + told(other, again))
				}
			}
		}
	}
	t.Logf("%d of %d recordings are certain, %d of these are wrong", sures, rounds, wrong)
	if sures < rounds/2 {
		t.Errorf("only %d of %d recordings are certain", sures, rounds)
	}
}
