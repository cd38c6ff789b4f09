package observe

import (
	"testing"

	"understudy/internal/desktop"
)

// TestElementsWhosePixelsMayMatter asks of an empty panel in several places whether its
// pixels must be looked at.
func TestElementsWhosePixelsMayMatter(t *testing.T) {
	for _, c := range []struct {
		say  string
		in   desktop.Element
		want bool
	}{
		{"a window may draw its elements itself", desktop.Element{Role: "frame"}, true},
		{"an empty field may be one of a program that tells no text", desktop.Element{Role: "text"}, true},
		{"a part of a field shows the text of the field", desktop.Element{Role: "text", Text: "bread"}, false},
		{"a part of a page is decoration", desktop.Element{Role: "document"}, false},
	} {
		if got := mayBeOpaque(&desktop.Element{Role: "panel", Parent: &c.in}); got != c.want {
			t.Errorf("%s: %t, want %t", c.say, got, c.want)
		}
	}
}
