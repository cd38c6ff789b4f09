package desktop

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutlineSaysNothingTwice(t *testing.T) {
	el := func(ref string, role Role, name string, children ...*Element) *Element {
		e := &Element{Handle: Handle(ref), Ref: ref, Role: role, Name: name, States: Enabled | Showing, Bounds: Rect{W: 1, H: 1}, Children: children}
		for _, c := range children {
			c.Parent = e
		}
		return e
	}
	with := func(e *Element, change func(*Element)) *Element { change(e); return e }
	text := func(text string) func(*Element) { return func(e *Element) { e.Text = text } }
	value := func(e *Element) { e.Value = &Range{Max: 1} }
	readOnly := func(e *Element) { e.States |= ReadOnly }
	focused := func(e *Element) { e.States |= Focused }
	active := func(e *Element) { e.States |= Active }
	noRoom := func(e *Element) { e.Bounds = Rect{} }
	for _, c := range []struct {
		say  string
		in   []*Element
		want string
	}{
		{
			"a cell, its link and its label are one row, by the link",
			[]*Element{el("e1", "cell", "open 1", el("e2", "link", "open 1", el("e3", "label", "open 1")))},
			"- cell > link \"open 1\" [ref=e2]\n",
		},
		{
			"a place that is marked stays",
			[]*Element{with(el("e1", "listitem", "one", el("e2", "link", "one")), func(e *Element) { e.States |= Selected })},
			"- listitem \"one\" [ref=e1] [selected]:\n  - link \"one\" [ref=e2]\n",
		},
		{
			"a cell with two buttons stays",
			[]*Element{el("e1", "cell", "", el("e2", "button", "a"), el("e3", "button", "b"))},
			"- cell [ref=e1]:\n  - button \"a\" [ref=e2]\n  - button \"b\" [ref=e3]\n",
		},
		{
			"windows of pages that nobody sees are left out",
			[]*Element{el("e1", "frame", "Order", el("e2", "document", "Order")), el("e3", "frame", "", el("e4", "panel", "", with(el("e5", "document", ""), focused)))},
			"- frame \"Order\" [ref=e1]:\n  - document \"Order\" [ref=e2]\n",
		},
		{
			"a window without a name stays if it has the keyboard, or if its page holds something",
			[]*Element{with(el("e1", "frame", "", el("e2", "document", "")), active), el("e3", "frame", "", el("e4", "document", "", el("e5", "button", "Go")))},
			"- frame [ref=e1] [active]:\n  - document [ref=e2]\n- frame [ref=e3]:\n  - document [ref=e4]:\n    - button \"Go\" [ref=e5]\n",
		},
		{
			"a heading keeps its words once",
			[]*Element{el("e1", "heading", "Order", el("e2", "label", "Order"))},
			"- heading \"Order\" [ref=e1]\n",
		},
		{
			"of a label in a label the one with a name stays",
			[]*Element{with(el("e1", "label", "", el("e2", "label", "Size")), text("Size"))},
			"- label \"Size\" [ref=e2]\n",
		},
		{
			"the words of a button that says others stay",
			[]*Element{el("e1", "button", "Save", el("e2", "label", "Ctrl+S"))},
			"- button \"Save\" [ref=e1]:\n  - label \"Ctrl+S\" [ref=e2]\n",
		},
		{
			"a button without a name keeps the words in it",
			[]*Element{el("e1", "button", "", el("e2", "label", "Save"))},
			"- button [ref=e1]:\n  - label \"Save\" [ref=e2]\n",
		},
		{
			"the label of a field is its name",
			[]*Element{el("e1", "label", "Age"), with(el("e2", "entry", ""), func(e *Element) { e.Label = "Age" }), el("e3", "label", "years"), el("e4", "entry", "Height")},
			"- entry \"Age\" [ref=e2]\n- label \"years\" [ref=e3]\n- entry \"Height\" [ref=e4]\n",
		},
		{
			"the label beside a checkbox is its name, and can always only be read",
			[]*Element{with(el("e1", "label", "Smooth:"), readOnly), el("e2", "checkbox", "Smooth:"), with(el("e3", "label", "Age"), readOnly)},
			"- checkbox \"Smooth:\" [ref=e2]\n- label \"Age\" [ref=e3]\n",
		},
		{
			"words without words and paragraphs are no rows",
			[]*Element{el("e1", "label", ""), el("e2", "paragraph", "", el("e3", "checkbox", "a"), el("e4", "checkbox", "b"))},
			"- checkbox \"a\" [ref=e3]\n- checkbox \"b\" [ref=e4]\n",
		},
		{
			"a table in a window stays",
			[]*Element{el("e1", "frame", "Files", el("e2", "table", "", el("e3", "cell", "a"), el("e4", "cell", "b")))},
			"- frame \"Files\" [ref=e1]:\n  - table [ref=e2]:\n    - row: 'cell \"a\" [ref=e3] | \"b\"'\n",
		},
		{
			"a button has no value, a slider has",
			[]*Element{with(el("e1", "button", "Cut"), value), with(el("e2", "slider", "Size"), value)},
			"- button \"Cut\" [ref=e1]\n- slider \"Size\" [ref=e2] [value=0 in 0 to 1]\n",
		},
		{
			"a cell that is drawn as an icon and a name is one row, by the name",
			[]*Element{el("e1", "cell", "", el("e2", "cell", ""), el("e3", "cell", "photo.png"))},
			"- cell \"photo.png\" [ref=e3]\n",
		},
		{
			"a part of a cell that takes up no room is no row",
			[]*Element{el("e1", "cell", "", with(el("e2", "cell", "Trash"), noRoom), el("e3", "cell", "Trash"), with(el("e4", "cell", ""), noRoom))},
			"- cell \"Trash\" [ref=e3]\n",
		},
		{
			"a part of a cell that can be toggled stays",
			[]*Element{el("e1", "cell", "", with(el("e2", "cell", ""), func(e *Element) { e.Actions = []string{"toggle"} }), el("e3", "cell", "Bold"))},
			"- cell [ref=e1]:\n  - cell [ref=e2]\n  - cell \"Bold\" [ref=e3]\n",
		},
		{
			"the text of a form that is that of its labels is said once",
			[]*Element{with(el("e1", "form", "", with(el("e2", "label", "Day "), text("Day")), el("e3", "entry", "a"), el("e4", "label", "Time")), text("DayTime"))},
			"- form [ref=e1]:\n  - label \"Day\" [ref=e2]\n  - entry \"a\" [ref=e3]\n  - label \"Time\" [ref=e4]\n",
		},
	} {
		got, _ := (&Tree{Roots: c.in}).Outline(0)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.say, diff)
		}
	}
}

