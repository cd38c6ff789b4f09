package mcpserver

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/workflows/expression"
)

// nowhere is a probe that finds no element.
type nowhere struct{ expression.Probe }

func (nowhere) Exists(context.Context, string) (bool, error) { return false, nil }

func TestAFailureNamesTheAlertThatIsOpen(t *testing.T) {
	step := func(tool, expect string, args byhand.Object) byhand.Object {
		s := byhand.Object{"tool_name": tool, "arguments": args, "timeout": "300ms"}
		if expect != "" {
			s["expect"] = expect
		}
		return byhand.Object{"steps": []any{s}}
	}
	for _, c := range []struct {
		say string
		doc byhand.Object
	}{
		{"of a step that expects something else", step("press_key", "exists('role:label && name:67')", byhand.Object{"key": "Return"})},
		{"of a step that looks in another application", step("wait_for_element", "", byhand.Object{"process": "editor", "selector": "role:text", "timeout_ms": 10})},
		{"of a step that types", step("type_into_element", "", byhand.Object{"process": "notes", "selector": "role:frame >> role:spinbutton", "text_to_type": "x", "timeout_ms": 10})},
	} {
		st := newStage(t)
		st.engine.Probe = func(func(context.Context) (*desktop.Desktop, error), string, []string) expression.Probe {
			return nowhere{}
		}
		st.desk.Open(fake.Dialog("Error", "calc", fake.Label("Division by zero; see the log"), fake.Button("OK")))
		res := st.connect("2025-11-25", byhand.Object{}).Call("execute_sequence", c.doc)
		text, want := byhand.Said(res), `a dialog is open: dialog "Error" ("Division by zero; see the log") with the buttons "OK"`
		if strings.Contains(text, "log is no tool here") {
			t.Errorf("the failure %s takes the words of a dialog for the name of a kind:\n%s", c.say, text)
		}
		if !byhand.IsError(res) || strings.Count(text, want) != 1 {
			t.Errorf("the failure %s names no dialog, or more than once:\n%s", c.say, text)
		}
	}
}
