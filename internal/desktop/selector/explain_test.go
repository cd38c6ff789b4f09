package selector

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// get is the element of the desk with a ref.
func get(t *testing.T, roots []*desktop.Element, ref string) *desktop.Element {
	t.Helper()
	found := MustParse("ref:" + ref).Find(roots)
	if len(found) != 1 {
		t.Fatalf("%d elements have the ref %s", len(found), ref)
	}
	return found[0]
}

func TestFor(t *testing.T) {
	for _, c := range []struct{ what, ref, want string }{
		{"an id comes first", "e12", "id:cancel"},
		{"a role and a name", "e11", "role:button && name:Save as…"},
		{"a name that two windows have", "e16", "process:zenity.exe && window:Question >> role:button && name:Save"},
		{"a label for a name", "e6", "role:entry && name:Age in years"},
		{"a field beside a label", "e4", "role:entry && rightof:(role:label && name:Name)"},
		{"a container, by count", "e9", "process:gedit && window:Form - Gedit >> role:panel && nth:1"},
		{"a window", "e13", "role:frame && name:Question"},
	} {
		roots := desk()
		all := For(get(t, roots, c.ref), roots)
		i := slices.IndexFunc(all, func(c Candidate) bool { return c.Matches == 1 })
		if i < 0 || all[i].Selector != c.want {
			t.Errorf("%s: %v; want %s to be the first that is unique", c.what, all, c.want)
		}
	}
}