func TestAChangeOfARowIsReportedOnce(t *testing.T) {
	tree := func(name string) *Tree {
		return &Tree{Roots: []*Element{{Handle: "c", Ref: "e1", Role: "cell", Name: name, Children: []*Element{{Handle: "l", Ref: "e2", Role: "link", Name: name, States: Enabled, Children: []*Element{
			{Handle: "t", Ref: "e3", Role: "label", Name: name, Text: name},
		}}}}}}
	}
	changes := DiffTrees(tree("open 1"), tree("open 2"))
	if len(changes) != 1 || changes[0].String() != `~ link "open 2" [ref=e2]: name "open 1" → "open 2"` {
		t.Errorf("changes %v, want that of the link alone", changes)
	}
}

func TestAFieldAndItsLabelAreOneMatch(t *testing.T) {
	el := func(ref string, role Role, name string, children ...*Element) *Element {
		e := &Element{Handle: Handle(ref), Ref: ref, Role: role, Name: name, Children: children}
		for _, c := range children {
			c.Parent = e
		}
		return e
	}
	for _, c := range []struct {
		say  string
		in   *Element
		want string
	}{
		{"a label around its field", el("e1", "form", "", el("e2", "label", "Sort ", el("e3", "combobox", "Sort"))), "e3"},
		{"a label beside its field", el("e1", "form", "", el("e2", "panel", "", el("e3", "label", "Sort")), el("e4", "panel", "", el("e5", "combobox", "Sort"))), "e5"},
		{"a checkbox and its label", el("e1", "form", "", el("e2", "checkbox", "Sort"), el("e3", "label", "Sort")), "e2"},
		{"two fields of one name", el("e1", "form", "", el("e2", "label", "Sort"), el("e3", "entry", "Sort"), el("e4", "label", "Sort"), el("e5", "entry", "Sort")), "e3 e5"},
		{"words elsewhere", el("e1", "frame", "", el("e2", "panel", "", el("e3", "panel", "", el("e4", "panel", "", el("e5", "entry", "Sort")))), el("e6", "label", "Sort")), "e5 e6"},
		{"a button, which has no label", el("e1", "form", "", el("e2", "label", "Sort"), el("e3", "button", "Sort")), "e2 e3"},
	} {
		var all []*Element
		c.in.Walk(func(e *Element) bool {
			if strings.TrimSpace(e.Name) == "Sort" {
				all = append(all, e)
			}
			return true
		})
		var refs []string
		for _, e := range Distinct(all, []*Element{c.in}) {
			refs = append(refs, e.Ref)
		}
		if got := strings.Join(refs, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.say, got, c.want)
		}
	}
}
