package fake

import (
	"bytes"
	"errors"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

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
		{"two levels, and what only holds others for none", desktop.Scope{Title: "Notes", Depth: 2}, 1, 13, 2},
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

func TestTreeShowsBoxesOnlyInFull(t *testing.T) {
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

func TestWindows(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	before := d.Get(d.Find("name:Note"))
	do := func(c desktop.Manage) desktop.Window {
		t.Helper()
		c.Window = before.Window
		d.must(t, d.Do(ctx, c))
		all, err := d.Windows(ctx)
		d.must(t, err)
		for _, w := range all {
			if w.ID == before.Window {
				return w
			}
		}
		return desktop.Window{}
	}
	if w := do(desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 700, Y: 50}}); w.Bounds != (desktop.Rect{X: 700, Y: 50, W: 200, H: 100}) {
		t.Errorf("placed at %v", w.Bounds)
	}
	if after := d.Get(d.Find("name:Note")); after.Bounds.X-before.Bounds.X != 100 || after.Bounds.Y-before.Bounds.Y != 50 {
		t.Errorf("the entry moved from %v to %v, want with its window", before.Bounds, after.Bounds)
	}
	if w := do(desktop.Manage{Do: desktop.Maximize}); !w.Maximized || w.Bounds.W != 1280 {
		t.Errorf("maximised: %+v", w)
	}
	if w := do(desktop.Manage{Do: desktop.Restore}); w.Maximized || w.Bounds.X != 700 {
		t.Errorf("restored: %+v", w)
	}
	if w := do(desktop.Manage{Do: desktop.Minimize}); !w.Minimized || w.Active {
		t.Errorf("minimised: %+v", w)
	}
	if w := do(desktop.Manage{Do: desktop.Activate}); w.Minimized || !w.Active {
		t.Errorf("activated: %+v", w)
	}
	if w := do(desktop.Manage{Do: desktop.Close}); w.ID != 0 {
		t.Errorf("closed, and still there: %+v", w)
	}
	if err := d.Do(ctx, desktop.Manage{Window: before.Window, Do: desktop.Close}); !errors.Is(err, desktop.ErrNotFound) {
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
		if err := d.Do(t.Context(), desktop.Invoke{Element: save, Action: ""}); !errors.Is(err, desktop.ErrUnresponsive) || time.Since(began) != unanswered {
			t.Errorf("invoking ended with %v after %s, want no answer after %s", err, time.Since(began), unanswered)
		}
		d.Thaw("notes")
		d.must(t, d.Do(t.Context(), desktop.Invoke{Element: save, Action: ""}))
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

func TestAPrintedTreeCanBeRead(t *testing.T) {
	print := func(d *Desktop) string {
		tree, err := d.Tree(t.Context(), desktop.Scope{Full: true})
		d.must(t, err)
		tree.Walk(func(e *desktop.Element) bool { e.Ref = ""; return true })
		text, _ := tree.Outline(0)
		return text
	}
	first := print(fixture(t))
	again, err := Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, print(New(again...))); diff != "" {
		t.Errorf("a printed tree, read and printed again (-first +again):\n%s", diff)
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
		"- slider \"Size\" [value=x]": "line 1: [value=x] is not like [value=3 in 0 to 10]",
	} {
		if _, err := Parse(outline); err == nil || err.Error() != "outline, "+want {
			t.Errorf("Parse(%q) = %v, want %s", outline, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(notes)
	f.Add("- frame \"a\" [at=1,2,3,4] [modal]:\n  - text \"\\u00e9\": \"x\"\n")
	f.Fuzz(func(t *testing.T, outline string) {
		windows, err := Parse(outline)
		if err != nil {
			return
		}
		if _, err := New(windows...).Tree(t.Context(), desktop.Scope{Full: true, Hidden: true}); err != nil {
			t.Fatalf("a desktop of %q: %v", outline, err)
		}
	})
}
