package steps

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

const notes = `
- frame "Notes" [process=notes] [at=0,0,400,400]
  - label "Title:" [at=10,40,80,24]
  - entry "Title" [at=100,40,200,24]: "Monday"
  - password "Secret" [at=100,70,200,24]
  - checkbox "Urgent" [at=10,100,200,24]
  - button "Save" [at=10,130,80,24]
  - button "Delete" [disabled] [at=100,130,80,24]
  - slider "Size" [value=3 in 0 to 10] [at=10,160,200,24]
  - radiobutton "Small" [checked] [at=10,190,80,24]
  - radiobutton "Large" [at=100,190,80,24]
`

// play is one row: what is on the screen, what is done, and what comes of it.
type play struct {
	say     string
	screen  string // notes when empty
	set     func(d *fake.Desktop)
	kind    Kind
	args    map[string]any
	code    Code
	err     string // in the message
	acted   Acted  // "" means not looked at
	journal []string
	result  map[string]any // the fields that are looked at
	check   func(t *testing.T, d *fake.Desktop, o Outcome)
	took    time.Duration // at least this long
}

func (p play) run(t *testing.T) {
	t.Run(p.say, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			screen := p.screen
			if screen == "" {
				screen = notes
			}
			d := fake.New(fake.MustParse(screen)...)
			defer d.Close()
			if p.set != nil {
				p.set(d)
			}
			begin := len(d.Journal())
			start := time.Now()
			o := p.kind.Run(t.Context(), seeing(d), p.args)
			took := time.Since(start)
			p.judge(t, d, o, begin, took)
		})
	})
}

// judge compares what came of a row with what was wanted.
func (p play) judge(t *testing.T, d *fake.Desktop, o Outcome, begin int, took time.Duration) {
	t.Helper()
	if code(o) != p.code || o.Err != nil && !strings.Contains(o.Err.Error(), p.err) {
		t.Fatalf("got %v, want %q %q", o.Err, p.code, p.err)
	}
	if p.acted != "" && o.Acted != p.acted {
		t.Errorf("acted: %s, want %s", o.Acted, p.acted)
	}
	if p.journal != nil {
		if diff := cmp.Diff(p.journal, append([]string{}, d.Journal()[begin:]...)); diff != "" {
			t.Errorf("journal (-want +got):\n%s", diff)
		}
	}
	for k, v := range p.result {
		if diff := cmp.Diff(v, o.Result[k]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k, diff)
		}
	}
	if took < p.took {
		t.Errorf("it took %s, want at least %s", took, p.took)
	}
	if p.check != nil {
		p.check(t, d, o)
	}
}

// seeing is an Env with a fake desktop. Pictures are kept nowhere, under the
// name of their size.
func seeing(d *fake.Desktop) *Env {
	return &Env{Desktop: d.Desktop(), Trees: &Trees{}, Keep: func(_ context.Context, p *image.RGBA) (string, error) {
		return fmt.Sprintf("kept:%dx%d", p.Rect.Dx(), p.Rect.Dy()), nil
	}}
}

