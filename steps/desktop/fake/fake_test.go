package fake

import (
	"bytes"
	"context"
	"errors"
	"image"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/desktop"
)

const notes = `
- frame "Notes" [process=notes]
  - label "Title"
  - entry "" [label=Title] [focused]: "Monday"
  - text "Body"
  - checkbox "Urgent"
  - panel ""
    - radiobutton "Home" [checked]
    - radiobutton "Work"
  - slider "Size" [value=3,0,10]
  - list ""
    - listitem "One"
    - listitem "Two" [selected]
  - password "Code"
  - button "Save" [id=save]
  - button "Send" [disabled]
- frame "Other" [process=other] [at=600,0,200,100]
  - entry "Note"
`

// fixture is the notes desktop with Notes on top.
func fixture(t *testing.T) *Desktop {
	t.Helper()
	d := New(MustParse(notes)...)
	d.must(t, d.Manage(t.Context(), d.Get(d.Find("window:Notes")).Window, desktop.WindowChange{Do: desktop.Activate}))
	d.mu.Lock()
	d.journal = nil
	d.mu.Unlock()
	return d
}

func (d *Desktop) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// click clicks the middle of what a selector matches.
func (d *Desktop) click(t *testing.T, selector string) {
	t.Helper()
	d.must(t, d.Click(t.Context(), d.Get(d.Find(selector)).Bounds.Center(), desktop.Left, 1))
}

func (d *Desktop) handle(selector string) desktop.Handle { return d.Get(d.Find(selector)).Handle }

func (d *Desktop) text(selector string) string { return d.Get(d.Find(selector)).Text }

func (d *Desktop) states(selector string) desktop.States { return d.Get(d.Find(selector)).States }

func (d *Desktop) pressAll(t *testing.T, keys string) {
	t.Helper()
	chords, err := desktop.ParseKeys(keys)
	d.must(t, err)
	for _, c := range chords {
		d.must(t, d.Press(t.Context(), c))
	}
}

func TestClickDoesWhatTheRoleDoes(t *testing.T) {
	d := fixture(t)
	saved, sent := 0, 0
	d.Find("id:save").OnClick(func() { saved++; d.Journal() })
	d.Find("name:Send").OnClick(func() { sent++ })
	for _, s := range []string{"name:Urgent", "name:Work", "name:One", "name:Save", "name:Send", "name:Body"} {
		d.click(t, s)
	}
	for _, c := range []struct {
		selector string
		state    desktop.States
		want     bool
	}{
		{"name:Urgent", desktop.Checked, true},
		{"name:Work", desktop.Checked, true},
		{"name:Home", desktop.Checked, false},
		{"name:One", desktop.Selected, true},
		{"name:Two", desktop.Selected, false},
		{"name:Body", desktop.Focused, true},
		{"name:Title && role:entry", desktop.Focused, false},
	} {
		if got := d.states(c.selector).Has(c.state); got != c.want {
			t.Errorf("%s %v: %v, want %v", c.selector, c.state.Names(), got, c.want)
		}
	}
	if saved != 1 || sent != 0 {
		t.Errorf("saved %d times, sent %d times; want 1, and 0 because Send is disabled", saved, sent)
	}
}

func TestTypingGoesToTheFocus(t *testing.T) {
	d := fixture(t)
	var heard []string
	d.Find("role:entry && name:Title").OnChange(func(text string) { heard = append(heard, text) })
	d.must(t, d.Type(t.Context(), "!\n"))
	d.pressAll(t, "home delete")
	d.must(t, d.Type(t.Context(), "S"))
	if got := d.text("role:entry && name:Title"); got != "Sonday!" {
		t.Errorf("title is %q, want Sonday!", got)
	}
	if diff := cmp.Diff([]string{"Monday!", "onday!", "Sonday!"}, heard); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	d.must(t, d.Type(t.Context(), "\tone\ntwo\t2"))
	if got := d.text("name:Body"); got != "one\ntwo\t2" {
		t.Errorf("body is %q: want a tab to move to it, and to be kept in it", got)
	}
	d.pressAll(t, "ctrl+a ctrl+x shift+tab ctrl+a ctrl+v")
	if got := d.text("role:entry && name:Title"); got != "onetwo2" {
		t.Errorf("title is %q, want what was cut from the body on one line", got)
	}
}

