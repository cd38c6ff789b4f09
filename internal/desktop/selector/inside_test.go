package selector

import (
	"testing"

	"understudy/internal/desktop"
)

// text: beside a role means the words inside an element where no element has them itself.
func TestTextMayBeInsideAnElement(t *testing.T) {
	label := func(name string) *desktop.Element { return &desktop.Element{Role: "label", Name: name} }
	item := func(inside ...*desktop.Element) *desktop.Element {
		return &desktop.Element{Role: "listitem", Children: []*desktop.Element{{Role: "panel", Children: inside}}}
	}
	malta := item(label("Malta"), label("an"), label("island"))
	islands := item(label("Islands"), item(label("Fiji"), label("far away")), malta)
	root := &desktop.Element{Role: "frame", Children: []*desktop.Element{islands, {Role: "listitem", Text: "Fiji itself"}, label("Malta")}}
	adopt(root)
	for _, row := range []struct {
		say, selector string
		matches       int
	}{
		{"the innermost with the words counts", "role:listitem && text:Malta", 1},
		{"words are read across elements", "role:listitem && text:an island", 1},
		{"an element with the text itself comes before those with it inside", "role:listitem && text:Fiji", 1},
		{"without a role only the text itself counts", "text:Malta", 2},
		{"what is negated is not looked for inside", "role:listitem && !text:Malta", 4},
		{"words of nobody match nothing", "role:listitem && text:Capri", 0},
	} {
		s, err := Parse(row.selector)
		if err != nil {
			t.Fatal(err)
		}
		if found := s.Find([]*desktop.Element{root}); len(found) != row.matches {
			t.Errorf("%s: %s matches %d elements, want %d", row.say, row.selector, len(found), row.matches)
		}
	}
}

// adopt makes every element the parent of its children.
func adopt(e *desktop.Element) {
	for _, c := range e.Children {
		c.Parent = e
		adopt(c)
	}
}
