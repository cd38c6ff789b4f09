package kinds

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

func TestPointer(t *testing.T) {
	for _, p := range []play{
		{say: "a move", kind: MouseMove, args: args("x", 7.0, "y", 8.0), journal: []string{"move 7,8"}, acted: steps.ActedYes},
		{say: "a move off the screen", kind: MouseMove, args: args("x", -1.0, "y", 8.0), code: steps.NotActionable, acted: steps.ActedNo},
		{say: "a button that is held where the pointer is", kind: HoldButton, args: args("do", "down"), journal: []string{"button down left"}},
		{say: "a button that is let go elsewhere", kind: HoldButton, args: args("do", "up", "x", 1.0, "y", 2.0, "button", "right"), journal: []string{"move 1,2", "button up right"}},
		{say: "hovering", kind: HoverElement, args: args("selector", "name:Save", "duration_ms", 700.0), journal: []string{"move 50,142"}, took: 700 * time.Millisecond, result: map[string]any{"checked": "yes"}},
		{say: "scrolling where the pointer is", kind: Scroll, args: args("amount", 2.0, "direction", "up"), journal: []string{"move 0,0", "scroll 0,-2", "move 0,0"}},
		{say: "scrolling in an element", kind: ScrollElement, args: args("selector", "role:frame", "direction", "right"), journal: []string{"move 200,200", "scroll 3,0", "move 0,0"}, acted: steps.ActedYes},
		{
			say: "bringing an element into view", kind: ScrollElement, args: args("selector", "name:Save", "into_view", true), journal: []string{`reveal button "Save"`}, result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States &^= desktop.Showing })
			},
		},
		{
			say: "the pointer is put back from where the wheel does not turn", kind: Scroll, args: args("x", 50.0, "y", 50.0), code: steps.NotActionable, journal: []string{"move 50,50", "move 0,0"},
			set: func(d *fake.Desktop) { d.Fail("Scroll", desktop.ErrRefused, 1) },
		},
		{say: "a drag to the same point", kind: MouseDrag, args: args("start_x", 1.0, "start_y", 1.0, "end_x", 1.0, "end_y", 1.0), code: steps.Invalid},
		{say: "a drag by nothing", kind: MouseDrag, args: args("selector", "name:Save", "by_x", 0.0), code: steps.Invalid, err: "use click_element", acted: steps.ActedNo, journal: []string{}},
		{say: "a drag of an element onto itself", kind: MouseDrag, args: args("selector", "name:Save", "to_selector", "role:button && name:Save"), code: steps.Invalid, err: "use click_element", acted: steps.ActedNo, journal: []string{}},
		{
			say: "a drag", kind: MouseDrag, args: args("start_x", 10.0, "start_y", 10.0, "end_x", 130.0, "end_y", 70.0), acted: steps.ActedYes,
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				j := d.Journal()
				if len(j) != 15 || j[0] != "move 10,10" || j[1] != "button down left" || j[13] != "move 130,70" || j[14] != "button up left" {
					t.Errorf("journal %q", j)
				}
			},
		},
		{say: "a click in a window", kind: ClickElement, args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), journal: []string{"click 30,40 left"}, acted: steps.ActedYes},
		{
			say: "a click in a window that is elsewhere", kind: ClickElement, args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Do(context.Background(), desktop.Manage{Window: w[0].ID, Do: desktop.Place, Bounds: desktop.Rect{X: 100, Y: 200, W: 400, H: 400}})
			},
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				if j := d.Journal(); !slices.Contains(j, "click 130,240 left") {
					t.Errorf("journal %q", j)
				}
			},
		},
		{
			say: "a click in a window that moves just before", kind: ClickElement, args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true), acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				d.Delay("PointerPosition", 10*time.Millisecond)
				d.After(5*time.Millisecond, func() {
					manage(d, "Notes", desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 100, Y: 200, W: 400, H: 400}})
				})
			},
			result: map[string]any{"at": map[string]any{"x": 130.0, "y": 240.0}},
		},
		{
			say: "a click on a window over which another comes just before", kind: ClickElement, args: args("x", 30.0, "y", 300.0, "expect_window", "Notes"),
			set: func(d *fake.Desktop) {
				d.Delay("PointerPosition", 10*time.Millisecond)
				d.After(5*time.Millisecond, func() { d.Open(fake.Window("Other", "other").At(0, 200, 400, 400)) })
			},
			code: steps.NotActionable, err: `the window "Notes" is not at 30,300`, acted: steps.ActedNo, journal: []string{},
		},
		{
			say: "a click in a window that is maximized first", kind: ClickElement, acted: steps.ActedYes,
			args: args("process", "notes", "x", 30.0, "y", 40.0, "in_window", true, "maximize_target", true, "restore_cursor", false),
			set: func(d *fake.Desktop) {
				manage(d, "Notes", desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 100, Y: 200, W: 400, H: 400}})
			},
			result: map[string]any{"at": map[string]any{"x": 30.0, "y": 40.0}},
		},
		{say: "a click in the active window", kind: ClickElement, args: args("x", 30.0, "y", 40.0, "in_window", true, "restore_cursor", false), journal: []string{"click 30,40 left"}, acted: steps.ActedYes},
		{say: "a click beside a window", kind: ClickElement, args: args("x", 3000.0, "y", 40.0, "in_window", true, "timeout_ms", 100.0), code: steps.NotActionable, acted: steps.ActedNo},
		{say: "a click in the window of nobody", kind: ClickElement, args: args("process", "nobody", "x", 3.0, "y", 4.0, "in_window", true, "timeout_ms", 100.0), code: steps.NotFound, acted: steps.ActedNo},
		{say: "a click at a place, when nothing is found", kind: ClickElement, args: args("process", "notes", "selector", "name:Nope", "fallback_selectors", "name:Never", "fallback_point", map[string]any{"x": 30.0, "y": 40.0}, "timeout_ms", 100.0, "restore_cursor", false), journal: []string{"click 30,40 left"}, result: map[string]any{"at": map[string]any{"x": 30.0, "y": 40.0}, "by_point": true}, acted: steps.ActedYes, logged: "nothing was found, so fallback_point was clicked"},
		{say: "a click at a place, when one is found", kind: ClickElement, args: args("process", "notes", "selector", "name:Save", "fallback_point", map[string]any{"x": 30.0, "y": 40.0}, "restore_cursor", false), journal: []string{"click 50,142 left"}, acted: steps.ActedYes},
		{say: "a click at a place outside of the window", kind: ClickElement, args: args("process", "notes", "selector", "name:Nope", "fallback_point", map[string]any{"x": 3000.0, "y": 40.0}, "timeout_ms", 100.0), code: steps.NotActionable, err: "outside of the window", acted: steps.ActedNo},
		{say: "a click at a place, when two are found", kind: ClickElement, args: args("process", "notes", "selector", "role:button", "fallback_point", map[string]any{"x": 30.0, "y": 40.0}, "timeout_ms", 100.0), code: steps.Ambiguous, acted: steps.ActedNo},
		{say: "a click at a place only", kind: ClickElement, args: args("process", "notes", "fallback_point", map[string]any{"x": 3.0, "y": 4.0}), code: steps.Invalid},
		{say: "a click nowhere in a window", kind: ClickElement, args: args("selector", "name:Save", "in_window", true), code: steps.Invalid},
		{
			say: "a rest on one that moves while it is framed", kind: HoverElement, acted: steps.ActedYes,
			args: args("selector", "name:Save", "highlight_before_action", true),
			set: func(d *fake.Desktop) {
				d.After(300*time.Millisecond, func() {
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y += 200 })
				})
			},
			result: map[string]any{"at": map[string]any{"x": 50.0, "y": 342.0}},
		},
		{
			say: "the wheel over one that moves while it is framed", kind: ScrollElement, acted: steps.ActedYes,
			args: args("selector", "name:Save", "highlight_before_action", true),
			set: func(d *fake.Desktop) {
				d.After(300*time.Millisecond, func() {
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y += 200 })
				})
			},
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				if j := d.Journal(); !slices.Contains(j, "move 50,342") {
					t.Errorf("journal %q", j)
				}
			},
		},
		{
			say: "a drag from one element to another", kind: MouseDrag, acted: steps.ActedYes, check: drags("move 50,142", "move 140,202"),
			args: args("selector", "name:Save", "to_selector", "name:Large"),
		},
		{
			say: "a drag of one that moves while the end is waited for", kind: MouseDrag, acted: steps.ActedYes, check: drags("move 50,342", "move 340,202"),
			args: args("selector", "name:Save", "to_selector", "name:New"),
			set: func(d *fake.Desktop) {
				d.After(300*time.Millisecond, func() {
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y += 200 })
				})
				d.After(500*time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(300, 190, 80, 24)) })
			},
		},
		{
			say: "a drag in a window that moves while the end is waited for", kind: MouseDrag, acted: steps.ActedYes,
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				if j := d.Journal(); slices.Index(j, "move 130,240")+1 != slices.Index(j, "button down left") || slices.Contains(j, "move 30,40") {
					t.Errorf("journal %q", j)
				}
			},
			args: args("process", "notes", "start_x", 30.0, "start_y", 40.0, "in_window", true, "to_selector", "name:New"),
			set: func(d *fake.Desktop) {
				d.After(300*time.Millisecond, func() {
					manage(d, "Notes", desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 100, Y: 200, W: 400, H: 400}})
				})
				d.After(500*time.Millisecond, func() { d.Add(d.Find("role:frame"), fake.Button("New").At(300, 190, 80, 24)) })
			},
		},
		{
			say: "a drag to a place in another element", kind: MouseDrag, acted: steps.ActedYes, check: drags("move 18,148", "move 120,196"),
			args: args("selector", "name:Save", "start_position", within(10, 75), "to_selector", "name:Large", "end_position", within(25, 25)),
		},
		{
			say: "a drag inside an element", kind: MouseDrag, acted: steps.ActedYes, check: drags("move 50,142", "move 70,136"),
			args: args("selector", "name:Save", "end_position", within(75, 25)),
		},
		{
			say: "a drag by a way", kind: MouseDrag, acted: steps.ActedYes, check: drags("move 50,142", "move 20,142"),
			args: args("selector", "name:Save", "by_x", -30.0),
		},
		{say: "a drag of what is disabled", kind: MouseDrag, args: args("selector", "name:Delete", "by_x", 9.0, "timeout_ms", 100.0), code: steps.NotActionable, acted: steps.ActedNo},
		{say: "a drag to what is not there", kind: MouseDrag, args: args("selector", "name:Save", "to_selector", "name:Nothing", "timeout_ms", 100.0), code: steps.NotFound, acted: steps.ActedNo},
		{say: "a drag without a start", kind: MouseDrag, args: args("end_x", 1.0, "end_y", 1.0), code: steps.Invalid},
		{say: "a drag without an end", kind: MouseDrag, args: args("selector", "name:Save"), code: steps.Invalid},
		{say: "a drag with two ends", kind: MouseDrag, args: args("selector", "name:Save", "by_x", 9.0, "to_selector", "name:Large"), code: steps.Invalid},
		{say: "a drag with two starts", kind: MouseDrag, args: args("selector", "name:Save", "start_x", 1.0, "start_y", 1.0, "start_position", within(1, 1), "by_x", 9.0), code: steps.Invalid},
		{say: "a drag with half a start", kind: MouseDrag, args: args("start_x", 1.0, "by_x", 9.0), code: steps.Invalid},
		{say: "a drag with half an end", kind: MouseDrag, args: args("selector", "name:Save", "end_x", 9.0), code: steps.Invalid},
		{say: "a drag to a place in nothing", kind: MouseDrag, args: args("start_x", 1.0, "start_y", 1.0, "end_position", within(1, 1)), code: steps.Invalid},
		{say: "a drag to a place outside", kind: MouseDrag, args: args("selector", "name:Save", "end_position", within(1, 101)), code: steps.Invalid},
		{
			say: "a drag that fails lets go", kind: MouseDrag, args: args("start_x", 10.0, "start_y", 10.0, "end_x", 130.0, "end_y", 70.0), code: steps.Internal, acted: steps.ActedMaybe,
			set: func(d *fake.Desktop) {
				d.After(55*time.Millisecond, func() { d.Fail("MovePointer", errors.New("boom"), 1) })
			},
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
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
func drags(from, to string) func(*testing.T, *fake.Desktop, steps.Outcome) {
	return func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
		j := d.Journal()
		if len(j) < 4 || j[0] != from || j[1] != "button down left" || j[len(j)-2] != to || j[len(j)-1] != "button up left" {
			t.Errorf("journal %q, wanted a drag from %s to %s", j, from, to)
		}
	}
}
