package kinds

import (
	"context"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
)

// nearTo has clicks near a point wait so as not to count as a double click.
func nearTo(x, y int) func(desktop.Click) time.Duration {
	return func(c desktop.Click) time.Duration {
		if max(c.At.X-x, x-c.At.X, c.At.Y-y, y-c.At.Y) <= 10 {
			return 400 * time.Millisecond
		}
		return 0
	}
}

func TestClickElement(t *testing.T) {
	cover := func(d *fake.Desktop) { d.Open(fake.Window("Cover", "other").At(0, 0, 400, 400)) }
	tip := func(stays bool) func(*fake.Desktop) {
		return func(d *fake.Desktop) { d.Open(fake.Window("", "notes").At(30, 135, 60, 20).Tooltip(stays)) }
	}
	for _, p := range []play{
		{
			say:  "a click on an element, in its middle, and the pointer is put back",
			args: args("selector", "role:button && name:Save"), journal: []string{"click 50,142 left", "move 0,0"}, acted: steps.ActedYes,
			result: map[string]any{"at": map[string]any{"x": 50.0, "y": 142.0}},
		},
		{
			say:  "the pointer is where it clicked when a context menu opens, which many applications open at the pointer",
			args: args("selector", "name:Save", "button", "right"), acted: steps.ActedYes, took: 200 * time.Millisecond,
			set: func(d *fake.Desktop) {
				d.After(200*time.Millisecond, func() {
					at, _ := d.Desktop().PointerPosition(context.Background())
					d.Open(fake.Window("", "notes").At(at.X, at.Y, 60, 90).Popup(true))
				})
			},
			journal: []string{"click 50,142 right", "move 0,0"},
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				windows, err := d.Desktop().Windows(t.Context())
				if menu := windows[len(windows)-1]; err != nil || menu.Bounds.X != 50 || menu.Bounds.Y != 142 {
					t.Errorf("the menu is at %v: %v", menu.Bounds, err)
				}
			},
		},
		{
			say:  "where no context menu opens, the pointer is put back all the same",
			args: args("selector", "name:Save", "button", "right"), acted: steps.ActedYes, journal: []string{"click 50,142 right", "move 0,0"},
		},
		{
			say: "a button of a dialog of Chromium, once it takes clicks", args: args("selector", "name:OK", "restore_cursor", false), took: 600 * time.Millisecond, journal: []string{"click 50,142 left"},
			screen: `
- frame "Shop" [process=chromium] [at=0,0,400,400]
  - dialog "This page says" [at=10,100,200,100]
    - button "OK" [class=MdTextButton] [at=10,130,80,24]
`,
		},
		{say: "the pointer stays when that is wanted", args: args("selector", "name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}},
		{
			say: "a button that was clicked just before, at a place where this is no double click", args: args("selector", "name:Save", "restore_cursor", false),
			set:     func(d *fake.Desktop) { d.Rest(nearTo(50, 142)) },
			journal: []string{"click 62,142 left"},
		},
		{
			say: "a button without room for that, after a rest", args: args("selector", "name:OK", "restore_cursor", false), took: 400 * time.Millisecond,
			set:     func(d *fake.Desktop) { d.Rest(nearTo(20, 140)) },
			screen:  "\n- frame \"Shop\" [process=shop] [at=0,0,400,400]\n  - button \"OK\" [at=10,130,20,20]\n",
			journal: []string{"click 20,140 left"},
		},
		{
			say: "a narrow button, whose side may be an arrow that opens a menu, after a rest", args: args("selector", "name:Undo", "restore_cursor", false), took: 400 * time.Millisecond,
			set:     func(d *fake.Desktop) { d.Rest(nearTo(30, 142)) },
			screen:  "\n- frame \"Shop\" [process=shop] [at=0,0,400,400]\n  - button \"Undo\" [at=10,130,40,24]\n",
			journal: []string{"click 30,142 left"},
		},
		{say: "a double click", args: args("selector", "name:Save", "click_type", "double", "restore_cursor", false), journal: []string{"click 50,142 left x2"}},
		{say: "a click in a corner", args: args("selector", "name:Save", "click_position", args("x_percentage", 100.0, "y_percentage", 0.0), "restore_cursor", false), journal: []string{"click 89,130 left"}},
		{
			say: "a click with keys held", args: args("selector", "name:Save", "modifiers", []any{"ctrl", "shift"}, "restore_cursor", false),
			journal: []string{"key down ctrl", "key down shift", "click 50,142 left", "key up shift", "key up ctrl"},
		},
		{say: "a point", args: args("x", 5.0, "y", 6.0, "button", "right", "restore_cursor", false), journal: []string{"click 5,6 right"}, acted: steps.ActedYes},
		{say: "a point that is not on the screen", args: args("x", 5000.0, "y", 6.0), code: steps.NotActionable, acted: steps.ActedNo, journal: []string{}},
		{say: "half a point", args: args("x", 5.0), code: steps.Invalid},
		{say: "a point and an element", args: args("x", 5.0, "y", 5.0, "selector", "name:Save"), code: steps.Invalid},
		{say: "nothing to click", args: args(), code: steps.Invalid, err: "nothing names what to click"},
		{say: "a key that is held and types", args: args("selector", "name:Save", "modifiers", []any{"ctrl", "a"}), code: steps.Invalid, err: `wanted ctrl, shift, alt, altgr or super, found "a"`, acted: steps.ActedNo, journal: []string{}},
		{say: "a ref and a selector", args: args("selector", "name:Save", "ref", "e1"), code: steps.Invalid, err: "found both", acted: steps.ActedNo},
		{say: "a point where a window is", args: args("x", 50.0, "y", 60.0, "expect_window", "Note"), result: map[string]any{"on": `window "Notes" of notes`}, acted: steps.ActedYes},
		{say: "a point where no window is", args: args("x", 900.0, "y", 700.0), result: map[string]any{"on": "desktop"}, acted: steps.ActedYes},
		{
			say: "a point where another window is expected", args: args("x", 900.0, "y", 700.0, "expect_window", "Notes"), code: steps.NotActionable, acted: steps.ActedNo, journal: []string{},
			err: `expect_window: wanted a window with "Notes" in its title at 900,700, found the desktop`,
		},
		{say: "only an application", args: args("process", "notes"), result: map[string]any{"checked": nil}},
		{say: "a selector that cannot be read", args: args("selector", "role:"), code: steps.Invalid, err: "selector"},
		{
			say: "an element that is not there", args: args("selector", "name:Sav"), code: steps.NotFound, err: "after waiting 3s: nothing matches", acted: steps.ActedNo, took: 3 * time.Second,
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if len(o.Err.Candidates) < 2 || o.Err.Candidates[1].Selector == "" {
					t.Errorf("candidates %+v, want what may have been meant", o.Err.Candidates)
				}
			},
		},
		{
			say: "an element behind a dialog that nobody expected", args: args("selector", "name:Wxyz"), code: steps.NotFound,
			set: func(d *fake.Desktop) {
				d.Open(fake.Dialog("Question", "notes", fake.Label("Restore the last session?"), fake.Button("No"), fake.Button("Yes")).At(50, 50, 200, 100))
			},
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				want := `a dialog is open: dialog "Question" ("Restore the last session?") with the buttons "No", "Yes"; if it is in the way, answer it first`
				if !strings.HasPrefix(o.Err.Next, want) {
					t.Errorf("next: %s\nwant: %s", o.Err.Next, want)
				}
			},
		},
		{
			say: "an element behind a message without buttons", args: args("selector", "name:Wxyz"), code: steps.NotFound,
			set: func(d *fake.Desktop) {
				d.Open(fake.Dialog("Error", "notes", fake.Label("It is a directory.")).At(50, 50, 200, 100))
			},
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				want := `a dialog is open: dialog "Error" ("It is a directory.") without a button (press escape, or close its window); `
				if !strings.HasPrefix(o.Err.Next, want) {
					t.Errorf("next: %s\nwant: %s", o.Err.Next, want)
				}
			},
		},
		{
			say: "an element of a process that is not open", args: args("selector", "process:excel >> name:Save"), code: steps.NotFound,
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if !strings.Contains(o.Err.Next, "is not open on this desktop") || !strings.Contains(o.Err.Next, "open are notes") {
					t.Errorf("next: %s", o.Err.Next)
				}
			},
		},
		{say: "two that match", args: args("selector", "role:button"), code: steps.Ambiguous, acted: steps.ActedNo},
		{
			say: "a cell and the words in it", args: args("selector", "name:Tuesday"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				cell := fake.El("cell", "Tuesday", fake.Label("Tuesday").At(200, 200, 50, 20)).At(200, 200, 50, 20)
				d.Add(d.Find("role:frame"), fake.El("table", "", cell).At(200, 200, 100, 100))
			},
		},
		{
			say: "an item and the words in it after a bullet", args: args("selector", "name:alpha"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				item := fake.El("listitem", "alpha", fake.Label("•").At(200, 200, 5, 20), fake.Label("alpha").At(205, 200, 45, 20)).At(200, 200, 50, 20)
				d.Add(d.Find("role:frame"), fake.El("list", "", item).At(200, 200, 100, 100))
			},
		},
		{
			say: "a cell, part of which takes up no room", args: args("selector", "role:cell && name:Trash"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				cell := fake.El("cell", "", fake.El("cell", "Trash"), fake.El("cell", "Trash").At(220, 200, 30, 20)).At(200, 200, 50, 20)
				d.Add(d.Find("role:frame"), fake.El("table", "", cell).At(200, 200, 100, 100))
			},
		},
		{say: "one that is disabled", args: args("selector", "name:Delete"), code: steps.NotActionable, err: "is disabled", acted: steps.ActedNo},
		{
			say: "one that becomes enabled in time", args: args("selector", "name:Delete"), acted: steps.ActedYes, took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Set(d.Find("name:Delete"), func(e *desktop.Element) { e.States |= desktop.Enabled }) })
			},
		},
		{
			say: "one that appears in time", args: args("selector", "name:New"), acted: steps.ActedYes, took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(200, 200, 50, 20)) })
			},
		},
		{
			say: "one without room", args: args("selector", "name:Save"), code: steps.NotActionable, err: "is not visible",
			set: func(d *fake.Desktop) {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds = desktop.Rect{} })
			},
		},
		{
			say: "one that never stands still", args: args("selector", "name:Save"), code: steps.NotActionable, err: "moves", acted: steps.ActedNo,
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
			say: "an application that takes longer to answer once than there is time", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Delay("Tree", 4*time.Second) },
		},
		{
			say: "an application that does not answer at all", args: args("selector", "name:Save"), code: steps.Timeout, err: "did not answer within 30s: reading the elements", acted: steps.ActedNo, took: aim.TryTimeout,
			set: func(d *fake.Desktop) { d.Delay("Tree", time.Hour) },
		},
		{
			say: "an application that is slow each time, and not done when it is looked at first", args: args("selector", "name:New"), acted: steps.ActedYes, took: 3 * time.Second,
			set: func(d *fake.Desktop) {
				d.Delay("Tree", time.Second)
				d.After(2500*time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(200, 200, 50, 20)) })
			},
		},
		{
			say: "what is there when the time is over", args: args("selector", "name:New"), acted: steps.ActedYes, took: 3 * time.Second,
			set: func(d *fake.Desktop) {
				d.After(3*time.Second-time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(200, 200, 50, 20)) })
			},
		},
		{
			say: "a window that moves just before the click is followed", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() {
					manage(d, "Notes", desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 300, Y: 200}})
				})
			},
			journal: []string{`place "Notes"`, "click 350,342 left", "move 0,0"},
		},
		{
			say: "an element that moves in its window just before the click is followed", args: args("selector", "name:Save", "restore_cursor", true), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() { d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y = 300 }) })
			},
			journal: []string{"click 50,312 left", "move 0,0"},
		},
		{
			say: "a window that comes in between just before the click is not clicked", args: args("selector", "name:Save", "bring_to_front", false, "timeout_ms", 500.0),
			set: func(d *fake.Desktop) { lateness(d, func() { cover(d) }) }, code: steps.NotActionable, err: "is covered by the window", acted: steps.ActedNo, journal: []string{},
		},
		{
			say: "a tooltip gives way to the pointer", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: tip(false), journal: []string{"move 50,142", "click 50,142 left", "move 0,0"},
		},
		{
			say: "so does one that does not say that it is one", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Open(fake.Window("", "notes").At(30, 135, 60, 20).Popup(false)) }, journal: []string{"move 50,142", "click 50,142 left", "move 0,0"},
		},
		{
			say: "a popup that stays may be what the element is in", args: args("selector", "name:Save"), acted: steps.ActedYes, took: aim.PopupTimeout,
			set: func(d *fake.Desktop) {
				d.Open(fake.Window("", "notes").At(30, 135, 60, 20).Popup(true))
				d.Fail("ElementAt", desktop.ErrNotFound, -1)
			},
			journal: []string{"move 50,142", "click 50,142 left", "move 0,0"},
		},
		{
			say: "also where a point is clicked", args: args("x", 50.0, "y", 142.0), acted: steps.ActedYes,
			set: tip(false), journal: []string{"move 50,142", "click 50,142 left", "move 0,0"},
		},
		{
			say: "a tooltip that stays gets no click", args: args("selector", "name:Save"), acted: steps.ActedNo, code: steps.NotActionable, err: "a tooltip lies over 50,142",
			set: tip(true), journal: []string{"move 50,142"},
		},
		{
			say: "an element that is replaced just before the click is found again", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				lateness(d, func() {
					d.Remove(d.Find("name:Save"))
					d.Add(d.Find("role:frame"), fake.Button("Save").At(200, 300, 50, 20))
				})
			},
			journal: []string{"click 225,310 left", "move 0,0"},
		},
		{
			say: "one that is disabled in the last moment", args: args("selector", "name:Save", "timeout_ms", 24.0), code: steps.NotActionable, err: "is disabled", acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				d.After(10*time.Millisecond, func() { d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Enabled }) })
			},
		},
		{
			say: "one that another is put over in the last moment", args: args("selector", "name:Save", "timeout_ms", 24.0), code: steps.NotActionable, err: "is covered by", acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				d.After(10*time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("Over it").At(0, 120, 200, 50)) })
			},
		},
		{
			say: "one in whose place another page shows another, while the click waits so that it is no double click", args: args("selector", "name:Save", "timeout_ms", 100.0),
			set: func(d *fake.Desktop) {
				d.Rest(func(desktop.Click) time.Duration { return 400 * time.Millisecond })
				d.After(200*time.Millisecond, func() {
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Showing })
					d.Add(d.Find("role:frame"), fake.Button("Delete all").At(10, 130, 80, 24))
				})
			},
			code: steps.NotFound, acted: steps.ActedNo, journal: []string{},
		},
		{
			say: "one that is disabled while the click waits", args: args("selector", "name:Save", "timeout_ms", 100.0), code: steps.NotActionable, err: "is disabled", acted: steps.ActedNo, journal: []string{},
			set: func(d *fake.Desktop) {
				d.Rest(func(desktop.Click) time.Duration { return 400 * time.Millisecond })
				d.After(200*time.Millisecond, func() { d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Enabled }) })
			},
		},
		{
			say: "one that moves its own window", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.X += 40 }) })
			},
		},
		{
			say: "one whose window moves on and on", args: args("selector", "name:Save", "timeout_ms", 24.0), code: steps.NotActionable, err: "moves", acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				for at := 10 * time.Millisecond; at < time.Second; at += 10 * time.Millisecond {
					d.After(at, func() { d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.X += 4 }) })
				}
			},
		},
		{say: "a covered window comes to the front first", args: args("selector", "name:Save", "restore_cursor", false), set: cover, journal: []string{`activate "Notes"`, "click 50,142 left"}},
		{
			say: "a minimized window comes back", args: args("selector", "name:Save", "process", "notes", "restore_cursor", false), journal: []string{`activate "Notes"`, "click 50,142 left"},
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Do(context.Background(), desktop.Manage{Window: w[0].ID, Do: desktop.Minimize})
			},
		},
		{say: "the focus is given back when that is asked", args: args("selector", "name:Save", "restore_focus", true, "restore_cursor", false), journal: []string{"click 50,142 left", "restore focus"}},
		{say: "a covered window that must stay where it is", args: args("selector", "name:Save", "bring_to_front", false), set: cover, code: steps.NotActionable, err: `covered by the window "Cover"`, acted: steps.ActedNo},
		{
			say: "an element behind another of its window", args: args("selector", "name:Save"), code: steps.NotActionable, err: "is covered by panel", acted: steps.ActedNo,
			set: func(d *fake.Desktop) { d.Add(d.Find("role:frame"), fake.El("panel", "Veil").At(0, 0, 400, 400)) },
		},
		{say: "alternatives: the first that matches one", args: args("selector", "name:Nope", "alternative_selectors", "role:button, name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}, result: map[string]any{"matched": "by name:Save, as name:Nope matched 0 elements"}},
		{say: "targets", args: args("targets", []any{"name:Nope", "name:Save"}, "restore_cursor", false), journal: []string{"click 50,142 left"}},
		{say: "fallbacks come after the time is over", args: args("selector", "name:Nope", "fallback_selectors", "name:Save", "restore_cursor", false), journal: []string{"click 50,142 left"}, took: 3 * time.Second, logged: "only a fallback found the element: button", result: map[string]any{"matched": `by a fallback, button "Save" in "Notes", as its own selectors found nothing`}},
		{say: "a fallback is for what is not found, not for what is disabled", args: args("selector", "name:Delete", "fallback_selectors", "name:Save"), code: steps.NotActionable, err: "is disabled", acted: steps.ActedNo, journal: []string{}},
		{say: "more tries mean more time", args: args("selector", "name:Nope", "retries", 2.0), code: steps.NotFound, took: 9 * time.Second},
		{say: "only in the application that is named", args: args("selector", "name:Save", "process", "other", "timeout_ms", 100.0), code: steps.NotFound},
		{say: "only in the window that is named", args: args("selector", "name:Save", "process", "notes", "window_selector", "role:frame && name:Notes"), acted: steps.ActedYes},
		{
			say: "a menu that hangs in a window of its own", args: args("selector", "name:Open"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				d.Add(d.Find("role:frame"), fake.El("menuitem", "Open").At(20, 300, 100, 20))
				d.Open(fake.Window("", "notes").At(0, 280, 150, 100))
				d.Fail("ElementAt", desktop.ErrNotFound, -1)
			},
		},
		{
			say: "a dialog of the same program in front", args: args("selector", "name:Save", "bring_to_front", false), code: steps.NotActionable, err: "is blocked by the dialog", acted: steps.ActedNo,
			set: func(d *fake.Desktop) { d.Open(fake.Dialog("Sure?", "notes").At(0, 0, 400, 400)) },
		},
		{
			say: "a dialog beside what it blocks", args: args("selector", "name:Save", "bring_to_front", false), code: steps.NotActionable, err: `is blocked by the dialog "Sure?"`, acted: steps.ActedNo,
			set: func(d *fake.Desktop) { d.Open(fake.Dialog("Sure?", "notes").At(500, 500, 100, 100)) },
		},
		{
			say: "a checkbox that does not turn", args: args("selector", "name:Urgent"), code: steps.Unexpected, err: `checkbox "Urgent" in "Notes" did not change: it is still off`, acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("name:Urgent")
				n.OnClick(func() { d.Set(n, func(e *desktop.Element) { e.States &^= desktop.Checked }) })
			},
		},
		{say: "a checkbox is read back", args: args("selector", "name:Urgent"), result: map[string]any{"checked": "yes"}},
		{
			say: "what must come of it comes", args: args("selector", "name:Save", "verify_element_exists", "name:Saved"), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Label("Saved")) }) })
			},
		},
		{say: "what must come of it does not come", args: args("selector", "name:Save", "verify_element_exists", "name:Saved"), code: steps.Unexpected, err: "the action was done", acted: steps.ActedYes, took: 2 * time.Second},
		{
			say: "what must come elsewhere", args: args("selector", "name:Save", "verify_element_exists", "process:other >> role:frame"), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.Find("name:Save").OnClick(func() { d.Open(fake.Window("Other", "other")) })
			},
		},
		{
			say: "a point, and what came of it in the window there", args: args("x", 110.0, "y", 112.0, "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": true},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other").At(600, 0, 100, 100)) },
		},
		{say: "what must go stays", args: args("selector", "name:Save", "verify_element_not_exists", "name:Urgent"), code: steps.Unexpected, acted: steps.ActedYes},
		{
			say: "what must go is not known to be gone", args: args("x", 1.0, "y", 1.0, "verify_element_not_exists", "name:Urgent"), code: steps.Unexpected, err: "did not answer",
			set: func(d *fake.Desktop) { d.Freeze("notes") },
		},
		{
			say: "what it changed", args: args("selector", "name:Urgent", "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": true},
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if diff := o.Result["ui_diff"].(string); !strings.Contains(diff, "checked false → true") {
					t.Errorf("the diff is %q", diff)
				}
			},
		},
		{say: "it changed nothing", args: args("selector", "role:label", "ui_diff_before_after", true), result: map[string]any{"has_ui_changes": false}},
		{
			say: "the tree afterwards", args: args("selector", "name:Urgent", "include_tree_after_action", true),
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if tree := o.Result["ui_tree"].(string); !strings.Contains(tree, `checkbox "Urgent" [ref=e5] [focused] [checked]`) && !strings.Contains(tree, `checkbox "Urgent"`) {
					t.Errorf("the tree is %s", tree)
				}
			},
		},
		{
			say: "a window that closes with the click is no failure", args: args("selector", "name:Save", "include_tree_after_action", true, "ui_diff_before_after", true), acted: steps.ActedYes,
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
			say: "a click whose answer was lost leaves doubt", args: args("selector", "name:Save"), code: steps.Timeout, acted: steps.ActedMaybe,
			set: func(d *fake.Desktop) { d.FailAfter("Click", desktop.ErrUnresponsive, 1) },
		},
		{
			say: "a display that is missing", args: args("selector", "name:Save"), code: steps.Unavailable, acted: steps.ActedNo, err: "to fix it",
			set: func(d *fake.Desktop) { d.Fail("Tree", &desktop.MissingError{What: "no display", Mend: "xvfb"}, -1) },
		},
		{
			say: "an application that does not answer at first", args: args("selector", "name:Save"), acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Fail("Tree", desktop.ErrUnresponsive, 2) },
		},
	} {
		p.kind = ClickElement
		p.run(t)
	}
}
