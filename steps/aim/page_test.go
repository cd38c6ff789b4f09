package aim

import (
	"slices"
	"testing"

	"understudy/internal/desktop"
)

// tree sets the parents of the elements below one.
func tree(e *desktop.Element) *desktop.Element {
	for _, c := range e.Children {
		c.Parent = e
		tree(c)
	}
	return e
}

func names(all []*desktop.Element) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

func TestElementsOfAPageComeBeforeThoseOfItsBrowser(t *testing.T) {
	bar, field, other := &desktop.Element{Name: "bar", PID: 1}, &desktop.Element{Name: "field", PID: 1}, &desktop.Element{Name: "other", PID: 2}
	tree(&desktop.Element{PID: 1, Children: []*desktop.Element{bar, {RawRole: "document web", PID: 1, Children: []*desktop.Element{field}}}})
	for _, row := range []struct {
		say         string
		found, want []*desktop.Element
	}{
		{"a field of the page", []*desktop.Element{bar, field}, []*desktop.Element{field}},
		{"only the browser's", []*desktop.Element{bar}, []*desktop.Element{bar}},
		{"another program's stays", []*desktop.Element{bar, field, other}, []*desktop.Element{field, other}},
		{"none of a page", []*desktop.Element{bar, other}, []*desktop.Element{bar, other}},
	} {
		if got := pageFirst(row.found); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.say, names(got), names(row.want))
		}
	}
}

func TestWhatCanBeScrolledToCounts(t *testing.T) {
	const shows = desktop.Showing | desktop.Visible
	page := tree(&desktop.Element{Role: "document", States: shows, Children: []*desktop.Element{
		{Name: "shown", States: shows},
		{Name: "away", States: desktop.Visible},
		{Name: "concealed"},
		{Name: "list", Children: []*desktop.Element{{Name: "item"}}},
	}})
	leaveOutConcealed(page)
	if got, want := names(page.Children), []string{"shown", "away"}; !slices.Equal(got, want) {
		t.Errorf("%q count, want %q", got, want)
	}
}

func TestWhatIsADialog(t *testing.T) {
	window := &desktop.Element{Role: "frame", Window: 1, States: desktop.Showing}
	page := &desktop.Element{Role: "document", Parent: window, States: desktop.Showing}
	for _, row := range []struct {
		say  string
		el   desktop.Element
		want bool
	}{
		{"a dialog", desktop.Element{Role: "dialog", States: desktop.Showing}, true},
		{"a closed one", desktop.Element{Role: "dialog"}, false},
		{"a message box", desktop.Element{Role: "alert", Window: 1, States: desktop.Showing}, true},
		{"the bar of a browser", desktop.Element{Role: "alert", Window: 1, Parent: window, States: desktop.Showing}, false},
		{"the bar of a browser that calls it an alert dialog", desktop.Element{Role: "alert", Parent: window, States: desktop.Showing, Attributes: map[string]string{"xml-roles": "alertdialog"}}, false},
		{"an alert dialog of a page", desktop.Element{Role: "alert", Parent: page, States: desktop.Showing, Attributes: map[string]string{"xml-roles": "alertdialog"}}, true},
		{"a message of a page", desktop.Element{Role: "alert", Parent: window, States: desktop.Showing, Attributes: map[string]string{"xml-roles": "alert"}}, false},
		{"what is modal", desktop.Element{Role: "panel", States: desktop.Showing | desktop.IsModal}, true},
	} {
		if got := isDialog(&row.el); got != row.want {
			t.Errorf("%s is a dialog: %v", row.say, got)
		}
	}
}

func TestARowTellsItsCells(t *testing.T) {
	row := &desktop.Element{Role: "row", Children: []*desktop.Element{
		{Role: "cell", Name: "Bo137"}, {Role: "cell"}, {Role: "cell", Children: []*desktop.Element{{Role: "label", Text: "8976 "}}},
	}}
	if got := Told(row).Text; got != "Bo137 | 8976" {
		t.Errorf("it tells %q", got)
	}
	if row.Name = "a row"; Told(row).Text != "" {
		t.Errorf("one with a name tells %q too", Told(row).Text)
	}
}
