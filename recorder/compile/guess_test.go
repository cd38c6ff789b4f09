package compile

import (
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// TestWhatAFieldHoldsIsKnownFromKeysAndReads presses keys 10 ms apart, the first at 10 ms, in a field that is
// read now and then.
func TestWhatAFieldHoldsIsKnownFromKeysAndReads(t *testing.T) {
	type at = map[int]string // what was read, by milliseconds
	some, all := 15, 2_000
	for _, c := range []struct {
		say    string
		before []guess
		keys   []string
		reads  at
		want   string
		sure   bool
	}{
		{"keys tell what is typed into an empty field", guessesOf(""), []string{"o", "n", "e"}, nil, "one", true},
		{"also while it shows only some", guessesOf(""), []string{"o", "n", "e"}, at{some: "o"}, "one", true},
		{"but not if it shows no more in the end", guessesOf(""), []string{"o", "n", "e"}, at{all: "o"}, "one", false},
		{"the position of the caret is not known", guessesOf("egg"), []string{"s"}, nil, "eggs", false},
		{"it is read", guessesOf("egg"), []string{"s"}, at{all: "segg"}, "segg", true},
		{"what is selected is not known", guessesOf("egg"), []string{"h", "i"}, at{some: "h"}, "hi", true},
		{"keys tell the position", guessesOf("egg"), []string{"end", "s"}, nil, "eggs", true},
		{"and what is selected", guessesOf("egg"), []string{"ctrl+a", "s"}, nil, "s", true},
		{"a program completes it", guessesOf(""), []string{"R", "e"}, at{30: "Reykjavik"}, "Reykjavik", true},
		{"a program writes it in its own way", guessesOf(""), []string{"1", "2", "*", "3"}, at{100: "12×3"}, "12×3", true},
		{"also if it is read only then", []guess{anyText}, []string{"1", "2", "*", "3"}, at{100: "12×3"}, "12×3", true},
		{"a text that is read only then may hold what is typed", []guess{anyText}, []string{"a"}, at{some: "a"}, "a", false},
		{"what is undone is not known", guessesOf(""), []string{"a", "ctrl+z"}, nil, "", false},
		{"it is read soon, and may be undone later", guessesOf(""), []string{"a", "ctrl+z"}, at{30: "a"}, "a", false},
		{"it is read later", guessesOf(""), []string{"a", "ctrl+z"}, at{all: ""}, "", true},
	} {
		began := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
		var keys []keystroke
		for i, key := range c.keys {
			ev := recorder.Event{Time: began.Add(time.Duration(i+1) * 10 * time.Millisecond), Key: desktop.Key(key)}
			if chords, err := desktop.ParseKeys(key); len(key) > 1 && err == nil {
				ev.Key, ev.Mods = chords[0].Key, chords[0].Mods
			} else {
				ev.Text = key
			}
			keys = append(keys, keystroke{Event: ev})
		}
		var reads []read
		for ms, value := range c.reads {
			reads = append(reads, read{began.Add(time.Duration(ms) * time.Millisecond), value})
		}
		if got := settle(c.before, keys, reads); got.value != c.want || got.sure != c.sure {
			t.Errorf("%s: %q, sure %v; want %q, sure %v", c.say, got.value, got.sure, c.want, c.sure)
		}
	}
}
