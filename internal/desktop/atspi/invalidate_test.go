//go:build linux

package atspi

import (
	"fmt"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
)

// windowOfItems is a window with a scroll bar and a list of rows.
func windowOfItems(rows int) items {
	const frame, bar, list, row = 23, 48, 31, 32
	told := [][]any{
		newRow("/f", "/top", 0, 2, frame, showing, "window"),
		newRow("/bar", "/f", 0, 0, bar, showing, ""),
		newRow("/list", "/f", 1, rows, list, showing, "list"),
	}
	for i := range rows {
		told = append(told, newRow(fmt.Sprintf("/row%d", i), "/list", i, 0, row, showing, fmt.Sprint("row ", i)))
	}
	return parseItems(told)
}

func TestEventsInvalidateOnlyTheirElements(t *testing.T) {
	its := windowOfItems(5)
	for _, row := range []struct {
		say    string
		events [][3]string // member, detail, path
		want   int         // how many are read again; -1 is all
	}{
		{"nothing happened", nil, 0},
		{"a button is pressed", [][3]string{{"StateChanged", "pressed", "/row1"}}, 1},
		{"twice the same", [][3]string{{"StateChanged", "focused", "/row1"}, {"StateChanged", "focused", "/row1"}}, 1},
		{"the focus goes from one to another", [][3]string{{"StateChanged", "focused", "/row1"}, {"StateChanged", "focused", "/row2"}}, 2},
		{"a list is hidden with its rows", [][3]string{{"StateChanged", "showing", "/list"}}, 6},
		{"a progress bar is drawn anew", [][3]string{{"BoundsChanged", "", "/row3"}}, 1},
		{"two rows may have changed places", [][3]string{{"BoundsChanged", "", "/row3"}, {"BoundsChanged", "", "/row4"}}, -1},
		{"a progress bar has a new value", [][3]string{{"PropertyChange", "accessible-value", "/row3"}}, 0},
		{"a list is scrolled", [][3]string{{"PropertyChange", "accessible-value", "/bar"}}, -1},
		{"a name is changed", [][3]string{{"PropertyChange", "accessible-name", "/row3"}}, 1},
		{"a role is changed", [][3]string{{"PropertyChange", "accessible-role", "/row3"}}, -1},
		{"a row comes", [][3]string{{"ChildrenChanged", "add", "/list"}}, -1},
		{"a window opens", [][3]string{{"Create", "", "/other"}}, -1},
		{"an item is told of", [][3]string{{"AddAccessible", "", "/cache"}}, -1},
		{"something that is not known", [][3]string{{"Sparkled", "", "/row1"}}, -1},
		{"an object that was not told of", [][3]string{{"StateChanged", "focused", "/elsewhere"}}, 0},
	} {
		t.Run(row.say, func(t *testing.T) {
			n := newSignals()
			for _, e := range row.events {
				n.DeliverSignal("", e[0], &dbus.Signal{Sender: ":1.1", Path: dbus.ObjectPath(e[2]), Body: []any{e[1]}})
			}
			_, objects, clear := n.since(":1.1", 0)
			list, few := its.invalidated(objects)
			got := len(list)
			if !clear || !few {
				got = -1
			}
			if got != row.want {
				t.Errorf("%d are read again, want %d", got, row.want)
			}
		})
	}
}

func TestEventsThatWereHeededAreNotHeededAgain(t *testing.T) {
	n := newSignals()
	send := func(member, detail, path string) {
		n.DeliverSignal("", member, &dbus.Signal{Sender: ":1.1", Path: dbus.ObjectPath(path), Body: []any{detail}})
	}
	send("ChildrenChanged", "add", "/list")
	send("StateChanged", "checked", "/row1")
	now, _, clear := n.since(":1.1", 0)
	if clear {
		t.Error("a child that came is no matter of one object")
	}
	send("StateChanged", "checked", "/row2")
	_, objects, clear := n.since(":1.1", now)
	if !clear || len(objects) != 1 || objects["/row2"] != invalidatesObject {
		t.Errorf("%v, %v; want only the second row", objects, clear)
	}
}

func TestThatManyObjectsChangeIsAsIfAllDid(t *testing.T) {
	its := windowOfItems(2 * manyChanges)
	if list, few := its.invalidated(map[dbus.ObjectPath]invalidation{"/list": invalidatesSubtree}); few {
		t.Errorf("%d of the rows are read one by one", len(list))
	}
	n := newSignals()
	for i := range manyChanges + 1 {
		n.DeliverSignal("", "StateChanged", &dbus.Signal{Sender: ":1.1", Path: dbus.ObjectPath(fmt.Sprintf("/row%d", i)), Body: []any{"checked"}})
	}
	if _, objects, clear := n.since(":1.1", 0); clear {
		t.Errorf("%d objects changed, and that is still clear", len(objects))
	}
}

func TestItemsThatOthersHoldStayAsTheyAre(t *testing.T) {
	its := windowOfItems(3)
	row := its["/row1"]
	hidden := row.basics
	hidden.states, hidden.name = 0, "another name"
	now := its.withBasics(map[*item]*basics{row: &hidden})
	if row.name != "row 1" || !row.shows || its["/list"].kids[1] != row {
		t.Error("the items that were there have changed")
	}
	got := now["/list"].kids[1]
	if got.name != "another name" || got.shows || got != now["/row1"] {
		t.Errorf("the new row is %+v", got)
	}
	if diff := cmp.Diff(its["/f"].descendants, now["/f"].descendants); diff != "" || !now["/list"].shows {
		t.Error("what is below the window is not what was: ", diff)
	}
}