func args(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func text(d *fake.Desktop, sel string) string { return d.Get(d.Find(sel)).Text }

// lateness changes the screen after an element was found ready and before it
// is clicked: when the pointer's place is asked for.
func lateness(d *fake.Desktop, change func()) {
	d.Delay("PointerPosition", 10*time.Millisecond)
	d.After(stillFor+5*time.Millisecond, change)
}

// manage changes a window.
func manage(d *fake.Desktop, title string, c desktop.WindowChange) {
	windows, _ := d.Windows(context.Background())
	for _, w := range windows {
		if w.Title == title {
			_ = d.Manage(context.Background(), w.ID, c)
		}
	}
}

func TestClickElement(t *testing.T) {
	cover := func(d *fake.Desktop) { d.Open(fake.Window("Cover", "other").At(0, 0, 400, 400)) }
	for _, p := range []play{
		{
			say:  "a click on an element, in its middle, and the pointer is put back",
			args: args("selector", "role:button && name:Save"), journal: []string{"click 50,142 left", "move 0,0"}, acted: ActedYes,
			result: map[string]any{"at": map[string]any{"x": 50.0, "y": 142.0}},
		},
		{say: "the pointer stays when that is wanted", args: args("selector", "name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}},
		{say: "a double click", args: args("selector", "name:Save", "click_type", "double", "restore_cursor", false), journal: []string{"click 50,142 left x2"}},
		{say: "a click in a corner", args: args("selector", "name:Save", "click_position", args("x_percentage", 100.0, "y_percentage", 0.0), "restore_cursor", false), journal: []string{"click 89,130 left"}},
		{
			say: "a click with keys held", args: args("selector", "name:Save", "modifiers", []any{"ctrl", "shift"}, "restore_cursor", false),
			journal: []string{"key down ctrl", "key down shift", "click 50,142 left", "key up shift", "key up ctrl"},
		},
		{say: "a point", args: args("x", 5.0, "y", 6.0, "button", "right", "restore_cursor", false), journal: []string{"click 5,6 right"}, acted: ActedYes},
		{say: "a point that is not on the screen", args: args("x", 5000.0, "y", 6.0), code: NotActionable, acted: ActedNo, journal: []string{}},
		{say: "half a point", args: args("x", 5.0), code: Invalid},
		{say: "a point and an element", args: args("x", 5.0, "y", 5.0, "selector", "name:Save"), code: Invalid},
		{say: "nothing to click", args: args(), code: Invalid, err: "nothing names the element"},
		{say: "a selector that cannot be read", args: args("selector", "role:"), code: Invalid, err: "selector"},
		{
			say: "an element that is not there", args: args("selector", "name:Sav"), code: NotFound, err: "after waiting 3s: nothing matches", acted: ActedNo, took: 3 * time.Second,
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if len(o.Err.Candidates) < 2 || o.Err.Candidates[1].Selector == "" {
					t.Errorf("candidates %+v, want what may have been meant", o.Err.Candidates)
				}
			},
		},
		{
			say: "an element behind a dialog that nobody expected", args: args("selector", "name:Wxyz"), code: NotFound,
			set: func(d *fake.Desktop) {
				d.Open(fake.Dialog("Question", "notes", fake.Label("Restore the last session?"), fake.Button("No"), fake.Button("Yes")).At(50, 50, 200, 100))
			},
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				want := `a dialog is open: dialog "Question" ("Restore the last session?") with the buttons "No", "Yes"; if it is in the way, answer it first`
				if !strings.HasPrefix(o.Err.Next, want) {
					t.Errorf("next: %s\nwant: %s", o.Err.Next, want)
				}
			},
		},
		{
			say: "an element of a process that is not open", args: args("selector", "process:excel >> name:Save"), code: NotFound,
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if !strings.Contains(o.Err.Next, "is not open on this desktop") {
					t.Errorf("next: %s", o.Err.Next)
				}
			},
		},
		{say: "two that match", args: args("selector", "role:button"), code: Ambiguous, acted: ActedNo},
		{say: "one that is disabled", args: args("selector", "name:Delete"), code: NotActionable, err: "is disabled", acted: ActedNo},
		{
			say: "one that becomes enabled in time", args: args("selector", "name:Delete"), acted: ActedYes, took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Set(d.Find("name:Delete"), func(e *desktop.Element) { e.States |= desktop.Enabled }) })
			},
		},
		{
			say: "one that appears in time", args: args("selector", "name:New"), acted: ActedYes, took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(200, 200, 50, 20)) })
			},
		},
		{
			say: "one without room", args: args("selector", "name:Save"), code: NotActionable, err: "is not visible",
			set: func(d *fake.Desktop) {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds = desktop.Rect{} })
			},
		},
		{
			say: "one that never stands still", args: args("selector", "name:Save"), code: NotActionable, err: "moves", acted: ActedNo,
			set: func(d *fake.Desktop) {
				n := d.Find("name:Save")
				var move func()
				move = func() {
					d.Set(n, func(e *desktop.Element) { e.Bounds.X = (e.Bounds.X + 7) % 100 })
					d.After(20*time.Millisecond, move)
				}
				move()
			},
		},
		{
			say: "an application that takes longer to answer once than there is time", args: args("selector", "name:Save"), acted: ActedYes,
			set: func(d *fake.Desktop) { d.Delay("Tree", 4*time.Second) },
		},
		{
			say: "an application that does not answer at all", args: args("selector", "name:Save"), code: Timeout, err: "did not answer", acted: ActedNo, took: oneTry,
			set: func(d *fake.Desktop) { d.Delay("Tree", time.Hour) },
		},
		{
			say: "a window that moves just before the click is followed", args: args("selector", "name:Save"), acted: ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() {
					manage(d, "Notes", desktop.WindowChange{Do: desktop.Place, Bounds: desktop.Rect{X: 300, Y: 200}})
				})
			},
			journal: []string{`place "Notes"`, "click 350,342 left", "move 0,0"},
		},
		{
			say: "an element that moves in its window just before the click is followed", args: args("selector", "name:Save", "restore_cursor", true), acted: ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() { d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y = 300 }) })
			},
			journal: []string{"click 50,312 left", "move 0,0"},
		},
		{
			say: "a window that comes in between just before the click is not clicked", args: args("selector", "name:Save", "bring_to_front", false, "timeout_ms", 500.0),
			set: func(d *fake.Desktop) { lateness(d, func() { cover(d) }) }, code: NotActionable, err: "is covered by the window", acted: ActedNo, journal: []string{},
		},
		{
			say: "an element that is replaced just before the click is found again", args: args("selector", "name:Save"), acted: ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() {
					d.Remove(d.Find("name:Save"))
					d.Add(d.Find("role:frame"), fake.Button("Save").At(200, 300, 50, 20))
				})
			},
			journal: []string{"click 225,310 left", "move 0,0"},
		},
		{
			say: "one that is disabled in the last moment", args: args("selector", "name:Save", "timeout_ms", 24.0), code: NotActionable, err: "is disabled", acted: ActedNo,
			set: func(d *fake.Desktop) {
				d.After(10*time.Millisecond, func() { d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Enabled }) })
			},
		},
		{
			say: "one that another is put over in the last moment", args: args("selector", "name:Save", "timeout_ms", 24.0), code: NotActionable, err: "is covered by", acted: ActedNo,
			set: func(d *fake.Desktop) {
				d.After(10*time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("Over it").At(0, 120, 200, 50)) })
			},
		},
		{
			say: "one that moves its own window", args: args("selector", "name:Save"), acted: ActedYes,
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.X += 40 }) })
			},
		},
		{
			say: "one whose window moves on and on", args: args("selector", "name:Save", "timeout_ms", 24.0), code: NotActionable, err: "moves", acted: ActedNo,
			set: func(d *fake.Desktop) {
				d.After(10*time.Millisecond, func() { d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.X += 40 }) })
			},
		},
		{say: "a covered window comes to the front first", args: args("selector", "name:Save", "restore_cursor", false), set: cover, journal: []string{`activate "Notes"`, "click 50,142 left"}},
		{
			say: "a minimized window comes back", args: args("selector", "name:Save", "process", "notes", "restore_cursor", false), journal: []string{`activate "Notes"`, "click 50,142 left"},
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Manage(context.Background(), w[0].ID, desktop.WindowChange{Do: desktop.Minimize})
			},
		},
		{say: "the focus is given back when that is asked", args: args("selector", "name:Save", "restore_focus", true, "restore_cursor", false), journal: []string{"click 50,142 left", "restore focus"}},
		{say: "a covered window that must stay where it is", args: args("selector", "name:Save", "bring_to_front", false), set: cover, code: NotActionable, err: `covered by the window "Cover"`, acted: ActedNo},
		{
			say: "an element behind another of its window", args: args("selector", "name:Save"), code: NotActionable, err: "is covered by panel", acted: ActedNo,
			set: func(d *fake.Desktop) { d.Add(d.Find("role:frame"), fake.El("panel", "Veil").At(0, 0, 400, 400)) },
		},
		{say: "alternatives: the first that matches one", args: args("selector", "name:Nope", "alternative_selectors", "role:button, name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}},
		{say: "targets", args: args("targets", []any{"name:Nope", "name:Save"}, "restore_cursor", false), journal: []string{"click 50,142 left"}},
		{say: "fallbacks come after the time is over", args: args("selector", "name:Nope", "fallback_selectors", "name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}, took: 3 * time.Second},
		{say: "more tries mean more time", args: args("selector", "name:Nope", "retries", 2.0), code: NotFound, took: 9 * time.Second},
		{say: "only in the application that is named", args: args("selector", "name:Save", "process", "other", "timeout_ms", 100.0), code: NotFound},
		{say: "only in the window that is named", args: args("selector", "name:Save", "process", "notes", "window_selector", "role:frame && name:Notes"), acted: ActedYes},
		{
			say: "a menu that hangs in a window of its own", args: args("selector", "name:Open"), acted: ActedYes,
			set: func(d *fake.Desktop) {
				d.Add(d.Find("role:frame"), fake.El("menuitem", "Open").At(20, 300, 100, 20))
				d.Open(fake.Window("", "notes").At(0, 280, 150, 100))
				d.Fail("ElementAt", desktop.ErrNotFound, -1)
			},
		},
		{
			say: "a dialog of the same program in front", args: args("selector", "name:Save", "bring_to_front", false), code: NotActionable, err: "is blocked by the dialog", acted: ActedNo,
			set: func(d *fake.Desktop) { d.Open(fake.Dialog("Sure?", "notes").At(0, 0, 400, 400)) },
		},
		{
			say: "a dialog beside what it blocks", args: args("selector", "name:Save", "bring_to_front", false), code: NotActionable, err: `is blocked by the dialog "Sure?"`, acted: ActedNo,
			set: func(d *fake.Desktop) { d.Open(fake.Dialog("Sure?", "notes").At(500, 500, 100, 100)) },
		},
		{say: "a checkbox is read back", args: args("selector", "name:Urgent"), result: map[string]any{"verified": true}},
		{
			say: "what must come of it comes", args: args("selector", "name:Save", "verify_element_exists", "name:Saved"), result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Label("Saved")) }) })
			},
		},
		{say: "what must come of it does not come", args: args("selector", "name:Save", "verify_element_exists", "name:Saved"), code: Unexpected, err: "the action was done", acted: ActedYes, took: 2 * time.Second},
		{
			say: "what must come elsewhere", args: args("selector", "name:Save", "verify_element_exists", "process:other >> role:frame"), result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.Open(fake.Window("Other", "other")) })
			},
		},
		{
			say: "a point, and what came of it in the window there", args: args("x", 110.0, "y", 112.0, "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": true},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other").At(600, 0, 100, 100)) },
		},
		{say: "what must go stays", args: args("selector", "name:Save", "verify_element_not_exists", "name:Urgent"), code: Unexpected, acted: ActedYes},
		{
			say: "what must go is not known to be gone", args: args("x", 1.0, "y", 1.0, "verify_element_not_exists", "name:Urgent"), code: Unexpected, err: "did not answer",
			set: func(d *fake.Desktop) { d.Freeze("notes") },
		},
		{
			say: "what it changed", args: args("selector", "name:Urgent", "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": true},
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if diff := o.Result["ui_diff"].(string); !strings.Contains(diff, "checked false → true") {
					t.Errorf("the diff is %q", diff)
				}
			},
		},
		{say: "it changed nothing", args: args("selector", "role:label", "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": false}},
		{
			say: "the tree afterwards", args: args("selector", "name:Urgent", "include_tree_after_action", true),
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if tree := o.Result["ui_tree"].(string); !strings.Contains(tree, `checkbox "Urgent" [ref=e5] [focused] [checked]`) && !strings.Contains(tree, `checkbox "Urgent"`) {
					t.Errorf("the tree is %s", tree)
				}
			},
		},
		{
			say: "a window that closes with the click is no failure", args: args("selector", "name:Save", "include_tree_after_action", true, "ui_diff_before_after", true), acted: ActedYes,
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.Remove(d.Find("role:frame")) })
			},
		},
		{
			say: "pictures afterwards", args: args("selector", "name:Save", "include_window_screenshot", true, "include_monitor_screenshots", true),
			result: map[string]any{"screenshots": []any{"kept:400x400", "kept:1280x800"}},
		},
		{say: "a frame before", args: args("selector", "name:Save", "highlight_before_action", true, "restore_cursor", false), journal: []string{`mark 80x24 at 10,130 "button" for 500ms`, "click 50,142 left"}},
		{
			say: "a click whose answer was lost leaves doubt", args: args("selector", "name:Save"), code: Timeout, acted: ActedMaybe,
			set: func(d *fake.Desktop) { d.FailAfter("Click", desktop.ErrUnresponsive, 1) },
		},
		{
			say: "a display that is missing", args: args("selector", "name:Save"), code: Unavailable, acted: ActedNo, err: "to mend it",
			set: func(d *fake.Desktop) { d.Fail("Tree", &desktop.MissingError{What: "no display", Mend: "xvfb"}, -1) },
		},
		{
			say: "an application that does not answer at first", args: args("selector", "name:Save"), acted: ActedYes,
			set: func(d *fake.Desktop) { d.Fail("Tree", desktop.ErrUnresponsive, 2) },
		},
	} {
		p.kind = ClickElement
		p.run(t)
	}
}

