package aim

import (
	"cmp"
	"fmt"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/words"
	"understudy/steps"
)

// OptionText returns what an option shows: in GTK 4 that is a label inside it.
func OptionText(option *desktop.Element) string {
	name := selector.NameOf(option)
	option.Walk(func(e *desktop.Element) bool {
		if e.Role == "label" {
			name = cmp.Or(name, selector.NameOf(e))
		}
		return name == ""
	})
	return name
}

// Options returns the elements of a list that can be chosen. In Swing those of a combo
// box are labels.
func Options(t *desktop.Tree) []*desktop.Element {
	var all, labels []*desktop.Element
	t.Walk(func(o *desktop.Element) bool {
		switch {
		case o.Role.Is(desktop.Option):
			all = append(all, o)
		case o.Role == "label" && o.Parent != nil && o.Parent.Role == "list":
			labels = append(labels, o)
		}
		return true
	})
	if len(all) == 0 {
		return labels
	}
	return all
}

// OptionNamed returns the option with a text: exactly, else ignoring case. ErrNotFound
// says that there is none.
func OptionNamed(all []*desktop.Element, name string) (*desktop.Element, error) {
	name = strings.TrimSpace(name)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []*desktop.Element
		for _, o := range all {
			if same(strings.TrimSpace(OptionText(o)), name) || same(strings.TrimSpace(o.Text), name) {
				found = append(found, o)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, &steps.Error{Code: steps.Ambiguous, Err: fmt.Errorf("%d options are called %q", len(found), name), Next: "open the list and click the right one, such as role:listitem && nth:0"}
		}
	}
	return nil, desktop.ErrNotFound
}

// NoOption returns the error of a list that has no option with a text.
func NoOption(el *desktop.Element, name string, all []*desktop.Element) error {
	err := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%s has no option %q", Describe(el), name)}
	known := make([]string, 0, len(all))
	for _, o := range all {
		known = append(known, OptionText(o))
	}
	err.Next = words.DidYouMean(name, known)
	return err
}