func TestPasswordsShowDots(t *testing.T) {
	d := fixture(t)
	d.click(t, "name:Code")
	d.must(t, d.Type(t.Context(), "s3cret"))
	d.pressAll(t, "ctrl+a ctrl+c")
	e, err := d.Refresh(t.Context(), d.handle("name:Code"))
	if err != nil || e.Text != "●●●●●●" {
		t.Errorf("password reads %q, %v; want dots", e.Text, err)
	}
	if text, _ := d.ReadClipboard(t.Context()); text != "" {
		t.Errorf("clipboard has %q of a password", text)
	}
}

func TestTreeScope(t *testing.T) {
	d := fixture(t)
	for _, c := range []struct {
		what    string
		scope   desktop.Scope
		roots   int
		count   int
		omitted int
	}{
		{"everything", desktop.Scope{}, 2, 17, 0},
		{"a program", desktop.Scope{Process: "other"}, 1, 2, 0},
		{"a title", desktop.Scope{Title: "note"}, 1, 15, 0},
		{"two levels", desktop.Scope{Title: "Notes", Depth: 2}, 1, 11, 4},
		{"a limit", desktop.Scope{Limit: 5}, 2, 5, 12},
		{"below an element", desktop.Scope{Root: d.handle("role:list")}, 1, 3, 0},
	} {
		tree, err := d.Tree(t.Context(), c.scope)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		count := 0
		tree.Walk(func(e *desktop.Element) bool { count++; return true })
		if len(tree.Roots) != c.roots || count != c.count || tree.Omitted != c.omitted {
			t.Errorf("%s: %d roots, %d elements, %d omitted; want %d, %d, %d", c.what, len(tree.Roots), count, tree.Omitted, c.roots, c.count, c.omitted)
		}
	}
	if _, err := d.Tree(t.Context(), desktop.Scope{Root: "gone"}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("below what is gone: %v, want not found", err)
	}
}

func TestTreeTellsBoxesOnlyInFull(t *testing.T) {
	d := fixture(t)
	brief, _ := d.Tree(t.Context(), desktop.Scope{})
	full, _ := d.Tree(t.Context(), desktop.Scope{Full: true})
	if e := brief.Roots[0].Children[0]; !e.Bounds.Empty() || e.Text != "" {
		t.Errorf("a brief tree has box %v, text %q", e.Bounds, e.Text)
	}
	if e := full.Roots[0].Children[0]; e.Bounds.Empty() || e.Ref == "" || e.WindowTitle == "" || e.Parent != full.Roots[0] {
		t.Errorf("a full tree has %+v, want a box, a ref, a window and a parent", e)
	}
}

