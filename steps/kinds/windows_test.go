package kinds

import (
	"context"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

func TestWindows(t *testing.T) {
	two := func(d *fake.Desktop) { d.Open(fake.Window("Notes 2", "other")) }
	for _, p := range []play{
		{say: "to the front", kind: ChangeWindow, args: args("do", "activate", "process", "notes"), set: two, journal: []string{`activate "Notes"`}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes},
		{say: "in front already", kind: ChangeWindow, args: args("do", "activate", "title", "Notes"), journal: []string{}, result: map[string]any{"checked": "yes"}, acted: steps.ActedNo},
		{say: "two that fit", kind: ChangeWindow, args: args("do", "activate", "title", "notes"), set: two, code: steps.Ambiguous, acted: steps.ActedNo},
		{say: "none that fits", kind: ChangeWindow, args: args("do", "activate", "title", "nope"), code: steps.NotFound, acted: steps.ActedNo},
		{say: "no name", kind: ChangeWindow, args: args("do", "activate"), code: steps.Invalid},
		{
			say: "one that comes in time", kind: ChangeWindow, args: args("do", "maximize", "title", "Late"), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Open(fake.Window("Late", "other")) })
			},
		},
		{say: "closed", kind: CloseWindow, args: args("title", "Notes"), journal: []string{`close "Notes"`}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes},
		{say: "minimized", kind: ChangeWindow, args: args("do", "minimize", "title", "Notes"), result: map[string]any{"checked": "yes"}},
		{
			say: "moved, with its size", kind: MoveWindow, args: args("title", "Notes", "x", 50.0, "y", 60.0), result: map[string]any{"checked": "yes"},
			check: func(t *testing.T, d *fake.Desktop, _ steps.Outcome) {
				if b := d.Get(d.Find("role:frame")).Bounds; b != (desktop.Rect{X: 50, Y: 60, W: 400, H: 400}) {
					t.Errorf("the window is %s", b)
				}
			},
		},
		{
			say: "a window that asks before it closes", kind: CloseWindow, args: args("title", "Notes"), result: map[string]any{"checked": "no", "refused": "the application refused"}, acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Fail("Manage", desktop.ErrRefused, 1) },
		},
		{
			say: "a window that asks in a dialog before it closes", kind: CloseWindow, args: args("title", "Notes"), acted: steps.ActedYes,
			screen: notes + `
- dialog "Close" [process=notes] [modal] [active] [at=100,100,200,100]
  - label "Save first?" [at=110,110,100,20]
  - button "Save" [at=110,150,80,24]
  - button "Discard" [at=200,150,80,24]
`,
			set: func(d *fake.Desktop) { d.Fail("Manage", desktop.ErrRefused, 1) },
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				said, _ := o.Result["refused"].(string)
				for _, want := range []string{"Save first?", `"Save"`, `"Discard"`} {
					if !strings.Contains(said, want) {
						t.Errorf("it does not tell %s: %q", want, said)
					}
				}
			},
		},
		{
			say: "a minimized window is shown when it is made large", kind: ChangeWindow, args: args("do", "maximize", "title", "Notes"), journal: []string{`activate "Notes"`, `maximize "Notes"`}, result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				w, _ := d.Windows(context.Background())
				_ = d.Do(context.Background(), desktop.Manage{Window: w[0].ID, Do: desktop.Minimize})
			},
		},
		{say: "moved nowhere", kind: MoveWindow, args: args("title", "Notes"), code: steps.Invalid},
		{
			say: "an application and its window", kind: OpenApplication, args: args("app_name", "editor"), result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "what must be in the new window", kind: OpenApplication, args: args("app_name", "editor", "verify_element_exists", "name:Go", "include_tree_after_action", true), result: map[string]any{"checked": "yes", "ui_tree": "- frame \"Text\" [ref=e1] [active]:\n  - button \"Go\" [ref=e2]\n"},
			set: func(d *fake.Desktop) {
				d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) })
			},
		},
		{
			say: "what must be in the new window and is in another", kind: OpenApplication, args: args("app_name", "editor", "verify_element_exists", "name:Save"), code: steps.Unexpected, acted: steps.ActedYes,
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an application that is not installed", kind: OpenApplication, args: args("app_name", "editor"), code: steps.NotFound, acted: steps.ActedNo,
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if !strings.HasPrefix(o.Err.Next, "install it") {
					t.Errorf("next: %s", o.Err.Next)
				}
			},
		},
		{
			say: "an application whose window has another title", kind: OpenApplication, args: args("app_name", "editor", "title", "Never", "timeout_ms", 2000.0), code: steps.Timeout, acted: steps.ActedYes, err: "showed no window",
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an application without waiting", kind: OpenApplication, args: args("app_name", "editor", "wait_for_window", false), result: map[string]any{"checked": nil},
			set: func(d *fake.Desktop) { d.Install("editor", func() *fake.Node { return fake.Window("Text", "editor") }) },
		},
		{
			say: "an address of which nothing shows", kind: OpenURL, args: args("url", "https://example.org"), journal: []string{"open https://example.org"},
			acted: steps.ActedYes, result: map[string]any{"checked": "not_possible"}, took: settleFor,
		},
		{
			say: "an address that opens a window", kind: OpenURL, args: args("url", "https://example.org"), acted: steps.ActedYes, result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() { d.Open(fake.Window("Example", "browser").At(50, 50, 100, 100)) })
			},
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if w, _ := o.Result["window"].(map[string]any); w["title"] != "Example" {
					t.Errorf("the window is %v", w)
				}
			},
		},
		{
			say: "an address that opens in a window that is there", kind: OpenURL, args: args("url", "https://example.org"), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.After(time.Second, func() {
					d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Name, e.WindowTitle = "Example", "Example" })
				})
			},
		},
		{
			say: "an address that nothing opens, as is heard late", kind: OpenURL, args: args("url", "nothing:x"), code: steps.NotActionable, err: "refused",
			set: func(d *fake.Desktop) {
				d.Delay("OpenURL", 5*time.Second)
				d.Fail("OpenURL", desktop.ErrRefused, 1)
			},
		},
		{say: "not an address", kind: OpenURL, args: args("url", "example"), code: steps.Invalid},
		{say: "the clipboard", kind: SetClipboard, args: args("text", "x"), journal: []string{`clipboard "x"`}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes},
		{say: "what is on the clipboard", kind: GetClipboard, args: args(), result: map[string]any{"text": ""}, acted: steps.ActedNo},
		{
			say: "a clipboard that is missing", kind: SetClipboard, args: args("text", "x"), code: steps.Unavailable, acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				d.Fail("WriteClipboard", &desktop.MissingError{What: "no xclip", Mend: "apt-get install xclip"}, -1)
			},
		},
	} {
		p.run(t)
	}
}
