package desktop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a window as a driver reads it.
func sample() *Tree {
	el := func(ref string, role Role, name string, s States, children ...*Element) *Element {
		return &Element{Handle: Handle("h" + ref), Ref: ref, Role: role, Name: name, States: s | Showing, Children: children}
	}
	title := el("e3", "entry", "", Enabled|Focused)
	title.Label, title.Text = "Title", "Monday\nmorning"
	size := el("e6", "slider", "Size", Enabled)
	size.Value = &Range{Now: 3.5, Max: 10}
	list := el("e8", "list", "", Enabled, el("e9", "listitem", "One: #1", Enabled|Selected), el("e10", "listitem", "Two", Enabled))
	list.Text = "2 items"
	label := el("e11", "label", "Ready", 0)
	label.Text = "Ready"
	return &Tree{Roots: []*Element{el("e1", "frame", "Notes", Enabled|Active,
		el("e2", "panel", "", Enabled, title, el("e4", "filler", "", Enabled)),
		el("e5", "button", "Send", 0), size, el("e7", "checkbox", "It's: mine", Enabled|Checked), list, label)}}
}

func TestOutline(t *testing.T) {
	want := `- frame "Notes" [ref=e1] [active]:
  - entry "Title" [ref=e3] [focused]: "Monday morning"
  - button "Send" [ref=e5] [disabled]
  - slider "Size" [ref=e6] [value=3.5 in 0 to 10]
  - 'checkbox "It''s: mine" [ref=e7] [checked]'
  - list [ref=e8] [text="2 items"]:
    - 'listitem "One: #1" [ref=e9] [selected]'
    - listitem "Two" [ref=e10]
  - label "Ready" [ref=e11]
`
	text, omitted := sample().Outline(0)
	if diff := cmp.Diff(want, text); diff != "" || omitted != 0 {
		t.Errorf("%d omitted, outline (-want +got):\n%s", omitted, diff)
	}
}

func TestOutlineKeepsItsLimit(t *testing.T) {
	whole, _ := sample().Outline(0)
	for limit := 1; limit < 2*len(whole); limit++ {
		text, omitted := sample().Outline(limit)
		if len(text) > limit {
			t.Fatalf("limit %d: %d bytes:\n%s", limit, len(text), text)
		}
		shown := strings.Count(text, "[ref=")
		if shown+omitted != 9 {
			t.Fatalf("limit %d: %d shown and %d omitted, want 9 together:\n%s", limit, shown, omitted, text)
		}
		if more := fmt.Sprintf("… %d more", omitted); shown > 1 && omitted > 0 && strings.Count(text, "more") == 1 && !strings.Contains(text, more) {
			t.Fatalf("limit %d: want it to say %s:\n%s", limit, more, text)
		}
	}
	if text, omitted := sample().Outline(2 * len(whole)); text != whole || omitted != 0 {
		t.Errorf("with room to spare %d were omitted:\n%s", omitted, text)
	}
}