func TestControls(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.must(t, d.Invoke(ctx, d.handle("name:Urgent"), ""))
	d.must(t, d.SetText(ctx, d.handle("name:Body"), "hello"))
	d.must(t, d.SetNumber(ctx, d.handle("name:Size"), 99))
	d.must(t, d.Select(ctx, d.handle("role:list"), 0, true))
	d.must(t, d.GrabFocus(ctx, d.handle("name:Note")))
	if !d.states("name:Urgent").Has(desktop.Checked) || d.text("name:Body") != "hello" || d.Get(d.Find("name:Size")).Value.Now != 10 || !d.states("name:One").Has(desktop.Selected) {
		t.Error("a control did not do what it was asked")
	}
	if !d.states("window:Other").Has(desktop.Active) {
		t.Error("the window of what has the focus is not active")
	}
	for what, err := range map[string]error{
		"a disabled button":     d.Invoke(ctx, d.handle("name:Send"), ""),
		"an unknown action":     d.Invoke(ctx, d.handle("name:Save"), "jump"),
		"a label's text":        d.SetText(ctx, d.handle("role:label"), "x"),
		"a button's number":     d.SetNumber(ctx, d.handle("name:Save"), 1),
		"a label's focus":       d.GrabFocus(ctx, d.handle("role:label")),
		"what is no list item":  d.Select(ctx, d.handle("window:Notes"), 0, true),
		"no action by its name": d.Invoke(ctx, d.handle("role:label"), ""),
	} {
		if !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("%s: %v, want a refusal", what, err)
		}
	}
	save := d.handle("name:Save")
	d.Remove(d.Find("name:Save"))
	if err := d.Invoke(ctx, save, ""); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("what is gone: %v, want not found", err)
	}
}

func TestWindows(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	before := d.Get(d.Find("name:Note"))
	do := func(c desktop.WindowChange) desktop.Window {
		t.Helper()
		d.must(t, d.Manage(ctx, before.Window, c))
		all, err := d.Windows(ctx)
		d.must(t, err)
		for _, w := range all {
			if w.ID == before.Window {
				return w
			}
		}
		return desktop.Window{}
	}
	if w := do(desktop.WindowChange{Do: desktop.Place, Bounds: desktop.Rect{X: 700, Y: 50}}); w.Bounds != (desktop.Rect{X: 700, Y: 50, W: 200, H: 100}) {
		t.Errorf("placed at %v", w.Bounds)
	}
	if after := d.Get(d.Find("name:Note")); after.Bounds.X-before.Bounds.X != 100 || after.Bounds.Y-before.Bounds.Y != 50 {
		t.Errorf("the entry moved from %v to %v, want with its window", before.Bounds, after.Bounds)
	}
	if w := do(desktop.WindowChange{Do: desktop.Maximize}); !w.Maximized || w.Bounds.W != 1280 {
		t.Errorf("maximised: %+v", w)
	}
	if w := do(desktop.WindowChange{Do: desktop.Restore}); w.Maximized || w.Bounds.X != 700 {
		t.Errorf("restored: %+v", w)
	}
	if w := do(desktop.WindowChange{Do: desktop.Minimize}); !w.Minimized || w.Active {
		t.Errorf("minimised: %+v", w)
	}
	if w := do(desktop.WindowChange{Do: desktop.Activate}); w.Minimized || !w.Active {
		t.Errorf("activated: %+v", w)
	}
	if w := do(desktop.WindowChange{Do: desktop.Close}); w.ID != 0 {
		t.Errorf("closed, and still there: %+v", w)
	}
	if err := d.Manage(ctx, before.Window, desktop.WindowChange{Do: desktop.Close}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("closed twice: %v, want not found", err)
	}
}

func TestTopmostWindowGetsTheClick(t *testing.T) {
	d := New(Window("Below", "a", Button("Under").At(10, 10, 50, 20)).At(0, 0, 200, 200),
		Window("Above", "b").At(0, 0, 100, 100))
	e, err := d.ElementAt(t.Context(), desktop.Point{X: 20, Y: 20})
	d.must(t, err)
	if e.Name != "Above" {
		t.Errorf("at the point is %q, want the window on top", e.Name)
	}
	if _, err := d.ElementAt(t.Context(), desktop.Point{X: 500, Y: 500}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("where nothing is: %v, want not found", err)
	}
}

func TestFocusComesBack(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.pressAll(t, "left left")
	saved, err := d.SaveFocus(ctx)
	d.must(t, err)
	d.click(t, "name:Note")
	d.must(t, d.RestoreFocus(ctx, saved))
	d.must(t, d.Type(ctx, "|"))
	if got := d.text("role:entry && name:Title"); got != "Mond|ay" {
		t.Errorf("after the focus came back typing made %q, want Mond|ay", got)
	}
}