func TestTypeIntoElement(t *testing.T) {
	for _, p := range []play{
		{
			say: "what was there is replaced", args: args("selector", "name:Title && role:entry", "text_to_type", "Tuesday"), acted: ActedYes,
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "Tuesday"`}, result: map[string]any{"verified": true, "value": "Tuesday"},
		},
		{say: "what was there stays", args: args("selector", "role:entry", "text_to_type", "!", "clear_before_typing", false), result: map[string]any{"verified": true, "value": "Monday!"}},
		{
			say: "keys at the end are pressed", args: args("selector", "role:entry", "text_to_type", "a{b}{Enter}{Tab}"), result: map[string]any{"value": "a{b}"},
			journal: []string{`focus entry "Title"`, `set text entry "Title" ""`, `type "a{b}"`, "press enter", "press tab"},
		},
		{say: "only keys", args: args("selector", "role:entry", "text_to_type", "{Enter}", "clear_before_typing", false), journal: []string{`focus entry "Title"`, "press enter"}, result: map[string]any{"verified": false}},
		{
			say: "a password is checked by its length and never told", args: args("selector", "role:password", "text_to_type", "geheim"), result: map[string]any{"verified": true, "value": nil},
			check: func(t *testing.T, d *fake.Desktop, o Outcome) {
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
			journal: []string{`focus entry "Title"`, "press ctrl+a", "press delete", `type "x"`}, result: map[string]any{"value": "x"}, acted: ActedYes,
		},
		{
			say: "a field that takes the focus only by a click", args: args("selector", "role:entry", "text_to_type", "x"),
			set:    func(d *fake.Desktop) { d.Fail("GrabFocus", desktop.ErrRefused, -1) },
			result: map[string]any{"value": "x"},
		},
		{
			say: "what does not take the focus", args: args("selector", "role:canvas", "text_to_type", "x"), code: NotActionable, err: "does not take the focus",
			screen: notes + `  - canvas "Board" [at=10,220,80,24]`,
		},
		{
			say: "what takes no text is not even clicked", args: args("selector", "name:Save", "text_to_type", "x"), code: NotActionable, acted: ActedNo, journal: []string{},
			err: `button "Save" in "Notes" takes no text`,
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if !strings.Contains(o.Err.Next, `entry "Title" in "Notes", password "Secret" in "Notes"`) {
					t.Errorf("it does not name the fields: %s", o.Err.Next)
				}
			},
		},
		{
			say: "where the focus is, when that is wanted", args: args("selector", "role:entry", "text_to_type", "x", "try_focus_before", false, "try_click_before", false, "clear_before_typing", false),
			code: Unexpected, err: "nothing arrived", acted: ActedYes,
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
			say: "a dialog that takes the focus meanwhile", args: args("selector", "role:entry", "text_to_type", "abc"), code: Unexpected, err: `"Question" has the focus`, acted: ActedYes,
			set: func(d *fake.Desktop) {
				d.Delay("Type", 300*time.Millisecond)
				d.After(100*time.Millisecond, func() { d.Open(fake.Window("Question", "notes").At(50, 50, 100, 100)) })
			},
		},
		{
			say: "a field that can only be read", args: args("selector", "role:entry", "text_to_type", "x"), code: NotActionable, err: "only be read", acted: ActedNo,
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
		{say: "keys where the focus is", kind: PressKey, args: args("key", "ctrl+s"), journal: []string{"press ctrl+s"}, acted: ActedYes},
		{say: "keys on an element", kind: PressKey, args: args("key", "{Tab}{Enter}", "selector", "role:entry"), journal: []string{`focus entry "Title"`, "press tab", "press enter"}},
		{say: "keys in a window", kind: PressKey, args: args("key", "escape", "process", "notes"), journal: []string{"press escape"}},
		{say: "a key that does not exist", kind: PressKey, args: args("key", "entr"), code: Invalid, err: "did you mean enter", acted: ActedNo},
		{
			say: "keys for an application come to its window", kind: PressKeyGlobal, args: args("key", "f5", "process", "notes"), journal: []string{`activate "Notes"`, "press f5"},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
		},
		{say: "keys for an application that is not there", kind: PressKeyGlobal, args: args("key", "f5", "process", "nope"), code: NotFound, acted: ActedNo},
		{say: "text", kind: TypeText, args: args("text", "hé"), journal: []string{`type "hé"`}, result: map[string]any{"characters": 2.0}},
		{say: "a key that is held", kind: KeyDown, args: args("key", "Shift"), journal: []string{"key down shift"}, result: map[string]any{"key": "shift"}},
		{say: "a key that is let go", kind: KeyUp, args: args("key", "shift"), journal: []string{"key up shift"}},
		{say: "a key to hold that does not exist", kind: KeyDown, args: args("key", "shft"), code: Invalid},
	} {
		p.run(t)
	}
}

func TestPointer(t *testing.T) {
	for _, p := range []play{
		{say: "a move", kind: MouseMove, args: args("x", 7.0, "y", 8.0), journal: []string{"move 7,8"}, acted: ActedYes},
		{say: "a move off the screen", kind: MouseMove, args: args("x", -1.0, "y", 8.0), code: NotActionable, acted: ActedNo},
		{say: "a button that is held where the pointer is", kind: MouseDown, args: args(), journal: []string{"button down left"}},
		{say: "a button that is let go elsewhere", kind: MouseUp, args: args("x", 1.0, "y", 2.0, "button", "right"), journal: []string{"move 1,2", "button up right"}},
		{say: "hovering", kind: HoverElement, args: args("selector", "name:Save", "duration_ms", 700.0), journal: []string{"move 50,142"}, took: 700 * time.Millisecond, result: map[string]any{"verified": true}},
		{say: "scrolling where the pointer is", kind: Scroll, args: args("amount", 2.0, "direction", "up"), journal: []string{"move 0,0", "scroll 0,-2", "move 0,0"}},
		{say: "scrolling in an element", kind: ScrollElement, args: args("selector", "role:frame", "direction", "right"), journal: []string{"move 200,200", "scroll 3,0", "move 0,0"}, acted: ActedYes},
		{
			say: "bringing an element into view", kind: ScrollElement, args: args("selector", "name:Save", "into_view", true), journal: []string{`reveal button "Save"`}, result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Showing })
			},
		},
		{say: "a drag to the same point", kind: MouseDrag, args: args("start_x", 1.0, "start_y", 1.0, "end_x", 1.0, "end_y", 1.0), code: Invalid},
		{
			say: "a drag", kind: MouseDrag, args: args("start_x", 10.0, "start_y", 10.0, "end_x", 130.0, "end_y", 70.0), acted: ActedYes,
			check: func(t *testing.T, d *fake.Desktop, _ Outcome) {
				j := d.Journal()
				if len(j) != 15 || j[0] != "move 10,10" || j[1] != "button down left" || j[13] != "move 130,70" || j[14] != "button up left" {
					t.Errorf("journal %q", j)
				}
			},
		},
		{say: "a click in a window", kind: ClickElement, args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), journal: []string{"click 30,40 left"}, acted: ActedYes},
		{
			say: "a click in a window that is elsewhere", kind: ClickElement, args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), acted: ActedYes,
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Manage(context.Background(), w[0].ID, desktop.WindowChange{Do: desktop.Place, Bounds: desktop.Rect{X: 100, Y: 200, W: 400, H: 400}})
			},
			check: func(t *testing.T, d *fake.Desktop, _ Outcome) {
				if j := d.Journal(); !slices.Contains(j, "click 130,240 left") {
					t.Errorf("journal %q", j)
				}
			},
		},
		{say: "a click in the active window", kind: ClickElement, args: args("x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), journal: []string{"click 30,40 left"}, acted: ActedYes},
		{say: "a click beside a window", kind: ClickElement, args: args("x", 3000.0, "y", 40.0, "in_window", true, "timeout_ms", 100.0), code: NotActionable, acted: ActedNo},
		{say: "a click in the window of nobody", kind: ClickElement, args: args("process", "nobody", "x", 3.0, "y", 4.0, "in_window", true, "timeout_ms", 100.0), code: NotFound, acted: ActedNo},
		{say: "a click at a place, when nothing is found", kind: ClickElement, args: args("process", "notes", "selector", "name:Nope", "fallback_selectors", "name:Never", "fallback_point", map[string]any{"x": 30.0, "y": 40.0}, "timeout_ms", 100.0, "restore_cursor", false), journal: []string{"click 30,40 left"}, result: map[string]any{"at": map[string]any{"x": 30.0, "y": 40.0}, "by_point": true}, acted: ActedYes},
		{say: "a click at a place, when one is found", kind: ClickElement, args: args("process", "notes", "selector", "name:Save", "fallback_point", map[string]any{"x": 30.0, "y": 40.0}, "restore_cursor", false), journal: []string{"click 50,142 left"}, acted: ActedYes},
		{say: "a click at a place outside of the window", kind: ClickElement, args: args("process", "notes", "selector", "name:Nope", "fallback_point", map[string]any{"x": 3000.0, "y": 40.0}, "timeout_ms", 100.0), code: NotActionable, err: "outside of the window", acted: ActedNo},
		{say: "a click at a place only", kind: ClickElement, args: args("process", "notes", "fallback_point", map[string]any{"x": 3.0, "y": 4.0}), code: Invalid},
		{say: "a click nowhere in a window", kind: ClickElement, args: args("selector", "name:Save", "in_window", true), code: Invalid},
		{
			say: "a drag from one element to another", kind: MouseDrag, acted: ActedYes, check: drags("move 50,142", "move 140,202"),
			args: args("selector", "name:Save", "to_selector", "name:Large"),
		},
		{
			say: "a drag to a place in another element", kind: MouseDrag, acted: ActedYes, check: drags("move 18,148", "move 120,196"),
			args: args("selector", "name:Save", "start_position", within(10, 75), "to_selector", "name:Large", "end_position", within(25, 25)),
		},
		{
			say: "a drag inside an element", kind: MouseDrag, acted: ActedYes, check: drags("move 50,142", "move 70,136"),
			args: args("selector", "name:Save", "end_position", within(75, 25)),
		},
		{
			say: "a drag by a way", kind: MouseDrag, acted: ActedYes, check: drags("move 50,142", "move 20,142"),
			args: args("selector", "name:Save", "by_x", -30.0),
		},
		{say: "a drag of what is disabled", kind: MouseDrag, args: args("selector", "name:Delete", "by_x", 9.0, "timeout_ms", 100.0), code: NotActionable, acted: ActedNo},
		{say: "a drag to what is not there", kind: MouseDrag, args: args("selector", "name:Save", "to_selector", "name:Nothing", "timeout_ms", 100.0), code: NotFound, acted: ActedNo},
		{say: "a drag without a start", kind: MouseDrag, args: args("end_x", 1.0, "end_y", 1.0), code: Invalid},
		{say: "a drag without an end", kind: MouseDrag, args: args("selector", "name:Save"), code: Invalid},
		{say: "a drag with two ends", kind: MouseDrag, args: args("selector", "name:Save", "by_x", 9.0, "to_selector", "name:Large"), code: Invalid},
		{say: "a drag with two starts", kind: MouseDrag, args: args("selector", "name:Save", "start_x", 1.0, "start_y", 1.0, "start_position", within(1, 1), "by_x", 9.0), code: Invalid},
		{say: "a drag with half a start", kind: MouseDrag, args: args("start_x", 1.0, "by_x", 9.0), code: Invalid},
		{say: "a drag with half an end", kind: MouseDrag, args: args("selector", "name:Save", "end_x", 9.0), code: Invalid},
		{say: "a drag to a place in nothing", kind: MouseDrag, args: args("start_x", 1.0, "start_y", 1.0, "end_position", within(1, 1)), code: Invalid},
		{say: "a drag to a place outside", kind: MouseDrag, args: args("selector", "name:Save", "end_position", within(1, 101)), code: Invalid},
		{
			say: "a drag that fails lets go", kind: MouseDrag, args: args("start_x", 10.0, "start_y", 10.0, "end_x", 130.0, "end_y", 70.0), code: Internal, acted: ActedMaybe,
			set: func(d *fake.Desktop) {
				d.After(55*time.Millisecond, func() { d.Fail("MovePointer", errors.New("boom"), 1) })
			},
			check: func(t *testing.T, d *fake.Desktop, _ Outcome) {
				if held := d.Held(); len(held) > 0 {
					t.Errorf("held: %v", held)
				}
			},
		},
	} {
		p.run(t)
	}
}

// within is a place in an element.
func within(x, y float64) map[string]any {
	return map[string]any{"x_percentage": x, "y_percentage": y}
}

// drags checks where a drag began and ended.
func drags(from, to string) func(*testing.T, *fake.Desktop, Outcome) {
	return func(t *testing.T, d *fake.Desktop, _ Outcome) {
		j := d.Journal()
		if len(j) < 4 || j[0] != from || j[1] != "button down left" || j[len(j)-2] != to || j[len(j)-1] != "button up left" {
			t.Errorf("journal %q, wanted a drag from %s to %s", j, from, to)
		}
	}
}

func TestValues(t *testing.T) {
	const lists = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Colour" [at=10,40,200,24]
    - list "" [at=10,70,200,90]
      - listitem "Red" [at=10,70,200,24]
      - listitem "Green" [selected] [at=10,100,200,24]
      - listitem "green tea" [at=10,130,200,24]
`
	const menus = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Size" [at=10,40,200,24]
    - menu ""
      - menuitem "Small"
      - menuitem "Large"
  - combobox "Red" [at=10,80,200,24]
    - menu ""
      - menuitem "Red"
      - menuitem "Green" [selected]
`
	for _, p := range []play{
		{say: "the text of a field", kind: SetValue, args: args("selector", "role:entry", "value", "x"), journal: []string{`set text entry "Title" "x"`}, result: map[string]any{"value": "x", "verified": true}},
		{say: "the number of a slider", kind: SetValue, args: args("selector", "role:slider", "value", 7.5), journal: []string{`set number slider "Size" 7.5`}, result: map[string]any{"value": "7.5", "verified": true}},
		{say: "a number that does not fit", kind: SetValue, args: args("selector", "role:slider", "value", "11"), code: Invalid, err: "from 0 to 10", acted: ActedNo},
		{say: "a text that is no number", kind: SetValue, args: args("selector", "role:slider", "value", "much"), code: Invalid, acted: ActedNo},
		{say: "what takes no text", kind: SetValue, args: args("selector", "name:Save", "value", "x"), code: NotActionable, acted: ActedNo},
		{
			say: "a value that does not stay", kind: SetValue, args: args("selector", "role:entry", "value", "x"), code: Unexpected, err: "did not become", acted: ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("role:entry")
				n.OnChange(func(string) { d.Set(n, func(e *desktop.Element) { e.Text = "Monday" }) })
			},
		},
		{say: "a checkbox is checked", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), journal: []string{`invoke checkbox "Urgent" toggle`}, result: map[string]any{"changed": true, "state": true, "verified": true}, acted: ActedYes},
		{say: "what is so already is left alone", kind: SetSelected, args: args("selector", "role:checkbox", "state", false), journal: []string{}, result: map[string]any{"changed": false, "verified": true}, acted: ActedNo},
		{say: "a radio button is chosen", kind: SetSelected, args: args("selector", "name:Large", "state", true), result: map[string]any{"changed": true, "verified": true}},
		{say: "a radio button is not switched off", kind: SetSelected, args: args("selector", "name:Small", "state", false), code: NotActionable, err: "another of its group", acted: ActedNo},
		{say: "what cannot be selected", kind: SetSelected, args: args("selector", "name:Save", "state", true), code: NotActionable, acted: ActedNo},
		{say: "an item is selected through its list", kind: SetSelected, screen: lists, args: args("selector", "name:Red", "state", true), journal: []string{`select listitem "Red" true`}, result: map[string]any{"verified": true}},
		{
			say: "what does not answer to its action is clicked", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), set: func(d *fake.Desktop) { d.Fail("Invoke", desktop.ErrRefused, -1) },
			journal: []string{"click 110,112 left"}, result: map[string]any{"verified": true}, acted: ActedYes,
		},
		{
			say: "a checkbox that does not obey", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), code: Unexpected, acted: ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("role:checkbox")
				n.OnClick(func() { d.Set(n, func(e *desktop.Element) { e.States &^= desktop.Checked }) })
			},
		},
		{say: "an option", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Red"), journal: []string{`select listitem "Red" true`}, result: map[string]any{"selected": "Red", "verified": true}},
		{say: "an option in other letters", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "RED"), result: map[string]any{"selected": "Red"}},
		{say: "an option that is chosen already", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Green"), journal: []string{}, acted: ActedNo},
		{say: "an option of a menu, through its combo box; it has a name of its own, so it does not tell", kind: SelectOption, screen: menus, args: args("selector", "name:Size", "option_name", "Large"), journal: []string{`select menuitem "Large" true`}, result: map[string]any{"selected": "Large", "verified": false}},
		{say: "an option that is only highlighted in its menu is not chosen", kind: SelectOption, screen: menus, args: args("selector", "role:combobox && name:Red", "option_name", "Green"), code: Unexpected, err: "does not show"},
		{say: "an option that is not there", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Rad"), code: NotFound, err: "did you mean Red?", acted: ActedNo},
		{say: "an action of its own", kind: InvokeElement, args: args("selector", "name:Save"), journal: []string{`invoke button "Save" click`}, acted: ActedYes},
		{say: "an action that it has not", kind: InvokeElement, args: args("selector", "name:Save", "action", "open"), code: NotActionable, err: "only [\"click\"]", acted: ActedNo},
		{say: "an action of what is disabled", kind: InvokeElement, args: args("selector", "name:Delete"), code: NotActionable, acted: ActedNo},
		{
			say: "coming to the front", kind: ActivateElement, args: args("selector", "role:entry"), result: map[string]any{"verified": true}, acted: ActedYes,
			set:     func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
			journal: []string{`activate "Notes"`, `focus entry "Title"`},
		},
		{say: "showing an element", kind: HighlightElement, args: args("selector", "name:Save", "text", "here"), journal: []string{`mark 80x24 at 10,130 "here" for 1s`}, acted: ActedNo},
		{say: "showing it no longer", kind: StopHighlighting, args: args(), journal: []string{"unmark"}},
	} {
		p.run(t)
	}
}

func TestLooking(t *testing.T) {
	for _, p := range []play{
		{
			say: "what is there", kind: ValidateElement, args: args("selector", "role:entry"), acted: ActedNo,
			result: map[string]any{"exists": true, "matches": 1.0, "visible": true, "enabled": true, "focused": false, "text": "Monday"},
		},
		{say: "what is not there is no failure", kind: ValidateElement, args: args("selector", "name:Nope"), result: map[string]any{"exists": false, "matches": 0.0}},
		{say: "what is there more than once", kind: ValidateElement, args: args("selector", "role:button"), result: map[string]any{"exists": true, "matches": 2.0}},
		{say: "what may be there is a failure", kind: ValidateElement, args: args("selector", "name:Nope"), code: Timeout, set: func(d *fake.Desktop) { d.Freeze("notes") }},
		{say: "waiting for what is there", kind: WaitForElement, args: args("selector", "name:Save"), result: map[string]any{"waited_ms": 0.0}},
		{
			say: "waiting for what comes", kind: WaitForElement, args: args("selector", "name:New", "timeout_ms", 5000.0), took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New")) })
			},
		},
		{say: "waiting in vain", kind: WaitForElement, args: args("selector", "name:New"), code: Timeout, err: "did not become there", took: 3 * time.Second},
		{
			say: "waiting until it is gone", kind: WaitForElement, args: args("selector", "name:Save", "condition", "gone"), took: time.Second,
			set: func(d *fake.Desktop) { d.After(time.Second, func() { d.Remove(d.Find("name:Save")) }) },
		},
		{say: "an application that does not answer is not gone", kind: WaitForElement, args: args("selector", "name:Save", "condition", "gone"), code: Timeout, set: func(d *fake.Desktop) { d.Freeze("notes") }},
		{say: "waiting until it is enabled", kind: WaitForElement, args: args("selector", "name:Delete", "condition", "enabled"), code: Timeout, err: "is there and not enabled"},
		{
			say: "waiting for a text", kind: WaitForElement, args: args("selector", "role:entry", "condition", "text", "text", "Tues", "timeout_ms", 5000.0), took: 2 * time.Second,
			set: func(d *fake.Desktop) {
				d.After(2*time.Second, func() { d.Set(d.Find("role:entry"), func(e *desktop.Element) { e.Text = "Tuesday" }) })
			},
		},
		{say: "a text to wait for is missing", kind: WaitForElement, args: args("selector", "role:entry", "condition", "text"), code: Invalid},
		{
			say: "the windows, the topmost first", kind: GetApplicationsAndWindowsList, args: args(), set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
			result: map[string]any{"applications": []any{"other", "notes"}},
		},
		{say: "the windows of one application", kind: GetApplicationsAndWindowsList, args: args("process", "nope"), result: map[string]any{"windows": []any{}, "applications": []any{}}},
		{say: "a picture of the screen, made smaller", kind: CaptureScreenshot, args: args("max_dimension", 640.0), result: map[string]any{"uri": "kept:640x400", "scale": 0.5, "width": 640.0}, acted: ActedNo},
		{say: "a picture of an element", kind: CaptureScreenshot, args: args("selector", "name:Save"), result: map[string]any{"uri": "kept:80x24"}},
		{say: "a picture of a window", kind: CaptureScreenshot, args: args("title", "note"), result: map[string]any{"uri": "kept:400x400"}},
		{say: "a picture of the monitor that a window is on", kind: CaptureScreenshot, args: args("process", "notes", "entire_monitor", true), result: map[string]any{"uri": "kept:1280x800"}},
		{say: "a picture of a region, as far as there is a screen", kind: CaptureScreenshot, args: args("region", args("x", 1270.0, "y", 0.0, "w", 100.0, "h", 10.0)), result: map[string]any{"uri": "kept:10x10"}},
		{say: "a picture of what is not there", kind: CaptureScreenshot, args: args("region", args("x", 2000.0, "y", 0.0, "w", 100.0, "h", 10.0)), code: NotActionable},
		{say: "a colour", kind: GetPixelColor, args: args("x", 1000.0, "y", 700.0), result: map[string]any{"color": "#283c50", "r": 40.0}},
		{say: "a still screen", kind: WaitForIdle, args: args(), took: 500 * time.Millisecond, result: map[string]any{"changes": 0.0}},
		{
			say: "a screen that comes to rest", kind: WaitForIdle, args: args(), took: 990 * time.Millisecond, result: map[string]any{"changes": 1.0},
			set: func(d *fake.Desktop) { d.After(490*time.Millisecond, func() { d.Remove(d.Find("name:Save")) }) },
		},
		{
			say: "a screen that never rests", kind: WaitForIdle, args: args("timeout_ms", 2000.0), code: Timeout, err: "still moves",
			set: func(d *fake.Desktop) {
				var blink func()
				on := false
				blink = func() {
					on = !on
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Text = fmt.Sprint(on) })
					d.After(100*time.Millisecond, blink)
				}
				blink()
			},
		},
	} {
		p.run(t)
	}
}

func TestWindows(t *testing.T) {
	two := func(d *fake.Desktop) { d.Open(fake.Window("Notes 2", "other")) }
	for _, p := range []play{
		{say: "to the front", kind: ActivateWindow, args: args("process", "notes"), set: two, journal: []string{`activate "Notes"`}, result: map[string]any{"verified": true}, acted: ActedYes},
		{say: "in front already", kind: ActivateWindow, args: args("title", "Notes"), journal: []string{}, result: map[string]any{"verified": true}, acted: ActedNo},
		{say: "two that fit", kind: ActivateWindow, args: args("title", "notes"), set: two, code: Ambiguous, acted: ActedNo},
		{say: "none that fits", kind: ActivateWindow, args: args("title", "nope"), code: NotFound, acted: ActedNo},
		{say: "no name", kind: ActivateWindow, args: args(), code: Invalid},
		{
			say: "one that comes in time", kind: MaximizeWindow, args: args("title", "Late"), result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Open(fake.Window("Late", "other")) })
			},
		},
		{say: "closed", kind: CloseWindow, args: args("title", "Notes"), journal: []string{`close "Notes"`}, result: map[string]any{"verified": true}, acted: ActedYes},
		{say: "minimized", kind: MinimizeWindow, args: args("title", "Notes"), result: map[string]any{"verified": true}},
		{
			say: "moved, with its size", kind: MoveWindow, args: args("title", "Notes", "x", 50.0, "y", 60.0), result: map[string]any{"verified": true},
			check: func(t *testing.T, d *fake.Desktop, _ Outcome) {
				if b := d.Get(d.Find("role:frame")).Bounds; b != (desktop.Rect{X: 50, Y: 60, W: 400, H: 400}) {
					t.Errorf("the window is %s", b)
				}
			},
		},
		{
			say: "a window that asks before it closes", kind: CloseWindow, args: args("title", "Notes"), result: map[string]any{"verified": false, "refused": "the application refused"}, acted: ActedYes,
			set: func(d *fake.Desktop) { d.Fail("Manage", desktop.ErrRefused, 1) },
		},
		{
			say: "a minimized window is shown when it is made large", kind: MaximizeWindow, args: args("title", "Notes"), journal: []string{`activate "Notes"`, `maximize "Notes"`}, result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Manage(context.Background(), w[0].ID, desktop.WindowChange{Do: desktop.Minimize})
			},
		},
		{say: "moved nowhere", kind: MoveWindow, args: args("title", "Notes"), code: Invalid},
		{
			say: "an application and its window", kind: OpenApplication, args: args("app_name", "editor"), result: map[string]any{"verified": true}, acted: ActedYes,
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "what must be in the new window", kind: OpenApplication, args: args("app_name", "editor", "verify_element_exists", "name:Go", "include_tree_after_action", true), result: map[string]any{"verified": true, "ui_tree": "- frame \"Text\" [ref=e1] [active]:\n  - button \"Go\" [ref=e2]\n"},
			set: func(d *fake.Desktop) {
				d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) })
			},
		},
		{
			say: "what must be in the new window and is in another", kind: OpenApplication, args: args("app_name", "editor", "verify_element_exists", "name:Save"), code: Unexpected, acted: ActedYes,
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an application that is not installed", kind: OpenApplication, args: args("app_name", "editor"), code: NotFound, acted: ActedNo,
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if !strings.HasPrefix(o.Err.Next, "install it") {
					t.Errorf("next: %s", o.Err.Next)
				}
			},
		},
		{
			say: "an application whose window has another title", kind: OpenApplication, args: args("app_name", "editor", "title", "Never", "timeout_ms", 2000.0), code: Timeout, acted: ActedYes, err: "showed no window",
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an application without waiting", kind: OpenApplication, args: args("app_name", "editor", "wait_for_window", false), result: map[string]any{"verified": false},
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an address of which nothing shows", kind: OpenURL, args: args("url", "https://example.org"), journal: []string{"open https://example.org"},
			acted: ActedYes, result: map[string]any{"verified": false}, took: settleFor,
		},
		{
			say: "an address that opens a window", kind: OpenURL, args: args("url", "https://example.org"), acted: ActedYes, result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Open(fake.Window("Example", "browser").At(50, 50, 100, 100)) })
			},
			check: func(t *testing.T, _ *fake.Desktop, o Outcome) {
				if w, _ := o.Result["window"].(map[string]any); w["title"] != "Example" {
					t.Errorf("the window is %v", w)
				}
			},
		},
		{
			say: "an address that opens in a window that is there", kind: OpenURL, args: args("url", "https://example.org"), result: map[string]any{"verified": true},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() {
					d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Name, e.WindowTitle = "Example", "Example" })
				})
			},
		},
		{
			say: "an address that nothing opens, as is heard late", kind: OpenURL, args: args("url", "nothing:x"), code: NotActionable, err: "refused",
			set: func(d *fake.Desktop) {
				d.Delay("OpenURL", 5*time.Second)
				d.Fail("OpenURL", desktop.ErrRefused, 1)
			},
		},
		{say: "not an address", kind: OpenURL, args: args("url", "example"), code: Invalid},
		{say: "the clipboard", kind: SetClipboard, args: args("text", "x"), journal: []string{`clipboard "x"`}, result: map[string]any{"verified": true}, acted: ActedYes},
		{say: "what is on the clipboard", kind: GetClipboard, args: args(), result: map[string]any{"text": ""}, acted: ActedNo},
		{
			say: "a clipboard that is missing", kind: SetClipboard, args: args("text", "x"), code: Unavailable, acted: ActedNo,
			set: func(d *fake.Desktop) {
				d.Fail("WriteClipboard", &desktop.MissingError{What: "no xclip", Mend: "apt-get install xclip"}, -1)
			},
		},
	} {
		p.run(t)
	}
}

func TestTreeAndRefs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		trees := &Trees{}
		run := func(k Kind, a map[string]any) Outcome {
			env := seeing(d)
			env.Trees = trees
			return k.Run(t.Context(), env, a)
		}
		o := run(GetWindowTree, args("process", "notes"))
		tree, _ := o.Result["ui_tree"].(string)
		if o.Err != nil || !strings.Contains(tree, `- button "Save" [ref=e6]`) || o.Result["shown"] != 10.0 || o.Result["omitted"] != 0.0 {
			t.Fatalf("%v: %v", o.Err, o.Result)
		}
		if o := run(ClickElement, args("ref", "e6", "restore_cursor", false)); o.Err != nil || o.Result["at"].(map[string]any)["y"] != 142.0 {
			t.Errorf("a click by its ref: %+v", o)
		}
		if o := run(ClickElement, args("selector", "ref=e5")); o.Err != nil {
			t.Errorf("a ref as a selector: %v", o.Err)
		}
		began := time.Now()
		if o := run(ClickElement, args("ref", "e99", "timeout_ms", 100.0)); time.Since(began) > 0 || code(o) != NotFound || !strings.Contains(o.Err.Error(), "no tree that was shown has the ref e99") {
			t.Errorf("an unknown ref: %v", o.Err)
		}
		d.Remove(d.Find("name:Save"))
		if o := run(ClickElement, args("ref", "e6", "timeout_ms", 100.0)); code(o) != NotFound || !strings.Contains(o.Err.Error(), "stale") {
			t.Errorf("a stale ref: %v", o.Err)
		}
		if o := run(GetWindowTree, args("title", "nope")); code(o) != NotFound {
			t.Errorf("no window: %v", o.Err)
		}
		if o := run(GetWindowTree, args("tree_from_selector", "role:slider", "tree_output_format", "verbose_json")); o.Err != nil || !strings.Contains(o.Result["ui_tree"].(string), `"now": 3`) || o.Result["shown"] != 1.0 {
			t.Errorf("a part as JSON: %v %v", o.Err, o.Result)
		}
		if o := run(GetWindowTree, args("max_elements", 3.0)); o.Result["omitted"].(float64) < 6 {
			t.Errorf("few elements: %v", o.Result)
		}
	})
}

// samples are arguments that each kind takes, such that it has something to
// wait for.
var samples = map[string]map[string]any{
	"get_applications_and_windows_list": {}, "get_window_tree": {}, "capture_screenshot": {}, "validate_element": args("selector", "name:x"),
	"wait_for_element": args("selector", "name:x", "timeout_ms", 60000.0), "click_element": args("selector", "name:x", "timeout_ms", 60000.0),
	"invoke_element": args("selector", "name:x"), "hover_element": args("selector", "name:x"), "type_into_element": args("selector", "name:x", "text_to_type", "x"),
	"press_key": args("key", "a"), "set_value": args("selector", "name:x", "value", "1"), "set_selected": args("selector", "name:x", "state", true),
	"select_option": args("selector", "name:x", "option_name", "x"), "scroll_element": args("selector", "name:x"), "activate_element": args("selector", "name:x"),
	"highlight_element": args("selector", "name:x"), "stop_highlighting": {}, "press_key_global": args("key", "a"), "type_text": args("text", "x"),
	"key_down": args("key", "a"), "key_up": args("key", "a"), "mouse_move": args("x", 1.0, "y", 1.0), "mouse_down": {}, "mouse_up": {},
	"mouse_drag": args("start_x", 1.0, "start_y", 1.0, "end_x", 9.0, "end_y", 9.0), "scroll": {}, "open_application": args("app_name", "x"),
	"open_url": args("url", "http://x"), "activate_window": args("title", "x"), "close_window": args("title", "x"), "minimize_window": args("title", "x"),
	"maximize_window": args("title", "x"), "move_window": args("title", "x", "width", 9.0), "get_clipboard": {}, "set_clipboard": args("text", "x"),
	"find_image": args("image", "x.png"), "wait_for_image": args("image", "x.png"), "wait_for_idle": {}, "get_pixel_color": args("x", 1.0, "y", 1.0),
	"read_text": {}, "delay": args("duration", "1h"), "set_env": args("values", map[string]any{}), "assert": args("condition", true), "log": args("message", "x"),
	"fail": {}, "ask_user": args("question", "x"), "run_command": args("run", "sleep 60"), "read_file": args("path", "x"), "write_file": args("path", "x", "content", "x"),
	"edit_file": args("path", "x", "old_string", "a", "new_string", "b"), "copy_content": args("source_path", "x", "target_path", "y"),
	"glob_files": args("pattern", "**"), "grep_files": args("pattern", "x"),
}

// Every kind ends soon when it is told to, whether the desktop answers slowly
// or never shows what is wanted.
func TestEveryKindEndsWhenCancelled(t *testing.T) {
	for _, k := range All() {
		a, ok := samples[k.Name]
		if !ok {
			t.Errorf("%s: no sample of its arguments", k.Name)
			continue
		}
		for _, slow := range []time.Duration{0, time.Hour} {
			t.Run(fmt.Sprintf("%s/%s", k.Name, slow), func(t *testing.T) {
				if k.Name == "run_command" { // a process needs real time
					endsWhenCancelled(t, k, a, slow)
					return
				}
				synctest.Test(t, func(t *testing.T) { endsWhenCancelled(t, k, a, slow) })
			})
		}
	}
}

func endsWhenCancelled(t *testing.T, k Kind, a map[string]any, slow time.Duration) {
	const after = 300 * time.Millisecond
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	d.Delay("*", slow)
	env := seeing(d)
	env.Dir = t.TempDir()
	env.Roots, env.Environ = []string{env.Dir}, os.Environ()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(after, cancel)
	start := time.Now()
	o := k.Run(ctx, env, a)
	if late := time.Since(start) - after; late > 250*time.Millisecond {
		t.Errorf("it ended %s after it was cancelled", late)
	}
	if ctx.Err() != nil && code(o) != Cancelled {
		t.Errorf("got %v, want cancelled", o.Err)
	}
	if o.Abandoned {
		t.Error("it had to be abandoned")
	}
}

func TestFocusIsKeptForCallsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		say  string
		kind Kind
		args map[string]any
		want bool
	}{
		{"typing into an element gives the focus back", TypeIntoElement, args("selector", "role:entry", "text_to_type", "x"), true},
		{"unless that is not wanted", TypeIntoElement, args("selector", "role:entry", "text_to_type", "x", "restore_focus", false), false},
		{"a click is meant to move it", ClickElement, args("selector", "name:Save"), false},
		{"looking moves nothing", ValidateElement, args("selector", "name:Save"), false},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(notes)...)
				env := seeing(d)
				env.KeepFocus = true
				if o := c.kind.Run(t.Context(), env, c.args); o.Err != nil {
					t.Fatal(o.Err)
				}
				if got := d.Calls("RestoreFocus") == 1; got != c.want {
					t.Errorf("given back: %t, want %t", got, c.want)
				}
			})
		})
	}
}

func TestAStepsTimeoutTellsWhatWasWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o := ClickElement.Run(ctx, seeing(fake.New(fake.MustParse(notes)...)), args("selector", "name:Delete"))
		if code(o) != Timeout || !strings.Contains(o.Err.Error(), "is disabled") {
			t.Errorf("got %v, want a timeout that says that the button is disabled", o.Err)
		}
	})
}
