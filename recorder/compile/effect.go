package compile

import (
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/steps/observe"
	"understudy/workflows"
)

// What the keys say and what the field showed afterwards are told apart by two ways that know nothing of each
// other. Where both say the same, the steps are to do that again: it becomes the effect of the last of them.
// Where they differ, or the field was not read in time, there is no effect: it would fail right runs.

// proof is what some steps did to the text of a field.
type proof struct {
	since    *step // the first of them
	inserted []any // texts, and the steps that typed them
	deleted  int
	at       string
}

// keyed is the edit that keys make.
type keyed struct {
	observe.Edit
	inserted []any // the same text as texts, and nil for each that a step types
	typed    []string
	unknown  bool
}

// edit returns the edit that the keys made, in one place; unknown if they may have made another.
func (n *net) edit() (e keyed) {
	for i, p := range n.parts {
		for j, chord := range p.chords {
			e.press(chord, i+j == 0)
		}
		if p.text != "" {
			e.Inserted, e.inserted, e.typed = e.Inserted+p.text, append(e.inserted, nil), append(e.typed, p.text)
		}
	}
	return e
}

// press adds the effect of a chord, which may be the first.
func (e *keyed) press(chord string, first bool) {
	untouched := e.Inserted == "" && e.Deleted == 0
	switch {
	case chord == "enter":
		e.Inserted, e.inserted = e.Inserted+"\n", append(e.inserted, "\n")
	case (chord == "backspace" || chord == "delete") && e.Inserted == "":
		e.Deleted++
	case untouched && first && chord == "ctrl+end":
		e.At = "end"
	case untouched && first && chord == "ctrl+home":
		e.At = "start"
	case untouched && movesOnly(chord):
		e.At = ""
	default:
		e.unknown = true
	}
}

// movesOnly reports whether a chord moves the caret, and selects nothing.
func movesOnly(chord string) bool {
	chords, err := desktop.ParseKeys(chord)
	return err == nil && len(chords) == 1 && chord != "ctrl+a" && chord != "ctrl+c" && !slices.Contains(chords[0].Mods, desktop.Shift) &&
		recorder.MovesCaret(chords[0].Key, chords[0].Mods)
}

// made reports whether the field showed an edit. If it was read only after keys, they told where it ends.
func (t *typing) made(e observe.Edit) bool {
	if t.late {
		return e.Deleted == 0 && (e.At == "end" && strings.HasSuffix(t.value, e.Inserted) || e.At == "start" && strings.HasPrefix(t.value, e.Inserted))
	}
	return e.Made(t.before, t.value)
}

// wasReadAround reports whether it is known what a field held before its first key, or where keys put the caret
// then, and it was read after the last.
func (t *typing) wasReadAround() bool {
	return !t.hidden && !t.continues && t.sure && t.shown && len(t.browsed) == 0 && len(t.copies) == 0
}

// prove gives the last of the steps that were made of a typing its effect, if the field showed what the keys say.
func (k *keyboard) prove(t *typing, made []*step) {
	e := t.net.edit()
	if e.At == "" && !t.net.moves() && t.isAdded() {
		e.At = "end"
	}
	if e.unknown || e.Edit == (observe.Edit{At: e.At}) || !t.wasReadAround() || !t.made(e.Edit) {
		return
	}
	i := slices.IndexFunc(made, func(s *step) bool { return s.target == t.target && (s.kind == pressKey || s.kind == typeIntoElement) })
	if i < 0 {
		return
	}
	found := &proof{since: made[i], deleted: e.Deleted, at: e.At}
	if found.inserted = typedBy(e, made[i:]); len(found.inserted) == len(e.inserted) {
		made[len(made)-1].effect = found
	}
}

// typedBy puts the steps that typed the texts of an edit in their places. It returns fewer parts if these steps
// are not there.
func typedBy(e keyed, made []*step) (parts []any) {
	typed := slices.DeleteFunc(slices.Clone(made), func(s *step) bool { return s.input == nil })
	if len(typed) != len(e.typed) {
		return nil
	}
	for _, p := range e.inserted {
		if p != nil {
			parts = append(parts, p)
			continue
		}
		s := typed[0]
		if s.input.value != e.typed[len(e.typed)-len(typed)] {
			return nil
		}
		parts, typed = append(parts, s), typed[1:]
	}
	return parts
}

// lastNow returns the last step, and what it does so far.
func (l stepList) lastNow() (s *step, summary string) {
	if s = l.last(); s != nil {
		summary = s.summary
	}
	return s, summary
}

// since returns the steps that came after one, unless that one was changed meanwhile.
func (l stepList) since(last *step, summary string) []*step {
	if last == nil {
		return l
	}
	i := slices.Index(l, last)
	if i < 0 || last.summary != summary {
		return nil
	}
	return l[i+1:]
}

// written returns an effect as the document writes it, or nothing if a step of it is missing there.
func (e *proof) written(own *step) []workflows.Pair {
	if e == nil || e.since.id == "" {
		return nil
	}
	parts := each(e.inserted, func(p any) any {
		if s, ok := p.(*step); ok {
			return s.input.written
		}
		return p
	})
	if slices.Contains(parts, any(template(""))) {
		return nil
	}
	var pairs []workflows.Pair
	add := func(key string, value any, is bool) {
		if is {
			pairs = append(pairs, workflows.Pair{Key: key, Value: value})
		}
	}
	add("inserted", string(templateOf(parts...)), len(parts) > 0)
	add("deleted", e.deleted, e.deleted > 0)
	add("at", e.at, e.at != "")
	add("since", e.since.id, e.since != own)
	return pairs
}

// forgetEffects drops what several steps did together: they may do something else in another order.
func (l stepList) forgetEffects() {
	for _, s := range l {
		if s.effect != nil && (s.effect.since != s || len(s.effect.inserted) > 1) {
			s.effect = nil
		}
	}
}