func TestOutlineCutsLongTexts(t *testing.T) {
	text, _ := (&Tree{Roots: []*Element{{Role: "label", Name: strings.Repeat("é", 100)}}}).Outline(0)
	if want := `- label "` + strings.Repeat("é", 79) + "…\"\n"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestChangesOfLongTextsShowWhereTheyDiffer(t *testing.T) {
	long := strings.Repeat("a", 200)
	want := `text "…` + strings.Repeat("a", 20) + `" → "…` + strings.Repeat("a", 20) + `b"`
	if got := (FieldChange{"text", long, long + "b"}).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Applications make another object of a cell each time they are asked for it.
func TestTheCellsOfASheetAreKnownByTheirAddress(t *testing.T) {
	sheet := func(asked, text string) *Tree {
		cell := func(name, text string) *Element {
			return &Element{Handle: Handle(name + asked), Role: "cell", Name: name, Text: text, States: Enabled}
		}
		return &Tree{Roots: []*Element{{Handle: "s", Role: "table", Note: "visible rows 1–2 of 1048576", Children: []*Element{cell("A1", "Item"), cell("B1", text)}}}}
	}
	changes := DiffTrees(sheet("first", ""), sheet("second", "42"))
	if len(changes) != 1 || changes[0].String() != `~ cell "B1": text "" → "42"` {
		t.Errorf("the changes are %v", changes)
	}
}

// GTK reports the cells of a list without rows, and in the first one a cell for its icon and one for
// its name.
func TestTheChangesOfARowAreOne(t *testing.T) {
	list := func(selected string, names ...string) *Tree {
		table := &Element{Handle: "table", Role: "table"}
		for i, name := range names {
			states := Enabled
			if name == selected {
				states |= Selected
			}
			cell := func(what, name string, parent *Element) *Element {
				e := &Element{Handle: Handle(what + names[i]), Ref: what, Role: "cell", Name: name, States: states, Parent: parent, Bounds: Rect{Y: 20 * i, W: 9, H: 20}}
				parent.Children = append(parent.Children, e)
				return e
			}
			file := cell("file", "", table)
			file.States = Enabled
			cell("icon", "", file)
			cell("name", name, file)
			cell("size", "5 bytes", table)
		}
		return &Tree{Roots: []*Element{table}}
	}
	for _, c := range []struct {
		say           string
		before, after *Tree
		want          []string
	}{
		{"a file that is selected", list("", "a.txt", "b.txt"), list("a.txt", "a.txt", "b.txt"), []string{`~ cell "a.txt" [ref=name] [selected] and its row: selected false → true`}},
		{"files that appeared", list("", "a.txt"), list("", "a.txt", "b.txt", "c.txt"), []string{`+ row: 'cell "b.txt" [ref=name] | "5 bytes"'`, `+ row: 'cell "c.txt" [ref=name] | "5 bytes"'`}},
		{"a file that is gone", list("", "a.txt", "b.txt"), list("", "a.txt"), []string{`- row "b.txt | 5 bytes"`}},
	} {
		var got []string
		for _, change := range JoinRows(DiffTrees(c.before, c.after)) {
			got = append(got, change.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.say, diff)
		}
	}
}

func TestDiffReportsReplacedElements(t *testing.T) {
	before, after := sample(), sample()
	moved := after.Roots[0].Children[1]
	moved.Handle, moved.Bounds = "other", Rect{X: 1, Y: 2, W: 3, H: 4}
	if changes := DiffTrees(before, after); len(changes) != 2 || changes[0].Kind != Appeared || changes[1].Kind != Disappeared {
		t.Errorf("the changes are %v", changes)
	}
}

func TestDiffTrees(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(w *Element)
		want   []string
	}{
		{"nothing", func(*Element) {}, nil},
		{"what moves has not changed", func(w *Element) { w.Children[1].Bounds = Rect{1, 2, 3, 4} }, nil},
		{"a new ref is no change", func(w *Element) { w.Children[1].Ref = "e99" }, nil},
		{"another element of the same look in its place", func(w *Element) {
			other := *w.Children[0]
			other.Handle = "other"
			w.Children[0] = &other
		}, nil},
		{"a text", func(w *Element) { w.Children[0].Children[0].Text = "Friday" }, []string{`~ entry "Title" [ref=e3] [focused]: text "Monday morning" → "Friday"`}},
		{"the end of a long text", func(w *Element) {
			w.Children[0].Children[0].Text = strings.Repeat("é", 200) + " Friday"
		}, []string{`~ entry "Title" [ref=e3] [focused]: text "Monday morning" → "` + strings.Repeat("é", 79) + `…"`}},
		{"a name", func(w *Element) { w.Name = "Notes *" }, []string{`~ frame "Notes *" [ref=e1] [active]: name "Notes" → "Notes *"`}},
		{"states and a value", func(w *Element) {
			w.Children[1].States |= Enabled
			w.Children[2].Value.Now = 7
			w.Children[3].States &^= Checked
		}, []string{
			`~ button "Send" [ref=e5]: disabled true → false`,
			`~ slider "Size" [ref=e6] [value=7 in 0 to 10]: value 3.5 → 7`,
			`~ checkbox "It's: mine" [ref=e7]: checked true → false`,
		}},
		{"something in a container that says nothing", func(w *Element) {
			dialog := &Element{Handle: "new", Ref: "e20", Role: "dialog", Name: "Sure?", Children: []*Element{{Handle: "ok", Role: "button", Name: "OK"}}}
			w.Children = append(w.Children, &Element{Handle: "filler", Role: "filler", Children: []*Element{dialog}})
		}, []string{`+ dialog "Sure?" [ref=e20] with 1 inside`}},
		{"what came, changed and went", func(w *Element) {
			w.Children = append(w.Children[:4], &Element{Handle: "l2", Ref: "e21", Role: "label", Name: "Saved", Text: "Saved"})
			w.Children[2].Value.Now = 0
		}, []string{
			`+ label "Saved" [ref=e21]`,
			`~ slider "Size" [ref=e6] [value=0 in 0 to 10]: value 3.5 → 0`,
			`- list with 2 inside`,
			`- label "Ready"`,
		}},
	} {
		for _, handles := range []bool{true, false} {
			before, after := sample(), sample()
			c.change(after.Roots[0])
			if !handles {
				if c.what == "a name" {
					continue // without handles the name is what a window is known by
				}
				after.Walk(func(e *Element) bool { e.Handle = ""; return true })
				before.Walk(func(e *Element) bool { e.Handle = ""; return true })
			}
			var got []string
			for _, change := range DiffTrees(before, after) {
				got = append(got, change.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, handles %v (-want +got):\n%s", c.what, handles, diff)
			}
		}
	}
}

// table makes a table of rows of cells.
func table(rows ...*Element) *Tree {
	t := &Element{Role: "table", Name: "Sales", Ref: "e1", Children: rows}
	var adopt func(*Element)
	adopt = func(e *Element) {
		for _, c := range e.Children {
			c.Parent = e
			adopt(c)
		}
	}
	adopt(t)
	return &Tree{Roots: []*Element{t}}
}

func TestRowsOfTablesAreOneLine(t *testing.T) {
	cell := func(ref, text string, s States, children ...*Element) *Element {
		return &Element{Role: "cell", Ref: ref, Name: text, States: s | Showing | Enabled, Children: children}
	}
	row := func(ref, name string, cells ...*Element) *Element {
		return &Element{Role: "row", Ref: ref, Name: name, States: Enabled, Children: cells}
	}
	at := func(e *Element, y int) *Element {
		e.Bounds = Rect{Y: y, W: 50, H: 20}
		return e
	}
	button := &Element{Role: "button", Name: "Edit", Ref: "e9", States: Enabled}
	inner := &Element{Role: "table", Ref: "e8", Children: []*Element{row("e9", "", cell("e10", "In", 0), cell("e11", "side", 0))}}
	for _, test := range []struct {
		say  string
		rows []*Element
		want string
	}{
		{"cells of words", []*Element{row("e2", "Ann Bonn", cell("e3", "Ann", 0), cell("e4", "Bonn", 0)), row("e5", "", cell("e6", "Bo", 0), cell("e7", "", 0))}, `
  - row [ref=e2]: "Ann | Bonn"
  - row [ref=e5]: "Bo | "`},
		{"a cell with a button keeps its ref", []*Element{row("e2", "", cell("e3", "It's: \"Ann\"", 0), cell("e4", "", 0, button))}, `
  - row [ref=e2]: '"It''s: \"Ann\"" | button "Edit" [ref=e9]'`},
		{"a cell with the focus keeps its ref", []*Element{row("e2", "", cell("e3", "Ann", 0), cell("e4", "Bonn", Focused))}, `
  - row [ref=e2]: '"Ann" | cell "Bonn" [ref=e4] [focused]'`},
		{"a table in a cell has lines of its own", []*Element{row("e2", "", cell("e3", "Ann", 0), cell("e4", "", 0, inner))}, `
  - row [ref=e2]:
    - cell "Ann" [ref=e3]
    - cell [ref=e4]:
      - table [ref=e8]:
        - row [ref=e9]: "In | side"`},
		{"cells without rows are joined by their places", []*Element{at(cell("e2", "a.txt", Selected), 0), at(cell("e3", "4 kB", Selected), 0), at(cell("e4", "b.txt", 0), 20), at(cell("e5", "5 kB", 0), 20)}, `
  - row: 'cell "a.txt" [ref=e2] [selected] | "4 kB"'
  - row: 'cell "b.txt" [ref=e4] | "5 kB"'`},
		{"cells of a sheet stay apart", []*Element{at(cell("e2", "A1", Editable), 0), at(cell("e3", "B1", Editable), 0)}, `
  - cell "A1" [ref=e2]
  - cell "B1" [ref=e3]`},
	} {
		text, _ := table(test.rows...).Outline(0)
		if diff := cmp.Diff("- table \"Sales\" [ref=e1]:"+test.want+"\n", text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.say, diff)
		}
	}
}
