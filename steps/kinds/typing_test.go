package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

// hold gives a field the focus, as a user does, and presses a key there.
func hold(d *fake.Desktop, field string, key desktop.Chord) {
	if err := errors.Join(d.Do(context.Background(), desktop.GrabFocus{Element: d.Get(d.Find(field)).Handle}), d.Do(context.Background(), desktop.Press{Chord: key})); err != nil {
		panic(err)
	}
}

func TestTypeIntoElement(t *testing.T) {
	for _, p := range []play{
		{
			say: "what was there is replaced", args: args("selector", "name:Title && role:entry", "text_to_type", "Tuesday"), acted: steps.ActedYes,
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "Tuesday"`}, result: map[string]any{"verified": true, "value": "Tuesday"},
		},
		{say: "what was there stays", args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"verified": true, "value": "Monday!"}},
		{
			say: "what was there stays, also when it is selected", set: func(d *fake.Desktop) {
				hold(d, "role:entry", desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"})
			},
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"verified": true, "value": "Monday!"},
		},
		{
			say: "a field that has the focus keeps its caret", set: func(d *fake.Desktop) { hold(d, "role:entry", desktop.Chord{Key: "home"}) },
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"verified": true, "value": "!Monday"},
		},
		{
			say: "to a text of several lines is added at its end", screen: `- frame "Notes" [process=notes] [at=0,0,400,400]` + "\n" + `  - entry "Body" [multi_line] [at=10,40,80,80]: "Monday"`,
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), journal: []string{`focus entry "Body"`, "press ctrl+end", `type "!"`}, result: map[string]any{"verified": true, "value": "Monday!"},
		},
		{
			say: "keys at the end are pressed", args: args("selector", "role:entry", "text_to_type", "a{b}{Enter}{Tab}"), result: map[string]any{"value": "a{b}"},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "a{b}"`, "press enter", "press tab"},
		},
		{say: "only keys", args: args("selector", "role:entry", "text_to_type", "{Enter}", "clear_before_typing", false), journal: []string{`focus entry "Title"`, "press enter"}, result: map[string]any{"verified": false}},
		{
			say: "a password is checked by its length and never told", args: args("selector", "role:password", "text_to_type", "geheim"), result: map[string]any{"verified": true, "value": nil},
			check: func(t *testing.T, d *fake.Desktop, o steps.Outcome) {
				if got := text(d, "role:password"); got != "geheim" {
					t.Errorf("the field holds %q", got)
				}
				if strings.Contains(fmt.Sprint(o.Result), "geheim") {
					t.Errorf("the result tells the password: %v", o.Result)
				}
			},
		},
		{
			say: "a field that cannot be emptied at once is emptied by keys", args: args("selector", "role:entry", "text_to_type", "x"),
			set:     func(d *fake.Desktop) { d.Fail("SetText", desktop.ErrRefused, -1) },
			journal: []string{`focus entry "Title"`, "press ctrl+a", "press delete", `type "x"`}, result: map[string]any{"value": "x"}, acted: steps.ActedYes,
		},
		{
			say: "a field that takes the focus only by a click", args: args("selector", "role:entry", "text_to_type", "x"),
			set:    func(d *fake.Desktop) { d.Fail("GrabFocus", desktop.ErrRefused, -1) },
			result: map[string]any{"value": "x"},
		},
		{
			say: "what does not take the focus", args: args("selector", "role:canvas", "text_to_type", "x"), code: steps.NotActionable, err: "does not take the focus",
			screen: notes + `  - canvas "Board" [at=10,220,80,24]`,
		},
		{
			say: "what takes no text is not even clicked", args: args("selector", "name:Save", "text_to_type", "x"), code: steps.NotActionable, acted: steps.ActedNo, journal: []string{},
			err: `button "Save" in "Notes" takes no text`,
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if !strings.Contains(o.Err.Next, `role:entry && name:Title, role:password && name:Secret`) {
					t.Errorf("it does not name the fields: %s", o.Err.Next)
				}
			},
		},
		{
			say: "where the focus is, when that is wanted", args: args("selector", "role:entry", "text_to_type", "x", "try_focus_before", false, "try_click_before", false, "clear_before_typing", false),
			code: steps.Unexpected, err: "nothing arrived", acted: steps.ActedYes,
		},
		{
			say: "a field that changes what is typed", args: args("selector", "role:entry", "text_to_type", "abc"), result: map[string]any{"verified": false, "value": "ABC"},
			set: func(d *fake.Desktop) {
				n := d.Find("role:entry")
				n.OnChange(func(now string) {
					if now != strings.ToUpper(now) {
						d.Set(n, func(e *desktop.Element) { e.Text = strings.ToUpper(now) })
					}
				})
			},
		},
		{
			say: "a field that is slow", args: args("selector", "role:entry", "text_to_type", "abc", "clear_before_typing", false), result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) { d.Delay("Type", 300*time.Millisecond) },
		},
		{
			say: "an application that is slow to tell what a field holds", args: args("selector", "role:entry", "text_to_type", "abc"), result: map[string]any{"verified": true, "value": "abc"},
			set: func(d *fake.Desktop) { d.Delay("Refresh", 2*time.Second) },
		},
		{
			say: "a dialog that takes the focus meanwhile", args: args("selector", "role:entry", "text_to_type", "abc"), code: steps.Unexpected, err: `"Question" has the focus`, acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { d.Open(fake.Window("Question", "notes").At(50, 50, 100, 100)) })
			},
		},
		{
			say: "a field that can only be read", args: args("selector", "role:entry", "text_to_type", "x"), code: steps.NotActionable, err: "only be read", acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				d.Set(d.Find("role:entry"), func(e *desktop.Element) { e.States |= desktop.ReadOnly })
			},
		},
	} {
		p.kind = TypeIntoElement
		p.run(t)
	}
}

func TestKeys(t *testing.T) {
	for _, p := range []play{
		{say: "keys where the focus is", kind: PressKey, args: args("key", "ctrl+s"), journal: []string{"press ctrl+s"}, acted: steps.ActedYes},
		{say: "keys on an element", kind: PressKey, args: args("key", "{Tab}{Enter}", "selector", "role:entry"), journal: []string{`focus entry "Title"`, "press tab", "press enter"}},
		{say: "keys in a window", kind: PressKey, args: args("key", "escape", "process", "notes"), journal: []string{"press escape"}},
		{say: "a key that does not exist", kind: PressKey, args: args("key", "entr"), code: steps.Invalid, err: "did you mean enter", acted: steps.ActedNo},
		{
			say: "keys for an application come to its window", kind: PressKeyGlobal, args: args("key", "f5", "process", "notes"), journal: []string{`activate "Notes"`, "press f5"},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
		},
		{say: "keys for an application that is not there", kind: PressKeyGlobal, args: args("key", "f5", "process", "nope"), code: steps.NotFound, acted: steps.ActedNo},
		{say: "text", kind: TypeText, args: args("text", "hé"), journal: []string{`type "hé"`}, result: map[string]any{"characters": 2.0}},
		{say: "a key that is held", kind: KeyDown, args: args("key", "Shift"), journal: []string{"key down shift"}, result: map[string]any{"key": "shift"}},
		{say: "a key that is let go", kind: KeyUp, args: args("key", "shift"), journal: []string{"key up shift"}},
		{say: "a key to hold that does not exist", kind: KeyDown, args: args("key", "shft"), code: steps.Invalid},
	} {
		p.run(t)
	}
}
