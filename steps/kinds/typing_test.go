package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// hold gives a field the focus, as a user does, and presses a key there.
func hold(d *fake.Desktop, field string, key desktop.Chord) {
	if err := errors.Join(d.Do(context.Background(), desktop.GrabFocus{Element: d.Get(d.Find(field)).Handle}), d.Do(context.Background(), desktop.Press{Chord: key})); err != nil {
		panic(err)
	}
}

// long is a text that takes long to type.
var long = strings.Repeat("all of it ", 31) + "."

// who is a window in which labels have the names of their fields.
const who = `
- frame "Guests" [process=notes] [at=0,0,400,400]
  - label "Who" [at=10,40,80,24]
  - entry "Who" [at=100,40,200,24]
  - label "Where" [at=10,70,80,24]
  - entry "Where" [at=100,70,200,24]
  - entry "Where" [at=100,100,200,24]
`

// changing makes the first field change what it holds.
func changing(to func(string) string) func(d *fake.Desktop) {
	return func(d *fake.Desktop) {
		n := d.Find("role:entry")
		n.OnChange(func(now string) {
			if now != to(now) {
				d.Set(n, func(e *desktop.Element) { e.Text = to(now) })
			}
		})
	}
}

var upper = changing(strings.ToUpper)

// What a try typed before it failed is taken back by the next, also where it was
// added to what the field held.
func TestARetryTypesNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		env := func() *steps.Env { return seeing(d) }
		held := new(atomic.Pointer[string])
		changes := true
		n := d.Find("role:entry")
		n.OnChange(func(now string) {
			if changes && now != "Mondayx" && now != "Monday" {
				d.Set(n, func(e *desktop.Element) { e.Text = "Mondayx" })
			}
		})
		a := args("selector", "role:entry", "text_to_type", "xy", "clear_before_typing", false)
		for try, want := range []string{"Mondayx", "Mondayxy"} {
			e := env()
			e.Held = held
			o := TypeIntoElement.Run(t.Context(), e, a)
			if got := text(d, "role:entry"); got != want || (o.Err == nil) != (try == 1) {
				t.Errorf("after try %d the field holds %q, want %q; %v", try+1, got, want, o.Err)
			}
			changes = false
		}
	})
}

