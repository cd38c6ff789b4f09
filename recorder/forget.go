package recorder

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// known is the least length of a value that is erased from all texts: shorter ones occur by chance.
const known = 4

// Forget returns the events without the text that was typed into a field, wherever it
// occurs, and the pictures that show it.
func Forget(events []Event, field int, value string) (kept []Event, pictures []string) {
	for _, ev := range events {
		if ev.Type == Typed && ev.Field == field && ev.Text != "" {
			if saysHidden(kept, field) {
				continue
			}
			ev = Event{Type: Typed, Time: ev.Time, Hidden: true, Field: field}
		}
		if ev.Field == field && field != 0 {
			ev.Value = nil
		}
		clean, showed := without(ev, value)
		if ev.Picture != "" && (showed || isField(events, ev.Element, field)) {
			pictures = append(pictures, ev.Picture)
			clean.Picture = ""
		}
		kept = append(kept, clean)
	}
	return kept, pictures
}

// ForgetValue returns the events without a value, into whatever field it was typed.
func ForgetValue(events []Event, value string) []Event {
	if value == "" {
		return events
	}
	typed, had := map[int]string{}, map[int]bool{}
	for _, ev := range events {
		typed[ev.Field] += ev.Text
		had[ev.Field] = had[ev.Field] || strings.Contains(typed[ev.Field], value) || ev.Value != nil && strings.Contains(*ev.Value, value)
	}
	for field, has := range had {
		if has {
			events, _ = Forget(events, field, value)
		}
	}
	events, _ = Forget(events, -1, value)
	return events
}

// saysHidden reports whether the last typed text is hidden text in a field.
func saysHidden(events []Event, field int) bool {
	for _, last := range slices.Backward(events) {
		if last.Type != Focused && last.Type != Held {
			return last.Type == Typed && last.Hidden && last.Field == field
		}
	}
	return false
}

// isField reports whether an element is the one with a number.
func isField(events []Event, t *Seen, field int) bool {
	return t != nil && t.Handle != "" && slices.ContainsFunc(events, func(ev Event) bool {
		return ev.Type == Focused && ev.Field == field && ev.Element != nil && ev.Element.Handle == t.Handle
	})
}

// without returns an event without a value in its texts, and whether they showed it.
func without(ev Event, value string) (clean Event, showed bool) {
	text, err := json.Marshal(ev)
	if err != nil || len([]rune(value)) < known {
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