func TestJournal(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.Install("calc", func() *Node { return Window("Calc", "calc") })
	d.must(t, d.Click(ctx, desktop.Point{X: 1200, Y: 700}, desktop.Right, 2))
	d.must(t, d.KeyDown(ctx, desktop.Ctrl))
	d.pressAll(t, "ctrl+s")
	d.must(t, d.Type(ctx, "hi"))
	d.must(t, d.Scroll(ctx, 0, 3))
	_, err := d.Launch(ctx, "calc --new")
	d.must(t, err)
	_, err = d.Tree(ctx, desktop.Scope{})
	d.must(t, err)
	d.must(t, d.ReleaseAll(ctx))
	want := []string{"click 1200,700 right x2", "key down ctrl", "press ctrl+s", `type "hi"`, "scroll 0,3", "launch calc --new", "key up ctrl"}
	if diff := cmp.Diff(want, d.Journal()); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if d.Calls("Tree") != 1 || len(d.Held()) != 0 {
		t.Errorf("%d trees were read and %v is held, want 1 and nothing", d.Calls("Tree"), d.Held())
	}
	if _, err := d.Launch(ctx, "nothing"); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("launching nothing: %v, want not found", err)
	}
}

func TestFail(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.Fail("Type", desktop.ErrUnavailable, 2)
	d.FailAfter("Scroll", desktop.ErrUnresponsive, 1)
	for i, want := range []error{desktop.ErrUnavailable, desktop.ErrUnavailable, nil} {
		if err := d.Type(ctx, "x"); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	if err := d.Scroll(ctx, 0, 1); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("scroll: %v, want no answer", err)
	}
	d.Fail("*", desktop.ErrUnavailable, -1)
	if err := d.Ping(ctx); !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("ping: %v, want unavailable", err)
	}
	if got := strings.Join(d.Journal(), "; "); got != `type "x"; scroll 0,1` {
		t.Errorf("journal: %s; want what acted, and only that", got)
	}
}

func TestDelayHonoursTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fixture(t)
		d.Delay("Click", time.Minute)
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		began := time.Now()
		if err := d.Click(ctx, desktop.Point{}, desktop.Left, 1); !errors.Is(err, stop) || time.Since(began) != time.Second {
			t.Errorf("a delayed click ended with %v after %s; want the cause after 1s", err, time.Since(began))
		}
		if len(d.Journal()) != 0 {
			t.Errorf("a click that was cut short acted: %v", d.Journal())
		}
	})
}

func TestThingsAppearLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fixture(t)
		d.Find("name:Save").OnClick(func() {
			d.After(time.Second, func() { d.Open(Dialog("Saved", "notes", Button("OK"))) })
		})
		d.click(t, "name:Save")
		if d.Find("name:OK") != nil {
			t.Error("the dialog is there at once")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if d.Find("window:Saved >> name:OK") == nil {
			t.Error("the dialog is not there after a second")
		}
		d.After(time.Second, func() { t.Error("a timer outlived the desktop") })
		d.must(t, d.Close())
		time.Sleep(2 * time.Second)
	})
}

func TestFrozenProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fixture(t)
		save := d.handle("name:Save")
		d.Freeze("notes")
		tree, err := d.Tree(t.Context(), desktop.Scope{})
		d.must(t, err)
		if diff := cmp.Diff([]string{"notes"}, tree.Unread); diff != "" || len(tree.Roots) != 1 {
			t.Errorf("%d roots, unread %v; want the other program's window, and notes unread", len(tree.Roots), tree.Unread)
		}
		began := time.Now()
		if err := d.Invoke(t.Context(), save, ""); !errors.Is(err, desktop.ErrUnresponsive) || time.Since(began) != unanswered {
			t.Errorf("invoking ended with %v after %s, want no answer after %s", err, time.Since(began), unanswered)
		}
		d.Thaw("notes")
		d.must(t, d.Invoke(t.Context(), save, ""))
	})
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New()
		ctx, cancel := context.WithCancel(t.Context())
		var seen []desktop.Key
		done := make(chan error)
		d.Emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "a"})
		go func() { done <- d.Watch(ctx, func(e desktop.InputEvent) { seen = append(seen, e.Key) }) }()
		synctest.Wait()
		d.Emit(desktop.InputEvent{Key: "b"}, desktop.InputEvent{Key: "c"})
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("watching ended with %v, want cancelled", err)
		}
		if diff := cmp.Diff([]desktop.Key{"a", "b", "c"}, seen); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
	})
}

