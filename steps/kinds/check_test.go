package kinds

import (
	"strings"
	"testing"

	"understudy/steps"
)

func TestCheckOfRealKinds(t *testing.T) {
	for _, c := range []struct {
		say  string
		kind steps.Kind
		args map[string]any
		want string // in what is wrong; "" means nothing is
	}{
		{"a null where nothing is needed is nothing", ClickElement, args("selector", "name:x", "count", nil, "x", nil, "targets", nil), ""},
		{"a null where something is needed", TypeText, args("text", nil), "text: wanted string, found the null null"},
		{"a selector that cannot be read", ClickElement, args("selector", "role:buton"), "selector: selector, column"},
		{"one of several selectors", ClickElement, args("targets", []any{"name:x", "rle:button"}), "targets.1"},
		{"several selectors in one text", ClickElement, args("selector", "name:x", "alternative_selectors", "name:y, role:"), "alternative_selectors: "},
		{"an empty selector is none", ClickElement, args("selector", "name:x", "verify_element_exists", ""), ""},
		{"a key that does not exist", HoldKey, args("do", "down", "key", "contrl"), "did you mean control?"},
		{"keys, one of which does not exist", PressKey, args("key", "{Ctrl}{Entr}"), "did you mean enter?"},
		{"a word that is not known", ClickElement, args("selector", "name:x", "button", "lft"), "did you mean left?"},
		{"a time that is negative", ClickElement, args("selector", "name:x", "timeout_ms", -1.0), "wanted at least 0"},
		{"a pattern that cannot be read", GrepFiles, args("pattern", "("), "pattern: "},
		{"a part of a selector as an argument", ClickElement, args("name", "Save"), `it belongs in the selector: selector: "name:…"`},
		{"a part of the name of an argument that is missing", TypeIntoElement, args("selector", "name:x", "text", "Ada"), "did you mean text_to_type?"},
		{"a part of a selector beside the argument whose name it is a part of", TypeIntoElement, args("text_to_type", "Ada", "text", "Ada"), "it belongs in the selector"},
		{"an argument of another kind", Delay, args("delay", "1s"), "there is no argument"},
		{"an argument of other programs that does nothing, which callers leave out", HighlightElement, args("selector", "name:x", "color", 255.0), "there is no argument"},
		{"what no kind has, not asked for", GetWindowTree, args("include_gemini_vision", false, "show_overlay", nil), ""},
		{"a ref of a tree, whatever it was read from", ClickElement, args("ref", "e1", "vision_type", "ocr"), ""},
		{"a ref of a model of pictures", ClickElement, args("ref", "e1", "vision_type", "omniparser"), "there is no argument \"vision_type\"; give the ref alone"},
		{"what no kind has", GetWindowTree, args("include_omniparser", true), "there is no argument \"include_omniparser\"; find pictures with find_image, and text with read_text"},
		{"one that does nothing with another kind", ClickElement, args("selector", "name:x", "color", 255.0), "there is no argument"},
		{"one that does nothing inside another argument", ClickElement, args("selector", "name:x", "click_position", map[string]any{"color": 1.0}), "there is no argument"},
		{"no delay is a delay", Delay, args("delay_ms", 0.0), ""},
		{"a delay of no duration", Delay, args("duration", "0s"), ""},
		{"a delay of no length", Delay, args(), "either delay_ms or duration"},
		{"a number where a text is meant", SetValue, args("selector", "name:x", "value", 3.0), ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			var found []string
			for _, p := range c.kind.Check(c.args, nil) {
				found = append(found, p.String())
			}
			got := strings.Join(found, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
