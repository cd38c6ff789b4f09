package compile

import (
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

// TestAContentIsNoName has a field whose content, with characters that need no quotes in
// a selector, is its name.
func TestAContentIsNoName(t *testing.T) {
	for _, content := range []string{"eggs, milk", "Good morning!", `C:\notes`, "Q&A", `a "b"`} {
		field := &recorder.Seen{
			Element:   desktop.Element{Role: "text", Name: content, Text: content},
			Selectors: []selector.Candidate{{Selector: "role:text && name:" + content, Matches: 1}, {Selector: "role:text", Matches: 1}},
		}
		if got := unique(field)[0]; got != "role:text" {
			t.Errorf("a field that holds %q is found by %s", content, got)
		}
	}
}

// TestAGuessedSelectorFindsItsElement guesses a selector for a name that needs care.
func TestAGuessedSelectorFindsItsElement(t *testing.T) {
	for _, name := range []string{"Quitter\u00a0!", "Save, then\tclose", "contains nothing", `"quoted"`, "one | two"} {
		e := &desktop.Element{Role: "button", Name: name, States: desktop.Showing}
		sel := (&step{}).guessSelector(&recorder.Seen{Element: *e})
		if s, err := selector.Parse(sel); err != nil || len(s.Find([]*desktop.Element{e})) != 1 {
			t.Errorf("%q is not found by %s: %v", name, sel, err)
		}
	}
}
