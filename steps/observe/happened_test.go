package observe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// row is a button of a window, as it was read once.
func row(handle, name string, states desktop.States) *desktop.Element {
	return &desktop.Element{Handle: desktop.Handle(handle), Role: "button", Name: name, States: states | desktop.Enabled}
}

func TestReportOfWindowChanges(t *testing.T) {
	dialog := &desktop.Element{Handle: "d", Role: "alert", Name: "Error", Children: []*desktop.Element{
		{Handle: "l", Role: "label", Name: "Division by zero is undefined"}, row("o", "OK", 0),
	}}
	var many []*desktop.Element
	for i := range mostChanges + 3 {
		many = append(many, row(fmt.Sprint("m", i), fmt.Sprint("Row ", i), 0))
	}
	for _, c := range []struct {
		say           string
		before, after []*desktop.Element
		want          []string
	}{
		{"nothing", []*desktop.Element{row("a", "A", 0)}, []*desktop.Element{row("a", "A", 0)}, nil},
		{
			"the focus comes before other changes",
			[]*desktop.Element{row("a", "A", desktop.Focused), row("b", "B", 0), row("c", "C", 0)},
			[]*desktop.Element{row("a", "A", 0), row("b", "B", desktop.Focused), row("c", "See", 0)},
			[]string{`focus: button "B" [focused]`, `~ button "See": name "C" → "See"`},
		},
		{
			"what appeared is shown with its text and its buttons",
			[]*desktop.Element{row("a", "A", 0)},
			[]*desktop.Element{row("a", "A", 0), dialog},
			[]string{"+ alert \"Error\":\n    - label \"Division by zero is undefined\"\n    - button \"OK\""},
		},
		{"what is gone is one line", []*desktop.Element{row("a", "A", 0), dialog}, []*desktop.Element{row("a", "A", 0)}, []string{`- alert "Error" with 2 inside`}},
	} {
		t.Run(c.say, func(t *testing.T) {
			got := treeHappened(desktop.DiffTrees(&desktop.Tree{Roots: c.before}, &desktop.Tree{Roots: c.after}), row("x", "X", 0))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	own := treeHappened(desktop.DiffTrees(&desktop.Tree{Roots: []*desktop.Element{row("a", "A", 0)}}, &desktop.Tree{Roots: []*desktop.Element{row("a", "A", desktop.Focused)}}), row("a", "A", 0))
	if len(own) != 0 {
		t.Errorf("the focus of the element that was acted on is told as %q", own)
	}
	all := treeHappened(desktop.DiffTrees(&desktop.Tree{}, &desktop.Tree{Roots: many}), nil)
	if len(all) != mostChanges+1 || !strings.HasPrefix(all[mostChanges], "… 3 more changes") {
		t.Errorf("many changes are told as %q", all)
	}
}

// TestWindowsOfAReport reads the windows that windowsHappened reports.
func TestWindowsOfAReport(t *testing.T) {
	title := "Save \"a\"\nopened: window \"B\" of c"
	report := windowsHappened(t.Context(), nil, desktop.Windows{{ID: 1, Title: title, Process: "notes"}, {ID: 2, Title: "List", Process: "notes", Popup: true}}, desktop.Windows{})
	opened, closed := WindowsIn(strings.Join(report, "\n") + "\nopened: window \"New\" of mail app\n  - button \"opened: window\"\n  opened: window \"No\" of notes")
	if diff := cmp.Diff([]desktop.Window{{Title: title, Process: "notes"}}, closed); diff != "" {
		t.Errorf("closed: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]desktop.Window{{Title: "New", Process: "mail app"}}, opened); diff != "" {
		t.Errorf("opened: -want +got:\n%s", diff)
	}
}