func TestForNamesTheRowBeforeItCounts(t *testing.T) {
	button := func(cell string) *desktop.Element {
		return &desktop.Element{Role: "cell", Name: cell, Children: []*desktop.Element{{Role: "button", Name: "Edit"}}}
	}
	root := &desktop.Element{Role: "table", Children: []*desktop.Element{
		{Role: "row", Name: "Ada", Children: []*desktop.Element{button("Edit")}},
		{Role: "row", Name: "Grace", Children: []*desktop.Element{button("Edit")}},
	}}
	for e := range each([]*desktop.Element{root}) {
		for _, c := range e.Children {
			c.Parent = e
		}
	}
	const want = "role:row && name:Grace >> role:button && name:Edit"
	if got := bestSelector(root.Children[1].Children[0].Children[0], []*desktop.Element{root}).Selector; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestForCountsHonestly(t *testing.T) {
	roots := forest(3, 120)
	roots[0].Walk(func(e *desktop.Element) bool {
		all := For(e, roots)
		if !slices.ContainsFunc(all, func(c Candidate) bool { return c.Matches == 1 }) {
			t.Errorf("%s %q: none of %v is unique", e.Role, e.Name, all)
		}
		for _, c := range all {
			s, err := Parse(c.Selector)
			if err != nil {
				t.Errorf("%s: %v", c.Selector, err)
				continue
			}
			if found := s.Find(roots); len(found) != c.Matches || !slices.Contains(found, e) {
				t.Errorf("%s matches %d and was said to match %d, among them %s", s, len(found), c.Matches, e.Ref)
			}
		}
		return true
	})
}

// TestForListsOnlySelectorsThatParse names elements whose texts are blank, broken, or
// would mean something else in a selector.
func TestForListsOnlySelectorsThatParse(t *testing.T) {
	for _, text := range []string{" ", "\u00a0\n", "\xff", `a "b" && (c) \ d`, `{"id":5}`, "#5", "contains:x", strings.Repeat("x", MaxLength)} {
		roots := linked(el("frame", text, box(0, 0, 400, 400), el("button", text, box(0, 0, 40, 20)), el("paragraph", "", box(0, 40, 40, 20))))
		roots[0].Process = text
		last := roots[0].Children[1]
		last.Text, last.ID = text, text
		for e := range each(roots) {
			for _, c := range For(e, roots) {
				s, err := Parse(c.Selector)
				if err != nil {
					t.Errorf("%q: %v", text, err)
				} else if found := s.Find(roots); len(found) != c.Matches || !slices.Contains(found, e) {
					t.Errorf("%q: %s matches %d, and was said to match %d, among them %s", text, s, len(found), c.Matches, e.Ref)
				}
			}
		}
	}
}

func TestForKnowsAnElementThatWasReadAgain(t *testing.T) {
	roots := desk()
	get(t, roots, "e11").Handle = "h11"
	if all := For(&desktop.Element{Handle: "h11"}, roots); len(all) == 0 || all[0].Selector != "role:button && name:Save as…" {
		t.Errorf("%v, want it known by its handle", all)
	}
	if all := For(&desktop.Element{Role: "button"}, roots); all != nil {
		t.Errorf("%v for an element that is not there", all)
	}
}

func TestFleetingNamesComeLate(t *testing.T) {
	roots := linked(el("frame", "Mail", box(0, 0, 400, 400),
		el("list", "Inbox", box(0, 0, 400, 400), el("listitem", "From Ann, 3 hours ago", box(0, 0, 400, 20)))))
	all := For(get(t, roots, "e3"), roots)
	if all[0].Selector != "role:list && name:Inbox >> role:listitem" {
		t.Errorf("%v; want the name that will change after the list that it is in", all)
	}
}

func TestGeneratedIDsComeLast(t *testing.T) {
	for id, lasts := range map[string]bool{
		"submit": true, "btn-save-2": true, "MainWindow.qt_toolbar1": true, "field_1234": true, "radixSort": true, "mat-label": true, "user_remember_me_": true,
		"3f2b8c1e-9d4a-4b7e-8f00-1a2b3c4d5e6f": true, "row20261126103000": true, "mui-component-select-age": true,
		":r5:": false, "radix-:r1a:-trigger": false, "\u00abr3\u00bb": false, "_r_2_": false, "ember1042": false, "headlessui-menu-button-7": false, "react-aria-12": false,
		"mui-31": false, "cdk-overlay-3": false, "ext-gen1042": false, "__BVID__12": false,
	} {
		roots := linked(el("frame", "Shop", box(0, 0, 400, 400), el("button", "Save", box(0, 0, 40, 20))))
		roots[0].Children[0].ID = id
		all := For(roots[0].Children[0], roots)
		first, last := all[0].Selector == "id:"+id, strings.HasSuffix(all[len(all)-1].Selector, "id:"+id)
		if first != lasts || last == lasts {
			t.Errorf("%s: %v", id, all)
		}
	}
}

func TestTrace(t *testing.T) {
	for _, c := range []struct {
		selector string
		want     []Candidate
	}{
		{"window:Form >> role:button", []Candidate{{"window:Form", 1}, {"window:Form >> role:button", 3}}},
		{"window:Form >> role:button && name:Sav >> role:label", []Candidate{
			{"window:Form", 1},
			{"window:Form >> role:button && name:Sav", 0},
			{"window:Form >> role:button", 3},
			{"window:Form >> name:Sav", 0},
		}},
		{"window:Form >> image:x.png", []Candidate{{"window:Form", 1}}},
	} {
		if diff := cmp.Diff(c.want, MustParse(c.selector).Trace(desk())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.selector, diff)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ what, selector, want string }{
		{"one match needs no words", "name:Cancel", ""},
		{"two matches", "name:Save", `2 elements match name:Save and one was wanted:
  button "Save" in "Form - Gedit": process:gedit && window:Form - Gedit >> role:button && name:Save
  button "Save" in "Question": process:zenity.exe && window:Question >> role:button && name:Save`},
		{
			"a name that is wrong by a letter", "window:Form >> role:button && name:Cancle",
			`nothing matches window:Form >> role:button && name:Cancle (window:Form: 1; window:Form >> role:button && name:Cancle: 0; window:Form >> role:button: 3; window:Form >> name:Cancle: 0); nearest:
  button "Cancel" [disabled] in "Form - Gedit": id:cancel
  button "Save" in "Form - Gedit": process:gedit && window:Form - Gedit >> role:button && name:Save
  button "Save as…" in "Form - Gedit": role:button && name:Save as…`,
		},
		{"a name in other letters", "name:SAVE AS…", `nothing matches name:SAVE AS…; nearest:
  button "Save as…" in "Form - Gedit": role:button && name:Save as…
  button "Save" in "Form - Gedit": process:gedit && window:Form - Gedit >> role:button && name:Save
  button "Save" in "Question": process:zenity.exe && window:Question >> role:button && name:Save`},
		{"a window that is not there", "window:Questoin >> role:button", `nothing matches window:Questoin >> role:button; nearest:
  frame "Question": role:frame && name:Question`},
		{"nothing like it", "name:Wxyz", "nothing matches name:Wxyz"},
	} {
		why, _ := MustParse(c.selector).Explain(desk())
		if diff := cmp.Diff(c.want, why); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	many, _ := MustParse("visible:true").Explain(desk())
	if !strings.HasSuffix(many, "\n  and 11 more") {
		t.Errorf("of many matches it says\n%s\nwant how many more there are", many)
	}
}

func TestFillLabels(t *testing.T) {
	roots := linked(el("frame", "Form", box(0, 0, 500, 300),
		el("label", "Name", box(10, 10, 80, 20)), el("entry", "", box(100, 10, 100, 20)), el("entry", "", box(210, 10, 100, 20)),
		el("label", "Notes:", box(10, 50, 200, 20)), el("text", "", box(10, 75, 300, 100)),
		el("entry", "Own", box(100, 200, 100, 20)), el("label", "Other", box(10, 200, 80, 20)),
		el("statusbar", "", box(0, 300, 500, 30), el("label", "Take care.", box(10, 305, 100, 20))), el("text", "", box(0, 335, 500, 200)),
		el("label", strings.Repeat("Prose. ", 10), box(0, 540, 500, 20)), el("text", "", box(0, 565, 500, 100)),
		el("label", "Far away", box(0, 700, 500, 20)), el("text", "", box(0, 800, 500, 100)),
		el("toolbar", "", box(0, 900, 500, 30), el("label", "Find:", box(0, 905, 50, 20)), el("entry", "", box(60, 905, 100, 20))),
		el("slider", "", box(0, 935, 50, 20)),
		el("dialog", "Over it", box(0, 1000, 500, 100), el("label", "Replace:", box(60, 1005, 50, 20)), el("entry", "", box(60, 1030, 50, 20))),
		el("text", "", box(120, 1005, 300, 20))))
	FillLabels(roots)
	for ref, want := range map[string]string{"e3": "Name", "e4": "", "e6": "Notes:", "e7": "", "e11": "", "e13": "", "e15": "", "e18": "Find:", "e19": "", "e22": "Replace:", "e23": ""} {
		if got := get(t, roots, ref).Label; got != want {
			t.Errorf("%s is labelled %q, want %q", ref, got, want)
		}
	}
}
