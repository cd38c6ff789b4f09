package workflows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnattended(t *testing.T) {
	for _, row := range []struct{ sentence, doc, want string }{
		{"a harmless step", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Open'}}", ""},
		{"a press of Save without a proof", "steps:\n- {id: s, tool_name: click_element, arguments: {selector: 'role:button && name:Save'}}", `2 unproven s: "save" cannot be taken back, and nothing after it shows that it was done`},
		{"a canonical target", "version: 1\nsteps:\n- {id: s, tool_name: click_element, arguments: {target: 'name:Delete all'}}", `3 unproven s: "delete" cannot be taken back, and nothing after it shows that it was done`},
		{"a name that only begins so", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Saved searches'}}", ""},
		{"a proof by expect", "steps:\n- {tool_name: click_element, expect: \"!exists('role:dialog')\", arguments: {selector: 'name:Save'}}", ""},
		{"a proof in its arguments", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Save', verify_element_exists: 'name:Saved'}}", ""},
		{"a proof by the step after it", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Send'}}\n- {tool_name: wait_for_element, arguments: {selector: 'name:Sent'}}", ""},
		{"a proof after its group", "steps:\n- group_name: g\n  steps:\n  - {tool_name: click_element, arguments: {selector: 'name:Send'}}\n- {tool_name: assert, arguments: {condition: 'true'}}", ""},
		{"a proof that may fail", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Send'}}\n- {tool_name: wait_for_element, continue_on_error: true, arguments: {selector: 'name:Sent'}}", `2 unproven 0: "send" cannot be taken back, and nothing after it shows that it was done`},
		{"keys that save", "steps:\n- {tool_name: press_key_global, arguments: {key: ctrl+s}}", "2 unproven 0: the keys ctrl+s cannot be taken back, and nothing after it shows that it was done"},
		{"a kind that says so itself", "steps:\n- {tool_name: close_window, arguments: {process: gedit}}", "2 unproven 0: close_window cannot be taken back, and nothing after it shows that it was done"},
		{"a step that its author marked", "steps:\n- {tool_name: click_element, on_interrupt: ask, arguments: {selector: 'name:Go'}}", "2 unproven 0: its author marked it as not to be repeated, and nothing after it shows that it was done"},
		{"words that are typed", "steps:\n- {tool_name: type_into_element, arguments: {selector: 'name:Send to', text_to_type: x}}", ""},
		{"a point", "steps:\n- {tool_name: click_element, arguments: {x: 10, y: 20}}", "2 place 0: its target is named by position only"},
		{"a number among those of a role", "steps:\n- {tool_name: click_element, arguments: {selector: 'name:Form >> role:button && nth:2'}}", "2 place 0: its target is named by position or number only: name?:Form >> role:button && nth:2"},
		{"a number among those of a name", "steps:\n- {tool_name: click_element, arguments: {selector: 'role:button && name:OK >> nth:0'}}", ""},
		{"a number, and another way by name", "steps:\n- {tool_name: click_element, arguments: {selector: ['role:button && nth:2', 'name:OK']}}", ""},
		{"what is only looked at by a number", "steps:\n- {tool_name: wait_for_element, arguments: {selector: 'role:button && nth:2'}}", ""},
		{"a fallback that acts", "steps:\n- {id: a, tool_name: click_element, fallback_id: b, arguments: {selector: 'name:OK'}}\ntroubleshooting:\n- {id: b, tool_name: click_element, arguments: {selector: 'name:Other'}}", "2 fallback a: when it fails, b acts instead, and nothing checks its effect"},
		{"a fallback that only tells", "steps:\n- {id: a, tool_name: click_element, fallback_id: b, arguments: {selector: 'name:OK'}}\ntroubleshooting:\n- {id: b, tool_name: fail, arguments: {message: no}}", ""},
		{"a question", "steps:\n- {tool_name: ask_user, arguments: {question: 'which?'}}", "2 wait 0: it waits for a person, as long as that takes"},
		{"a question in a bounded run", "timeout: 1h\nsteps:\n- {tool_name: ask_user, arguments: {question: 'which?'}}", ""},
		{"a long timeout", "steps:\n- {tool_name: wait_for_element, timeout: 2h, arguments: {selector: 'name:x'}}", "2 wait 0: it may take 2h0m0s"},
		{"a secret", "variables: {pin: {type: string, secret: true}}\nsteps:\n- {tool_name: log, arguments: {message: x}}", "1 secret the secret pin has to be typed by a person when the run starts"},
		{"an element that only the run knows", "variables: {s: {type: string}}\nsteps:\n- {tool_name: click_element, arguments: {selector: '{{ s }}'}}", ""},
	} {
		p, err := Compile(Source{Name: "a.yaml", Text: []byte(row.doc)}, options(nil))
		if err != nil {
			t.Fatalf("%s: %v", row.sentence, err)
		}
		var got []string
		for _, f := range p.Unattended() {
			got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Rule, f.Message))
			if f.Hint == "" || f.File != "a.yaml" {
				t.Errorf("%s: %+v names no mend or no file", row.sentence, f)
			}
		}
		if d := cmp.Diff(row.want, strings.Join(got, "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, d)
		}
	}
}

func TestUnattendedReadsCalledWorkflows(t *testing.T) {
	p, err := Compile(Source{Name: "a.yaml", Text: []byte("steps:\n- {workflow: b.yaml}\n- {workflow: b.yaml}")}, options(map[string]string{"b.yaml": "steps:\n- {tool_name: close_window, arguments: {process: x}}"}))
	if err != nil {
		t.Fatal(err)
	}
	if all := p.Unattended(); len(all) != 1 || all[0].File != "b.yaml" || all[0].Line != 2 {
		t.Errorf("got %+v", all)
	}
}
