package kinds

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/observe"
)

func TestLooking(t *testing.T) {
	for _, p := range []play{
		{
			say: "what is there", kind: ValidateElement, args: args("selector", "role:entry"), acted: steps.ActedNo,
			result: map[string]any{"exists": true, "matches": 1.0, "visible": true, "enabled": true, "focused": false, "text": "Monday"},
		},
		{say: "what is not there is no failure", kind: ValidateElement, args: args("selector", "name:Nope"), result: map[string]any{"exists": false, "matches": 0.0}},
		{say: "what is there more than once", kind: ValidateElement, args: args("selector", "role:button"), result: map[string]any{"exists": true, "matches": 2.0}},
		{say: "what may be there is a failure", kind: ValidateElement, args: args("selector", "name:Nope"), code: steps.Timeout, set: func(d *fake.Desktop) { d.Freeze("notes") }},
		{say: "waiting for what is there", kind: WaitForElement, args: args("selector", "name:Save"), result: map[string]any{"waited_ms": 0.0}},
		{
			say: "waiting for what comes", kind: WaitForElement, args: args("selector", "name:New", "timeout_ms", 5000.0), took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New")) })
			},
		},
		{
			say: "waiting longer than can be counted", kind: WaitForElement, args: args("selector", "name:New", "timeout_ms", 1e13), took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New")) })
			},
		},
		{
			say: "waiting more often than can be counted", kind: WaitForElement, args: args("selector", "name:New", "retries", 4e9), took: time.Second,
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("New")) })
			},
		},
		{say: "waiting in vain", kind: WaitForElement, args: args("selector", "name:New"), code: steps.Timeout, err: "did not become there", took: 3 * time.Second},
		{
			say: "waiting until it is gone", kind: WaitForElement, args: args("selector", "name:Save", "condition", "gone"), took: time.Second,
			set: func(d *fake.Desktop) { d.After(time.Second, func() { d.Remove(d.Find("name:Save")) }) },
		},
		{say: "an application that does not answer is not gone", kind: WaitForElement, args: args("selector", "name:Save", "condition", "gone"), code: steps.Timeout, set: func(d *fake.Desktop) { d.Freeze("notes") }},
		{
			say: "one of several selectors looks in an application that does not answer", kind: WaitForElement, code: steps.Timeout, err: "other did not answer",
			args: args("targets", []any{"process:notes >> name:Gone", "process:other >> name:X"}, "condition", "gone"),
			set: func(d *fake.Desktop) {
				d.Open(fake.Window("Other", "other", fake.Button("X")).At(500, 0, 100, 100))
				d.Freeze("other")
			},
		},
		{say: "waiting until it is enabled", kind: WaitForElement, args: args("selector", "name:Delete", "condition", "enabled"), code: steps.Timeout, err: "is there and not enabled"},
		{
			say: "waiting for a text", kind: WaitForElement, args: args("selector", "role:entry", "condition", "text", "text", "Tues", "timeout_ms", 5000.0), took: 2 * time.Second,
			set: func(d *fake.Desktop) {
				d.After(2*time.Second, func() { d.Set(d.Find("role:entry"), func(e *desktop.Element) { e.Text = "Tuesday" }) })
			},
		},
		{say: "a text to wait for is missing", kind: WaitForElement, args: args("selector", "role:entry", "condition", "text"), code: steps.Invalid},
		{
			say: "the windows, the topmost first", kind: GetApplicationsAndWindowsList, args: args(), set: func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
			result: map[string]any{"applications": []any{"other", "notes"}},
		},
		{say: "the windows of one application", kind: GetApplicationsAndWindowsList, args: args("process", "notes"), result: map[string]any{"applications": []any{"notes"}, "others": nil}},
		{say: "no window of one application, so which have windows", kind: GetApplicationsAndWindowsList, args: args("process", "nope"), result: map[string]any{"windows": []any{}, "applications": []any{}, "others": []any{"notes"}}},
		{say: "a picture of the screen, made smaller", kind: CaptureScreenshot, args: args("max_dimension", 640.0), result: map[string]any{"uri": "kept:640x400", "scale": 0.5, "width": 640.0}, acted: steps.ActedNo},
		{say: "a picture of an element", kind: CaptureScreenshot, args: args("selector", "name:Save"), result: map[string]any{"uri": "kept:80x24"}},
		{say: "a picture of a window", kind: CaptureScreenshot, args: args("title", "note"), result: map[string]any{"uri": "kept:400x400"}},
		{
			say: "a picture of a window that does not show", kind: CaptureScreenshot, args: args("title", "note"), code: steps.NotActionable, err: "minimized",
			set: func(d *fake.Desktop) { manage(d, "Notes", desktop.Manage{Do: desktop.Minimize}) },
		},
		{say: "a picture of the monitor that a window is on", kind: CaptureScreenshot, args: args("process", "notes", "entire_monitor", true), result: map[string]any{"uri": "kept:1280x800"}},
		{say: "a picture of a region, as far as there is a screen", kind: CaptureScreenshot, args: args("region", args("x", 1270.0, "y", 0.0, "w", 100.0, "h", 10.0)), result: map[string]any{"uri": "kept:10x10"}},
		{say: "a picture of what is not there", kind: CaptureScreenshot, args: args("region", args("x", 2000.0, "y", 0.0, "w", 100.0, "h", 10.0)), code: steps.NotActionable},
		{say: "a colour", kind: GetPixelColor, args: args("x", 1000.0, "y", 700.0), result: map[string]any{"color": "#283c50", "r": 40.0}},
		{say: "a still screen", kind: WaitForIdle, args: args(), took: 500 * time.Millisecond, result: map[string]any{"changes": 0.0}},
		{
			say: "a screen that comes to rest", kind: WaitForIdle, args: args(), took: 990 * time.Millisecond, result: map[string]any{"changes": 1.0},
			set: func(d *fake.Desktop) { d.After(490*time.Millisecond, func() { d.Remove(d.Find("name:Save")) }) },
		},
		{
			say: "a screen that never rests", kind: WaitForIdle, args: args("timeout_ms", 2000.0), code: steps.Timeout, err: "still moves",
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

func TestTreeAndRefs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		trees := &observe.ShownTrees{}
		run := func(k steps.Kind, a map[string]any) steps.Outcome {
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
		if o := run(ClickElement, args("ref", "e99", "timeout_ms", 100.0)); time.Since(began) > 0 || code(o) != steps.NotFound || !strings.Contains(o.Err.Error(), "no tree that was shown has the ref e99") {
			t.Errorf("an unknown ref: %v", o.Err)
		}
		if o := run(WaitForElement, args("ref", "e99", "condition", "gone")); o.Err == nil || !strings.Contains(o.Err.Error(), "no tree that was shown has the ref e99") {
			t.Errorf("an unknown ref is gone: %v", o.Err)
		}
		if o := run(ValidateElement, args("ref", "e99")); code(o) != steps.NotFound {
			t.Errorf("an unknown ref is that of no element: %v, %v", o.Result, o.Err)
		}
		showing := func(on bool) {
			d.Set(d.Find("name:Save"), func(e *desktop.Element) {
				if e.States &^= desktop.Showing; on {
					e.States |= desktop.Showing
				}
			})
		}
		showing(false)
		if o := run(InvokeElement, args("ref", "e6", "timeout_ms", 100.0)); code(o) != steps.NotActionable || !strings.Contains(o.Err.Error(), "is no longer visible") || o.Acted != steps.ActedNo {
			t.Errorf("the ref of what shows no more: %v, acted %s", o.Err, o.Acted)
		}
		showing(true)
		d.Remove(d.Find("name:Save"))
		if o := run(WaitForElement, args("ref", "e6", "condition", "gone")); o.Err != nil {
			t.Errorf("a stale ref is not gone: %v", o.Err)
		}
		if o := run(ValidateElement, args("ref", "e6")); o.Err != nil || o.Result["exists"] != false {
			t.Errorf("a stale ref exists: %v, %v", o.Result, o.Err)
		}
		if o := run(ClickElement, args("ref", "e6", "timeout_ms", 100.0)); code(o) != steps.NotFound || !strings.Contains(o.Err.Error(), "stale") {
			t.Errorf("a stale ref: %v", o.Err)
		}
		if o := run(GetWindowTree, args("title", "nope")); code(o) != steps.NotFound {
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

func TestATreeSaysWhyItHasNoPicture(t *testing.T) {
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	env := seeing(d)
	env.Keep = nil
	o := GetWindowTree.Run(t.Context(), env, args("process", "notes", "include_window_screenshot", true))
	if text, _ := GetWindowTree.Say(o.Result); o.Err != nil || !strings.Contains(text, `button "Save"`) || !strings.Contains(text, "there is no picture: pictures cannot be stored here") {
		t.Errorf("%v\n%s", o.Err, text)
	}
}

func TestATreeOfACallLeavesOutWhatADialogBlocks(t *testing.T) {
	for _, effects := range []bool{true, false} {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		d.Open(fake.Dialog("Question", "notes", fake.Label("Save it?"), fake.Button("Yes")).At(50, 50, 200, 100))
		env := seeing(d)
		env.Effects = effects
		o := GetWindowTree.Run(t.Context(), env, args("process", "notes"))
		text, _ := GetWindowTree.Say(o.Result)
		if o.Err != nil || !strings.Contains(text, `button "Yes"`) || strings.Contains(text, `frame "Notes"`) == effects || strings.Contains(text, `it is modal: the windows ["Notes"]`) != effects {
			t.Errorf("as a call of its own: %v: %v\n%s", effects, o.Err, text)
		}
		o = GetWindowTree.Run(t.Context(), env, args("process", "notes", "include_window_screenshot", true))
		if pictures, _ := o.Result["screenshots"].([]any); len(pictures) != 1 || pictures[0] != "kept:200x100" {
			t.Errorf("a picture of what is in front: %v: %v", pictures, o.Err)
		}
		o = GetWindowTree.Run(t.Context(), env, args("process", "notes", "title", "Notes"))
		if text, _ := GetWindowTree.Say(o.Result); !strings.Contains(text, `frame "Notes"`) {
			t.Errorf("named by its title: %v\n%s", o.Err, text)
		}
	}
}