func TestTypeIntoElement(t *testing.T) {
	for _, p := range []play{
		{
			say: "what was there is replaced", args: args("selector", "name:Title && role:entry", "text_to_type", "Tuesday"), acted: steps.ActedYes,
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "Tuesday"`}, result: map[string]any{"checked": "yes", "value": "Tuesday"},
		},
		{say: "what was there stays", args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"checked": "yes", "value": "Monday!"}},
		{
			say: "what was there stays, also when it is selected", set: func(d *fake.Desktop) {
				hold(d, "role:entry", desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"})
			},
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"checked": "yes", "value": "Monday!"},
		},
		{
			say: "a field that has the focus keeps its caret", set: func(d *fake.Desktop) { hold(d, "role:entry", desktop.Chord{Key: "home"}) },
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"checked": "yes", "value": "!Monday"},
		},
		{
			say: "to a text of several lines is added at its end", screen: `- frame "Notes" [process=notes] [at=0,0,400,400]` + "\n" + `  - entry "Body" [multi_line] [at=10,40,80,80]: "Monday"`,
			args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), journal: []string{`focus entry "Body"`, "press ctrl+end", `type "!"`}, result: map[string]any{"checked": "yes", "value": "Monday!"},
		},
		{
			say: "keys at the end are pressed", args: args("selector", "role:entry", "text_to_type", "a{b}{Enter}{Tab}"), result: map[string]any{"value": "a{b}"},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "a{b}"`, "press enter", "press tab"},
		},
		{say: "only keys", args: args("selector", "role:entry", "text_to_type", "{Enter}", "clear_before_typing", false), journal: []string{`focus entry "Title"`, "press enter"}, result: map[string]any{"checked": nil}},
		{
			say: "a password is checked by its length and never told", args: args("selector", "role:password", "text_to_type", "geheim"), result: map[string]any{"checked": "yes", "value": nil},
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
			say: "a field that has other blanks", args: args("selector", "role:entry", "text_to_type", "dear "), set: changing(func(now string) string { return strings.ReplaceAll(now, " ", "\u00a0") }),
			result: map[string]any{"checked": "yes", "value": "dear\u00a0"},
		},
		{
			say: "a field that changes what is typed", args: args("selector", "role:entry", "text_to_type", "abc"), set: upper,
			code: steps.Unexpected, err: `entry "Title" in "Notes" changed the text: it holds the string "ABC"; if that is right, set "accept_reformatted": true`, acted: steps.ActedYes,
		},
		{
			say: "a field that may change what is typed", args: args("selector", "role:entry", "text_to_type", "abc", "accept_reformatted", true), set: upper,
			result: map[string]any{"checked": "no", "reformatted": true, "value": "ABC"},
		},
		{
			say: "a field that held already what it makes of the text", args: args("selector", "role:entry", "text_to_type", "monday", "accept_reformatted", true), set: changing(func(now string) string { return strings.ReplaceAll(now, "m", "M") }),
			result: map[string]any{"checked": "no", "reformatted": true, "value": "Monday"},
		},
		{
			say: "a field that takes only so much", args: args("selector", "role:entry", "text_to_type", "12345678"), set: changing(func(now string) string { return now[:min(4, len(now))] }),
			code: steps.Unexpected, err: `changed the text: it holds the string "1234"`,
		},
		{
			say: "a field that loses what is typed", args: args("selector", "role:entry", "text_to_type", "abc"), set: changing(func(now string) string { return strings.ReplaceAll(now, "b", "") }),
			code: steps.Unexpected, err: `does not hold what was typed: it holds the string "ac"`, acted: steps.ActedYes,
		},
		{
			say: "a field that takes nothing", args: args("selector", "role:entry", "text_to_type", "abc"), set: changing(func(string) string { return "" }),
			code: steps.Unexpected, err: "does not hold what was typed",
		},
		{
			say: "a long text goes in at once", args: args("selector", "role:entry", "text_to_type", long), result: map[string]any{"checked": "yes", "method": "text", "value": long},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, fmt.Sprintf(`insert entry "Title" %q`, long)},
		},
		{
			say: "a long text by keys", args: args("selector", "role:entry", "text_to_type", long, "method", "keys"), result: map[string]any{"checked": "yes", "method": nil},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, fmt.Sprintf("type %q", long)},
		},
		{
			say: "a long text into a field that only types", args: args("selector", "role:entry", "text_to_type", long),
			set: func(d *fake.Desktop) {
				d.Fail("InsertText", desktop.ErrRefused, -1)
				_ = d.Do(context.Background(), desktop.WriteClipboard{Text: "mine"})
			},
			result:  map[string]any{"checked": "yes", "method": "paste"},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, fmt.Sprintf("clipboard %q", long), "press ctrl+v", `clipboard "mine"`},
		},
		{
			say: "a long text beside a clipboard that cannot be given back", args: args("selector", "role:entry", "text_to_type", long),
			set: func(d *fake.Desktop) {
				d.Fail("InsertText", desktop.ErrRefused, -1)
				d.Fail("ReadClipboard", desktop.ErrRefused, -1)
			},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, fmt.Sprintf("type %q", long)}, result: map[string]any{"checked": "yes", "method": nil},
		},
		{
			say: "a long text with a key that leaves the field", args: args("selector", "role:entry", "text_to_type", long+"\t", "clear_before_typing", false),
			journal: []string{`focus entry "Title"`, "press end", fmt.Sprintf("type %q", long+"\t")}, code: steps.Unexpected, err: `the focus left entry "Title"`,
		},
		{
			say: "a method that the field does not take", args: args("selector", "role:entry", "text_to_type", "x", "method", "text"), set: func(d *fake.Desktop) { d.Fail("InsertText", desktop.ErrRefused, -1) },
			code: steps.NotActionable, err: "takes no text by the method text",
		},
		{
			say: "a key at the end that opens a window", args: args("selector", "role:entry", "text_to_type", "abc{Enter}"), set: func(d *fake.Desktop) {
				d.OnPress("enter", func() { d.Open(fake.Window("Replace?", "notes").At(50, 50, 100, 100)) })
			},
			result: map[string]any{"checked": "yes", "value": "abc", "opened": []any{`window "Replace?" of notes`}},
		},
		{
			say: "a dialog that looks up what was typed before it takes the key", args: args("selector", "role:entry", "text_to_type", "abc{Enter}"), screen: saving, set: lookingUp,
			result: map[string]any{"checked": "yes", "closed": []any{`dialog "Save" of notes`}}, took: time.Second,
		},
		{
			say: "a dialog whose default button stays disabled", args: args("selector", "role:entry", "text_to_type", "abc{Enter}"), screen: saving,
			result: map[string]any{"checked": "yes", "closed": nil}, journal: []string{`focus entry "Name"`, `type "abc"`, "press enter"},
		},
		{
			say: "a list of completions that takes the key", args: args("selector", "role:entry", "text_to_type", "abc{Enter}"), set: func(d *fake.Desktop) {
				list := fake.Window("List", "notes").Popup(true).At(100, 64, 200, 60)
				d.Open(list)
				d.OnPress("enter", func() { d.Remove(list) })
			},
			result: map[string]any{"checked": "yes", "closed": []any{`popup "List" of notes`}, "taken_by": "a list that was open over the field, which closed"},
		},
		{
			say: "a list of completions that closes before the dialog does", args: args("selector", "role:entry", "text_to_type", "abc{Enter}"), set: func(d *fake.Desktop) {
				list := fake.Window("List", "notes").Popup(true).At(100, 64, 200, 60)
				d.Open(list)
				d.OnPress("enter", func() {
					d.Remove(list)
					d.After(600*time.Millisecond, func() { d.Open(fake.Window("Saved", "notes").At(50, 50, 100, 100)) })
				})
			},
			result: map[string]any{"opened": []any{`window "Saved" of notes`}, "closed": []any{`popup "List" of notes`}, "taken_by": nil},
		},
		{
			say: "a field that is slow", args: args("selector", "role:entry", "text_to_type", "abc", "clear_before_typing", false), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) { d.Delay("Type", 300*time.Millisecond) },
		},
		{
			say: "an application that is slow to tell what a field holds", args: args("selector", "role:entry", "text_to_type", "abc"), result: map[string]any{"checked": "yes", "value": "abc"},
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
			say: "a field beside a label of its name", args: args("selector", "name:Who", "text_to_type", "Ada"), screen: who, result: map[string]any{"checked": "yes", "value": "Ada"},
		},
		{
			say: "two fields and a label of one name", args: args("selector", "name:Where", "text_to_type", "Ulm"), screen: who, code: steps.Ambiguous, err: "3 elements match",
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

// saving is a dialog whose default button is disabled.
const saving = `
- frame "Save" [process=notes] [modal] [at=0,0,400,400]
  - entry "Name" [at=100,40,200,24]
  - button "Save" [disabled] [default] [at=10,130,80,24]
`

// lookingUp enables the default button a second after a text was typed. Until then Enter does
// nothing.
func lookingUp(d *fake.Desktop) {
	save, ready := d.Find("role:button"), &atomic.Bool{}
	d.Find("role:entry").OnChange(func(string) {
		d.After(time.Second, func() {
			d.Set(save, func(e *desktop.Element) { e.States |= desktop.Enabled })
			ready.Store(true)
		})
	})
	d.OnPress("enter", func() {
		if ready.Load() {
			d.Remove(d.Find("role:frame"))
		}
	})
}

// typedName has just typed into the field of saving.
func typedName(d *fake.Desktop) {
	lookingUp(d)
	hold(d, "role:entry", desktop.Chord{Key: "end"})
	if err := d.Do(context.Background(), desktop.Type{Text: "abc"}); err != nil {
		panic(err)
	}
}

func isSaved(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
	if w, err := d.Windows(t.Context()); err != nil || len(w) > 0 {
		t.Errorf("the dialog is still open: %v, %v", w, err)
	}
}

// files are a list of files, in which the key delete would delete those that are selected.
const files = `
- frame "Files" [process=files] [at=0,0,400,400]
  - table [at=0,20,400,380]
    - cell "a.txt" [at=0,20,100,20]: "a.txt"
    - cell "b.txt" [at=0,40,100,20]: "b.txt"
`

// minimized leaves no window that could have the keyboard.
func minimized(d *fake.Desktop) { manage(d, "Notes", desktop.Manage{Do: desktop.Minimize}) }

func TestKeys(t *testing.T) {
	for _, p := range []play{
		{say: "keys where the focus is", kind: PressKey, args: args("key", "ctrl+s"), journal: []string{"press ctrl+s"}, acted: steps.ActedYes},
		{say: "keys on an element", kind: PressKey, args: args("key", "{Tab}{Enter}", "selector", "role:entry"), journal: []string{`focus entry "Title"`, "press tab", "press enter"}},
		{
			say: "Enter on a field of a dialog that looks up what was typed", kind: PressKey, args: args("key", "enter", "selector", "role:entry"), screen: saving, set: typedName,
			check: isSaved,
		},
		{
			say: "Enter where the focus is, in a dialog that looks up what was typed", kind: PressKeyGlobal, args: args("key", "enter"), screen: saving, set: typedName,
			check: isSaved,
		},
		{say: "a key on nothing that is named, which no window gets", kind: PressKey, args: args("key", "f5"), set: minimized, code: steps.NotActionable, err: "no window has the keyboard", acted: steps.ActedNo, journal: []string{}},
		{
			say: "a key in a window that is behind another and stays there", kind: PressKey, args: args("key", "f5", "selector", "role:frame && name:Notes", "bring_to_front", false),
			code: steps.NotActionable, err: `does not get the keys: "Other" has the focus`, acted: steps.ActedNo, journal: []string{},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other").At(500, 0, 100, 100)) },
		},
		{
			say: "a text in place of that of a row, where the keys that empty a field would delete all rows", kind: TypeIntoElement, screen: files, args: args("selector", "name:a.txt", "text_to_type", "c.txt"),
			code: steps.NotActionable, err: `cell "a.txt" in "Files" cannot be emptied`, acted: steps.ActedNo, journal: []string{`focus cell "a.txt"`},
		},
		{say: "keys in a window", kind: PressKey, args: args("key", "escape", "process", "notes"), journal: []string{"press escape"}},
		{say: "a key that does not exist", kind: PressKey, args: args("key", "entr"), code: steps.Invalid, err: "did you mean enter", acted: steps.ActedNo},
		{
			say: "keys for an application come to its window", kind: PressKeyGlobal, args: args("key", "f5", "process", "notes"), journal: []string{`activate "Notes"`, "press f5"},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
		},
		{say: "keys for an application that is not there", kind: PressKeyGlobal, args: args("key", "f5", "process", "nope"), code: steps.NotFound, acted: steps.ActedNo},
		{
			say: "text for the keys of buttons, which take a key again only when they have shown the press", kind: TypeText, args: args("text", "1001\n"),
			set:     func(d *fake.Desktop) { hold(d, "name:Save", desktop.Chord{Key: "shift"}) },
			journal: []string{`type "10"`, `type "01"`, `type "\n"`}, took: 3 * 250 * time.Millisecond,
		},
		{say: "text", kind: TypeText, args: args("text", "hé"), journal: []string{`type "hé"`}, result: map[string]any{"characters": 2.0}},
		{
			say: "text that a dialog takes", kind: TypeText, args: args("text", "abc"), code: steps.Unexpected, err: `the focus left the window "Notes" while keys were sent there: "Question" has the focus`, acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { d.Open(fake.Window("Question", "notes").At(50, 50, 100, 100)) })
			},
		},
		{
			say: "a date whose parts take the text one after the other", kind: TypeText, args: args("text", "0317"), acted: steps.ActedYes,
			screen: `
- frame "Trip" [process=chromium] [at=0,0,400,400]
  - spinbutton "Month" [at=10,100,20,20] [focusable]
  - spinbutton "Day" [at=40,100,20,20] [focusable]
`,
			set: func(d *fake.Desktop) {
				hold(d, "name:Month", desktop.Chord{Key: "end"})
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { hold(d, "name:Day", desktop.Chord{Key: "end"}) })
			},
		},
		{
			say: "text that another element takes", kind: TypeText, args: args("text", "abc"), code: steps.Unexpected, err: `the focus left entry "Title" in "Notes" while keys were sent there: password "Secret" in "Notes" has the focus`,
			set: func(d *fake.Desktop) {
				hold(d, "role:entry", desktop.Chord{Key: "end"})
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { hold(d, "role:password", desktop.Chord{Key: "end"}) })
			},
		},
		{
			say: "text that the element takes to which the focus was on its way", kind: TypeText, args: args("text", "abc"), screen: who, result: map[string]any{"characters": 3.0},
			set: func(d *fake.Desktop) {
				hold(d, "role:entry && name:Who", desktop.Chord{Key: "end"})
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { hold(d, "role:entry && name:Where && nth:0", desktop.Chord{Key: "end"}) })
			},
		},
		{
			say: "text that an element shows as its name, as a combo box of Qt does", kind: TypeText, args: args("text", "abc"), screen: who, result: map[string]any{"characters": 3.0},
			set: func(d *fake.Desktop) {
				hold(d, "role:entry && name:Who", desktop.Chord{Key: "end"})
				n := d.Find("role:entry && name:Who")
				n.OnChange(func(now string) {
					d.Set(n, func(e *desktop.Element) { e.Name, e.Text = now, "" })
					hold(d, "role:entry && name:Where && nth:0", desktop.Chord{Key: "end"})
				})
			},
		},
		{
			say: "text whose own tab moves the focus", kind: TypeText, args: args("text", "a\tb"), journal: []string{`type "a"`, `type "\t"`, `type "b"`},
			set: func(d *fake.Desktop) { hold(d, "role:entry", desktop.Chord{Key: "end"}) },
		},
		{
			say: "text whose own line break opens a window", kind: TypeText, args: args("text", "a\n"), set: func(d *fake.Desktop) {
				d.Delay("Type", 300*time.Millisecond)
				d.After(400*time.Millisecond, func() { d.Open(fake.Window("Done", "notes").At(50, 50, 100, 100)) })
			},
		},
		{say: "text that no window gets", kind: TypeText, args: args("text", "a"), set: minimized, code: steps.NotActionable, err: "no window has the keyboard", acted: steps.ActedNo, journal: []string{}},
		{say: "a key that no window gets", kind: PressKeyGlobal, args: args("key", "f5"), set: minimized, code: steps.NotActionable, err: "no window has the keyboard", acted: steps.ActedNo, journal: []string{}},
		{
			say: "keys that a dialog takes", kind: PressKeyGlobal, args: args("key", "{Left}{Left}"), code: steps.Unexpected, err: `the focus left the window "Notes"`,
			set: func(d *fake.Desktop) {
				d.Delay("Press", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { d.Open(fake.Window("Question", "notes").At(50, 50, 100, 100)) })
			},
		},
		{
			say: "a key whose dialog gets the next", kind: PressKeyGlobal, args: args("key", "{Ctrl}{o}{Left}"), journal: []string{"press ctrl+o", "press left"},
			set: func(d *fake.Desktop) {
				d.OnPress("ctrl+o", func() { d.Open(fake.Window("Open", "notes").At(50, 50, 100, 100)) })
			},
		},
		{say: "a key that is held", kind: HoldKey, args: args("do", "down", "key", "Shift"), journal: []string{"key down shift"}, result: map[string]any{"key": "shift"}},
		{say: "a key that is let go", kind: HoldKey, args: args("do", "up", "key", "shift"), journal: []string{"key up shift"}},
		{say: "a key to hold that does not exist", kind: HoldKey, args: args("do", "down", "key", "shft"), code: steps.Invalid},
	} {
		p.run(t)
	}
}
