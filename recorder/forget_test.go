package recorder

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

func TestForget(t *testing.T) {
	field := &Seen{Element: desktop.Element{Handle: "1", Role: "entry", Name: "Word"}}
	other := &Seen{Element: desktop.Element{Handle: "2", Role: "label", Name: "you said hunter2"}}
	events := []Event{
		{Type: Focused, Field: 1, Element: field, Value: new("")},
		{Type: Pressed, Element: field, Picture: "1.png"},
		{Type: Typed, Field: 1, Key: "h", Text: "h"},
		{Type: Held, Field: 1, Value: new("h")},
		{Type: Typed, Field: 1, Key: "u", Text: "u"},
		{Type: Typed, Field: 1, Key: "enter"},
		{Type: Typed, Field: 2, Key: "h", Text: "h"},
		{Type: Pressed, Element: other, Picture: "2.png"},
		{Type: Opened, Window: &desktop.Window{Title: "hunter2 - page"}},
	}
	kept, pictures := Forget(events, 1, "hunter2")
	if diff := cmp.Diff([]string{"1.png", "2.png"}, pictures); diff != "" {
		t.Errorf("the pictures to remove (-want +got):\n%s", diff)
	}
	want := []Event{
		{Type: Focused, Field: 1, Element: field},
		{Type: Pressed, Element: field},
		{Type: Typed, Field: 1, Hidden: true},
		{Type: Held, Field: 1},
		{Type: Typed, Field: 1, Key: "enter"},
		{Type: Typed, Field: 2, Key: "h", Text: "h"},
		{Type: Pressed, Element: &Seen{Element: desktop.Element{Handle: "2", Role: "label", Name: "you said …"}}},
		{Type: Opened, Window: &desktop.Window{Title: "… - page"}},
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(kept)
	if err != nil || strings.Contains(string(text), "hunter") {
		t.Errorf("%v: it still stands in %s", err, text)
	}
}

// TestForgetWhatLedToIt forgets a text that was there in parts, and was typed a second time.
func TestForgetWhatLedToIt(t *testing.T) {
	field := func(text string) *Seen {
		return &Seen{Element: desktop.Element{Handle: "1", Role: "entry", Name: "Word", Text: text}}
	}
	events := []Event{
		{Type: Focused, Field: 1, Element: field("")},
		{Type: Pressed, Element: field("hunt")},
		{Type: Asserted, Element: field("hunte"), Value: new("hunte")},
	}
	for _, char := range "hunter2" {
		events = append(events, Event{Type: Typed, Field: 2, Text: string(char)})
	}
	kept, _ := Forget(events, 1, "hunter2")
	want := []Event{
		{Type: Focused, Field: 1, Element: field("")},
		{Type: Pressed, Element: field("")},
		{Type: Asserted, Element: field("")},
		{Type: Typed, Field: 2, Hidden: true},
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
	if events[1].Element.Text != "hunt" {
		t.Error("the events that were given are changed")
	}
}

func TestAShortValueIsForgottenInItsFieldOnly(t *testing.T) {
	kept, _ := Forget([]Event{
		{Type: Typed, Field: 1, Key: "a", Text: "a"},
		{Type: Opened, Window: &desktop.Window{Title: "a map"}},
	}, 1, "a")
	want := []Event{{Type: Typed, Field: 1, Hidden: true}, {Type: Opened, Window: &desktop.Window{Title: "a map"}}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
}

// TestForgetValue takes a value out that only its holder knows to be secret: it was
// typed into one field, and corrected in another.
func TestForgetValue(t *testing.T) {
	var events []Event
	for _, char := range "hunter2" {
		events = append(events, Event{Type: Typed, Field: 1, Text: string(char)})
	}
	events = append(events,
		Event{Type: Typed, Field: 2, Text: "hunted"}, Event{Type: Held, Field: 2, Value: new("hunter2")},
		Event{Type: Typed, Field: 3, Text: "hello"}, Event{Type: Opened, Window: &desktop.Window{Title: "for hunter2"}},
	)
	want := []Event{
		{Type: Typed, Field: 1, Hidden: true},
		{Type: Typed, Field: 2, Hidden: true},
		{Type: Held, Field: 2},
		{Type: Typed, Field: 3, Text: "hello"},
		{Type: Opened, Window: &desktop.Window{Title: "for …"}},
	}
	if diff := cmp.Diff(want, ForgetValue(events, "hunter2")); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(events, ForgetValue(events, "")); diff != "" {
		t.Errorf("an empty secret took something: %s", diff)
	}
}
