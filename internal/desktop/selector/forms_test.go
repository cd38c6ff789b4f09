package selector

import (
	"testing"

	"understudy/internal/desktop"
)

// Each form that selectors of other programs have finds what it means there.
func TestFormsOfOtherPrograms(t *testing.T) {
	total := el("cell", "Total", box(0, 60, 100, 20))
	plus := el("button", "Plus", box(0, 0, 40, 20))
	plus.ID, plus.Class, plus.Attributes = "num-plus", "btn primary", map[string]string{"hidden": "true", "kind": "sum"}
	hidden := el("button", "Plus more", box(0, 0, 0, 0))
	hidden.States = desktop.Enabled
	scroll := el("filler", "", box(200, 0, 200, 100), el("link", "Help, online", box(200, 0, 50, 20)))
	scroll.RawRole = "scroll pane"
	roots := linked(
		el("frame", "Calculator", box(0, 0, 400, 200),
			el("panel", "keys", box(0, 0, 200, 50), plus, el("button", "Minus", box(50, 0, 40, 20)), hidden),
			el("row", "", box(0, 60, 200, 20), total, el("cell", "42", box(100, 60, 100, 20))),
			el("row", "", box(0, 80, 200, 20), el("cell", "Tax", box(0, 80, 100, 20))),
			scroll),
		el("frame", "Notes", box(0, 0, 400, 200), el("text", "", box(0, 0, 400, 180))))
	roots[1].Process = "notepad"
	for _, c := range []struct{ form, selector, want string }{
		{"a role", "role:Window", "e1 e13"},
		{"a role of macOS", "role:AXButton", "e3 e4 e5"},
		{"a bare role of macOS", "AXScrollArea", "e11"},
		{"a role of macOS, and a name", "AXButton:Minus", "e4"},
		{"a role of macOS before a pipe", "AXButton|Minus", "e4"},
		{"a bare role", "button", "e3 e4 e5"},
		{"a bare role, and a name", "Button:Minus", "e4"},
		{"a role and a name", "role:Button && name:Minus", "e4"},
		{"a role and a name by a pipe", "role:Button|name:Minus", "e4"},
		{"a part of a name by a pipe", "role:Button|contains:inu", "e4"},
		{"a role and a bare name", "button|Minus", "e4"},
		{"a name with a capital", "Name:Minus", "e4"},
		{"three conditions", "role:Button && name:Plus && visible:true", "e3"},
		{"an id", "id:num-plus", "e3"},
		{"an id by a number sign", "#num-plus", "e3"},
		{"an id of the system", "nativeid:num-plus", "e3"},
		{"an id of the system, with a capital", "NativeId: num-plus", "e3"},
		{"a class", "classname:primary", "e3"},
		{"an attribute", "attr:kind=sum", "e3"},
		{"an attribute that is there", "attr:hidden", "e3"},
		{"a text", "text:Minus", "e4"},
		{"a localized role", "localizedrole:button", "e3 e4 e5"},
		{"what is hidden", "role:button && visible:false", "e5"},
		{"a process", "process:notepad >> role:AXTextArea", "e14"},
		{"a process with its extension", "process:notepad.exe", "e13"},
		{"alternatives", "role:Link || role:Text", "e12 e14"},
		{"alternatives by a comma", "role:Link, role:Text", "e12 e14"},
		{"alternatives of conditions", "(role:Button && name:Minus) || (role:Link && name:Help, online)", "e4 e12"},
		{"alternatives in a condition", "role:Button && (name:Minus || name:Plus)", "e3 e4"},
		{"what is not", "role:button && !name:Plus", "e4 e5"},
		{"what is none of several", "role:button && !(name:Plus || visible:false)", "e4"},
		{"a chain", "role:Window >> role:Link", "e12"},
		{"a chain after parentheses", "(role:Window && name:Calculator) >> nativeid:num-plus", "e3"},
		{"a chain of parentheses", "(role:Window && name:Calculator) >> (role:Button && name:Minus)", "e4"},
		{"what has something inside", "role:row && has:name:Total", "e6"},
		{"what has one of several inside", "role:row && has:(name:Tax || name:42)", "e6 e9"},
		{"the one with a number", "role:Button >> nth:1", "e4"},
		{"the last", "role:Button >> nth=-1", "e5"},
		{"the last but one", "role:Button && nth-2", "e4"},
		{"the parent", "name:Tax >> ..", "e9"},
		{"right of another", "role:cell && rightof:name:Total", "e8"},
		{"left of another", "role:button && leftof:name:Minus", "e3"},
		{"below another", "role:cell && below:name:Total", "e10"},
		{"above another", "role:cell && above:name:Tax", "e7"},
		{"a place", "role:cell && pos:10,65", "e7"},
		{"a path", "/Window/Pane/Button[2]", "e4"},
	} {
		s, err := Parse(c.selector)
		if err != nil {
			t.Errorf("%s: %v", c.form, err)
			continue
		}
		if got := refs(s.Find(roots)); got != c.want {
			t.Errorf("%s: %s found %q, want %q", c.form, c.selector, got, c.want)
		}
	}
}

// What is invalid in other programs is refused here too.
func TestFormsThatAreInvalidEverywhere(t *testing.T) {
	for _, text := range []string{"role:Button &&", "(role:Button && name:Test", "", "role:Button >> nth:x", "Nothing like it", "|| name:x", "role:Button && || name:x"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is read as %s", text, s)
		}
	}
}
