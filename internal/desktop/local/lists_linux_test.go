package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/virtualtest"
	"understudy/steps/kinds"
)

// showLists shows testdata/lists.py in a toolkit; what it told is returned line by line.
func showLists(t *testing.T, toolkit string, needs ...string) (s *sight, told func() []string) {
	t.Helper()
	virtualtest.Need(t, append(needs, "/usr/bin/python3")...)
	s = look(t)
	script, err := filepath.Abs("testdata/lists.py")
	s.must(err)
	out := filepath.Join(t.TempDir(), "told")
	s.launch("sh -c 'exec env GSK_RENDERER=cairo QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 /usr/bin/python3 "+script+" "+toolkit+" >"+out+"'", "Lists")
	return s, func() []string {
		text, err := os.ReadFile(out)
		s.must(err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// outline returns the tree of the window as it is shown.
func (s *sight) outline() string {
	s.t.Helper()
	o := s.run(kinds.GetWindowTree, "title", "Lists")
	text, _ := o.Result["ui_tree"].(string)
	return text
}

const (
	gtk3Needs = "/usr/lib/*/girepository-1.0/Gtk-3.0.typelib"
	gtk4Needs = "/usr/lib/*/girepository-1.0/Gtk-4.0.typelib"
	qt6Needs  = "/usr/lib/python3/dist-packages/PyQt6"
)

// What shows more than its application tells of is marked, and what is empty is not;
// of a list with too many rows for all to be told those that show are.
func TestAtLengthTheTreeMarksWhatItOmits(t *testing.T) {
	for _, row := range []struct {
		toolkit, needs string
		opaque         int
		shows          []string
	}{
		{"gtk3", gtk3Needs, 1, []string{"[visible rows 1–3 of 5000", `cell "Big 2"`, "[visible rows 1–6 of 200", `cell "Row 5"`, `button "Page"`}},
		{"gtk4", gtk4Needs, 4, []string{`label "Row 1"`, `button "Page"`}},
		{"qt6", qt6Needs, 2, []string{"[visible rows 1–7 of 5000", `listitem "Big 6"`, `cell "Cell 1"`}},
	} {
		t.Run(row.toolkit, func(t *testing.T) {
			s, _ := showLists(t, row.toolkit, row.needs)
			s.eventually("the window shows", func() (bool, string) {
				text := s.outline()
				for _, want := range row.shows {
					if !strings.Contains(text, want) {
						return false, text
					}
				}
				return strings.Count(text, "["+desktop.Opaque+"]") == row.opaque && !strings.Contains(text, `"Row 50"`), text
			})
		})
	}
}

// The rows of a list that changes are those that show now: after rows were put in and
// taken out before them, and after others took their place as the list was scrolled.
func TestAtLengthTheCellsOfAListThatChangesAreReadAgain(t *testing.T) {
	for toolkit, needs := range map[string]string{"gtk3": gtk3Needs, "gtk4": gtk4Needs} {
		t.Run(toolkit, func(t *testing.T) {
			s, told := showLists(t, toolkit, needs)
			cell := map[string]string{"gtk3": "role:cell && name:", "gtk4": "role:list >> role:label && name:"}[toolkit]
			s.well(kinds.WaitForElement, "selector", cell+"Row 2", "timeout_ms", 60_000.0)
			first := func() string {
				tree, err := s.Tree(t.Context(), desktop.Scope{Title: "Lists", Full: true})
				s.must(err)
				for _, e := range selector.MustParse(strings.TrimSuffix(cell, " && name:")).Find(tree.Roots) {
					if strings.HasPrefix(e.Name, "Row ") || e.Name == "New" {
						return e.Name
					}
				}
				return "none"
			}
			selects := func(name string) {
				t.Helper()
				s.well(kinds.ClickElement, "selector", cell+name, "timeout_ms", 60_000.0)
				s.eventually(name+" is selected", func() (bool, string) {
					lines := told()
					return lines[len(lines)-1] == "selected "+name, fmt.Sprint(lines)
				})
			}
			selects("Row 2")
			for _, press := range []string{"Insert", "Remove", "Remove", "Remove"} {
				was := first()
				s.well(kinds.ClickElement, "selector", "role:button && name:"+press, "timeout_ms", 60_000.0)
				s.eventually("the first row is another", func() (bool, string) { now := first(); return now != was, now })
				selects("Row 3")
			}
			line := map[string]string{"gtk3": `cell "Row 3"`, "gtk4": `label "Row 3"`}[toolkit]
			ref := s.ref(s.process("Lists"), line)
			for range 10 { // until the object of that row shows another
				s.well(kinds.ClickElement, "selector", "role:button && name:Page", "timeout_ms", 60_000.0)
			}
			o := s.run(kinds.ClickElement, "ref", ref, "timeout_ms", 1_000.0)
			if lines := told(); lines[len(lines)-1] != "selected Row 3" {
				t.Errorf("a click on the ref of Row 3 selected %v, %v", lines, o.Err)
			}
		})
	}
}

// process returns the program of a window.
func (s *sight) process(title string) string {
	s.t.Helper()
	windows, err := s.Windows(s.t.Context())
	s.must(err)
	for _, w := range windows {
		if w.Title == title {
			return w.Process
		}
	}
	s.t.Fatal("no window " + title)
	return ""
}

// The box of an element of GTK 4 is where it is drawn.
func TestTheBoxesOfGTK4AreWhereTheyAreDrawn(t *testing.T) {
	s, _ := showLists(t, "gtk4", gtk4Needs)
	s.eventually("the drawn box is found", func() (bool, string) {
		tree, err := s.Tree(t.Context(), desktop.Scope{Title: "Lists", Full: true})
		s.must(err)
		found := selector.MustParse("role:panel").Find(tree.Roots)
		for _, e := range found {
			if e.Leaf && e.Bounds.H == 60 {
				p, err := s.Capture(t.Context(), desktop.Rect{X: e.Bounds.X + 9, Y: e.Bounds.Y - 1, W: 1, H: 62})
				s.must(err)
				at := func(y int) bool {
					return p.RGBAAt(p.Rect.Min.X, p.Rect.Min.Y+y).R > 0x90 && p.RGBAAt(p.Rect.Min.X, p.Rect.Min.Y+y).G < 0x30
				}
				return !at(0) && at(1) && at(60) && !at(61), fmt.Sprint(e.Bounds, at(0), at(1), at(60), at(61))
			}
		}
		return false, fmt.Sprint(len(found))
	})
}
