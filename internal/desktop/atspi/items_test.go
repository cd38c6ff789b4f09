//go:build linux

package atspi

import (
	"math"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

const showing = uint32(1 << bitShowing)

func pair(path string) []any { return []any{":1.1", dbus.ObjectPath(path)} }

// newRow is an item in the form with an index and a number of children.
func newRow(path, parent string, index, count int, role, states uint32, name string) []any {
	return []any{pair(path), pair("/top"), pair(parent), int32(index), int32(count), []string{ifaceText, ifaceComponent}, name, role, "", []uint32{states, 0}}
}

// oldRow is an item in the form with the list of children.
func oldRow(path, parent string, kids []string, role, states uint32, name string) []any {
	list := [][]any{}
	for _, k := range kids {
		list = append(list, pair(k))
	}
	return []any{pair(path), pair("/top"), pair(parent), list, []string{ifaceText}, name, role, "", []uint32{states, 0}}
}

func TestItemsAreTiedTogether(t *testing.T) {
	const frame, button, menu, item = 23, 43, 33, 35
	its := parseItems([][]any{
		newRow("/b", "/f", 1, 0, button, 0, "second"),
		newRow("/a", "/f", 0, 0, button, showing, "first"),
		newRow("/f", "/top", 0, 3, frame, 0, "window"),
		newRow("/m", "/f", 2, 1, menu, 0, "menu"),
		newRow("/i", "/m", 0, 0, item, showing, "item"),
		newRow("/lost", "/nowhere", 0, 2, button, 0, "without its parent"),
		{"not", "an", "item"},
	})
	if len(its) != 6 {
		t.Fatalf("%d items, want 6", len(its))
	}
	f := its["/f"]
	var names []string
	for _, k := range f.kids {
		names = append(names, k.name)
	}
	if diff := cmp.Diff([]string{"first", "second", "menu"}, names); diff != "" {
		t.Error("the children are out of order: ", diff)
	}
	if !f.complete || !f.shows || !f.menuOpen || f.descendants != 4 {
		t.Errorf("the frame: whole %v, shows %v, opened %v, below %d; want all, and 4", f.complete, f.shows, f.menuOpen, f.descendants)
	}
	if its["/lost"].complete {
		t.Error("an item with two children that are not told is whole")
	}
	if its["/a"].offers != offersText|offersComponent {
		t.Errorf("offers %b", its["/a"].offers)
	}
}

func TestItemsOfTheOlderFormAreAskedForTheirOrder(t *testing.T) {
	its := parseItems([][]any{
		oldRow("/f", "/top", []string{"/a", "/b"}, 23, showing, "window"),
		oldRow("/b", "/f", nil, 43, showing, "second"),
		oldRow("/a", "/f", nil, 43, showing, "first"),
	})
	f := its["/f"]
	if f == nil || f.count != 2 || len(f.kids) != 2 || f.name != "window" || f.complete {
		t.Errorf("%+v: want two children in an order that is not known", f)
	}
}

func TestItemsThatBiteTheirTailEnd(t *testing.T) {
	its := parseItems([][]any{
		newRow("/a", "/b", 0, 1, 39, showing, "a"),
		newRow("/b", "/a", 0, 1, 39, showing, "b"),
		newRow("/c", "/c", 0, 1, 39, showing, "its own parent"),
	})
	if len(its) != 3 {
		t.Errorf("%d items, want 3", len(its))
	}
}

func TestBoxesThatCannotBeAreEmpty(t *testing.T) {
	for name, test := range map[string]struct {
		box  []any
		want desktop.Rect
	}{
		"a box":                    {[]any{int32(1), int32(2), int32(3), int32(4)}, desktop.Rect{X: 1, Y: 2, W: 3, H: 4}},
		"left of the screen":       {[]any{int32(-10), int32(2), int32(30), int32(4)}, desktop.Rect{X: -10, Y: 2, W: 30, H: 4}},
		"scrolled away":            {[]any{int32(math.MinInt32), int32(math.MinInt32), int32(30), int32(4)}, desktop.Rect{}},
		"without a size":           {[]any{int32(5), int32(5), int32(0), int32(0)}, desktop.Rect{}},
		"not known":                {[]any{int32(-1), int32(-1), int32(-1), int32(-1)}, desktop.Rect{}},
		"of the wrong type":        {[]any{"1", "2", "3", "4"}, desktop.Rect{}},
		"with two numbers missing": {[]any{int32(1), int32(2)}, desktop.Rect{}},
		"nothing":                  {nil, desktop.Rect{}},
	} {
		if got := rectOf(test.box); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestStatesInOurWords(t *testing.T) {
	bits := func(list ...int) (b uint64) {
		for _, i := range list {
			b |= 1 << i
		}
		return b
	}
	for name, test := range map[string]struct {
		bits uint64
		want desktop.States
	}{
		"enabled the way of GTK 4":          {bits(bitSensitive), desktop.Enabled},
		"closed, because it could be open":  {bits(bitExpandable), desktop.Collapsed},
		"open":                              {bits(bitExpandable, bitExpanded), desktop.Expanded},
		"a state of the second word":        {bits(bitReadOnly), desktop.ReadOnly},
		"what is of no interest":            {bits(0, 2, 3, 14, 38), 0},
		"a password that has the keyboard":  {bits(bitFocused, bitFocusable, bitEditable), desktop.Focused | desktop.Focusable | desktop.Editable},
		"gone":                              {bits(bitDefunct), desktop.Defunct},
		"a box in a state between the two":  {bits(bitIndeterminate, bitChecked), desktop.Indeterminate | desktop.Checked},
		"shows, and is meant to":            {bits(bitShowing, bitVisible), desktop.Showing | desktop.Visible},
		"a list that takes more than one":   {bits(bitMultiSelectable), desktop.MultiSelectable},
		"a dialog that blocks its parent":   {bits(bitModal, bitActive), desktop.IsModal | desktop.Active},
		"an option that is chosen":          {bits(bitSelectable, bitSelected), desktop.Selectable | desktop.Selected},
		"a field that must be filled":       {bits(bitRequired, bitMultiLine), desktop.Required | desktop.MultiLine},
		"a toggle button that is held down": {bits(bitPressed), desktop.Pressed},
	} {
		if got := statesOf(test.bits); got != test.want {
			t.Errorf("%s: %v, want %v", name, got.Names(), test.want.Names())
		}
	}
}

func TestAPasswordIsNeverShown(t *testing.T) {
	if got := shown("password", "hush€"); got != "●●●●●" {
		t.Errorf("%q, want five bullets", got)
	}
	if got := shown("entry", "a\ufffcb"); got != "ab" {
		t.Errorf("%q, want %q", got, "ab")
	}
}

// However long the lines of an editor are, no more of its text is kept than of another's.
func TestAPassageHasSoManyCharactersAtMost(t *testing.T) {
	n := &node{object: object{":1.1", "/1"}, basics: basics{role: number16("entry"), states: 1 << bitEditable}}
	p := &pipeline{}
	n.askText(p, 4)
	for _, reply := range [][]any{{dbus.MakeVariant(int32(2))}, {embedded + embedded}} {
		r := p.queue[0]
		p.queue = p.queue[1:]
		r.then(reply, nil)
	}
	n.details.passage.inside = []*passage{{text: "äbc", block: true}, {text: "def", block: true}}
	if got := n.details.passage.String(); got != "äbc\n" {
		t.Errorf("%q, want four characters", got)
	}
}

// Also where the text holds what stands for an element in it.
func TestAPasswordHasNoPassages(t *testing.T) {
	p := &pipeline{}
	n := &node{object: object{":1.1", "/1"}, basics: basics{role: number16("password text"), states: 1 << bitEditable}}
	n.askText(p, maxText)
	for replies := [][]any{{dbus.MakeVariant(int32(5))}, {"hu" + embedded + "sh"}}; len(p.queue) > 0 && len(replies) > 0; replies = replies[1:] {
		r := p.queue[0]
		p.queue = p.queue[1:]
		r.then(replies[0], nil)
	}
	if d := n.details; d.passage != nil || d.text != "●●●●●" || len(p.queue) > 0 {
		t.Errorf("%+v, %d more calls, want five bullets", d, len(p.queue))
	}
}

func TestTheDefaultActionIsTheNamedOne(t *testing.T) {
	for _, test := range []struct {
		actions []string
		name    string
		want    int
	}{
		{[]string{"showContextMenu", "click"}, "", 1},
		{[]string{"SetFocus", "Press"}, "", 1},
		{[]string{"ShowMenu"}, "", -1},
		{[]string{"a", "b"}, "B", 1},
		{[]string{"a", "b"}, "c", -1},
		{nil, "", -1},
	} {
		if got := actionIndex(test.actions, test.name); got != test.want {
			t.Errorf("%q of %q: %d, want %d", test.name, test.actions, got, test.want)
		}
	}
}

func FuzzParseHandle(f *testing.F) {
	f.Add("e|:1.1|/a/b|/f")
	f.Add("e|:1.1|/a/b|:1.2/f")
	f.Add("|||")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseHandle(desktop.Handle(text))
		if err != nil {
			return
		}
		if got := p.handle(); got != desktop.Handle(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