func TestCaptureShowsChanges(t *testing.T) {
	d := fixture(t)
	shot := func(area desktop.Rect) *image.RGBA {
		t.Helper()
		picture, err := d.Capture(t.Context(), area)
		d.must(t, err)
		return picture
	}
	first := shot(desktop.Rect{})
	if !bytes.Equal(first.Pix, shot(desktop.Rect{}).Pix) || first.Rect.Dx() != 1280 {
		t.Error("the same desktop gave two pictures")
	}
	d.click(t, "name:Urgent")
	if bytes.Equal(first.Pix, shot(desktop.Rect{}).Pix) {
		t.Error("a checked box gave the same picture")
	}
	if got := shot(desktop.Rect{X: 1270, Y: -5, W: 50, H: 50}).Rect; got != image.Rect(0, 0, 10, 45) {
		t.Errorf("an area past the edge gave %v, want the part on the screen", got)
	}
}

func TestParseErrors(t *testing.T) {
	for outline, want := range map[string]string{
		"- buton":                     `line 1: there is no role "buton"`,
		"\n- frame \"a\" [lively]":    `line 2: there is no state "lively"`,
		"- frame\n    - button":       "line 2: \"    - button\" stands deeper than inside the line before it",
		"button":                      `line 1: "button" is not like: - button "Save" [disabled]`,
		"- button [colour=red]":       "line 1: [colour=red]: wanted process, id, label, class, at, value or a state",
		"- button [at=1,2]":           "line 1: [at=1,2] is not like [at=20,70,80,24]",
		`- button "\q"`:               `line 1: "\q" is not a quoted text`,
		"- slider \"Size\" [value=x]": "line 1: [value=x] is not like [value=3,0,10]",
	} {
		if _, err := Parse(outline); err == nil || err.Error() != "outline, "+want {
			t.Errorf("Parse(%q) = %v, want %s", outline, err, want)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	d := fixture(t)
	d.Find("name:Save").OnClick(func() { d.Journal() })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				d.click(t, "name:Save")
				_, _ = d.Tree(t.Context(), desktop.Scope{Full: true})
				_ = d.Type(t.Context(), "x")
				d.Set(d.Find("name:Body"), func(e *desktop.Element) { e.Text += "y" })
			}
		})
	}
	all.Wait()
	if got := len(d.text("name:Body")); got < 1 || d.Calls("Click") != 160 {
		t.Errorf("%d clicks, body of %d letters; want 160 and some", d.Calls("Click"), got)
	}
}

func TestMachine(t *testing.T) {
	m := &Machine{Fake: New()}
	d, err := m.Open(t.Context(), desktop.Options{Screen: desktop.Size{W: 640, H: 480}})
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := d.Info(t.Context()); info.Monitors[0].Bounds.W != 640 {
		t.Errorf("the screen is %v wide, want 640", info.Monitors[0].Bounds.W)
	}
	if f := m.Diagnose(t.Context(), desktop.Options{}); len(f) != 1 || !f[0].OK {
		t.Errorf("findings: %+v, want that all is well", f)
	}
	m.Err = desktop.ErrUnavailable
	if _, err := m.Open(t.Context(), desktop.Options{}); !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("a machine without a display opened: %v", err)
	}
}
