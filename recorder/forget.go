package recorder

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// known is the least length of a value that is erased from all texts: shorter ones occur by chance.
const known = 4

// Forget returns the events without the text that was typed into a field, wherever it
// occurs, and the pictures that show it.
func Forget(events []Event, field int, value string) (kept []Event, pictures []string) {
	fields := map[int]bool{}
	if isKnown(value) {
		fields = typedInto(events, value)
	}
	fields[field] = true
	return forget(events, fields, value)
}

// ForgetValue returns the events without a value, into whatever field it was typed.
func ForgetValue(events []Event, value string) []Event {
	if value == "" {
		return events
	}
	kept, _ := forget(events, typedInto(events, value), value)
	return kept
}

// isKnown reports whether a value is erased from all texts.
func isKnown(value string) bool { return utf8.RuneCountInString(value) >= known }

// typedInto returns the fields that held a value, or into which it was typed.
func typedInto(events []Event, value string) map[int]bool {
	typed, fields := map[int]string{}, map[int]bool{}
	for _, ev := range events {
		typed[ev.Field] += ev.Text
		if strings.Contains(typed[ev.Field], value) || ev.Value != nil && strings.Contains(*ev.Value, value) {
			fields[ev.Field] = true
		}
	}
	return fields
}

// forget returns the events without the text that was typed into some fields, without a value in
// the others, and the pictures that show them.
func forget(events []Event, fields map[int]bool, value string) (kept []Event, pictures []string) {
	are := map[desktop.Handle]bool{} // the elements of the fields
	for _, ev := range events {
		if ev.Type == Focused && fields[ev.Field] && ev.Element != nil && ev.Element.Handle != "" {
			are[ev.Element.Handle] = true
		}
	}
	for _, ev := range events {
		if ev.Type == Typed && fields[ev.Field] && ev.Text != "" {
			if EndsHidden(kept, ev.Field) {
				continue
			}
			ev = Event{Type: Typed, Time: ev.Time, Hidden: true, Field: ev.Field}
		}
		clean, showed := Without(ev, value)
		if isField := ev.Element != nil && are[ev.Element.Handle]; isField {
			element := *clean.Element
			element.Text = "" // it may hold a part of the text
			clean.Element, clean.Value, showed = &element, nil, true
		}
		if ev.Field != 0 && fields[ev.Field] {
			clean.Value = nil
		}
		if showed && ev.Picture != "" {
			pictures = append(pictures, ev.Picture)
			clean.Picture = ""
		}
		kept = append(kept, clean)
	}
	return kept, pictures
}

// EndsHidden reports whether the last typed text is hidden text in a field.
func EndsHidden(events []Event, field int) bool {
	for _, last := range slices.Backward(events) {
		if last.Type != Focused && last.Type != Held {
			return last.Type == Typed && last.Hidden && last.Field == field
		}
	}
	return false
}

// Without returns an event without a value in its texts, and whether they showed it.
func Without(ev Event, value string) (clean Event, showed bool) {
	if !isKnown(value) {
		return ev, false
	}
	text, err := json.Marshal(ev)
	if err != nil {
		return ev, false // it was marshalled before, so there is no error
	}
	if quoted, _ := json.Marshal(value); !bytes.Contains(text, quoted[1:len(quoted)-1]) {
		return ev, false
	}
	var tree any
	_ = json.Unmarshal(text, &tree)
	text, _ = json.Marshal(erase(tree, value))
	if err := json.Unmarshal(text, &clean); err != nil {
		return Event{Type: ev.Type, Time: ev.Time}, true
	}
	if clean.Element != nil {
		clean.Element.Handle = ev.Element.Handle
	}
	return clean, true
}

func erase(v any, value string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, value, "…")
	case []any:
		for i := range v {
			v[i] = erase(v[i], value)
		}
	case map[string]any:
		for k := range v {
			v[k] = erase(v[k], value)
		}
	}
	return v
}
