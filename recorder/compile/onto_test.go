package compile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// TestTakeoverStepsAreInsertedIntoTheWorkflow puts the closing of a dialog that nobody expected into a workflow.
func TestTakeoverStepsAreInsertedIntoTheWorkflow(t *testing.T) {
	update := desktop.Window{ID: 7, Title: "Update available", Process: "zenity", PID: 20}
	report := desktop.Window{ID: 8, Title: "Report", Process: "zenity", PID: 21} // which the same script shows next
	seen := newTape(editor, update).click(element(update, "button", "Later", 2, "role:button && name:Later")).closes(update).opens(report, "zenity --entry").events
	const document = `name: report
steps:
  - id: later
    tool_name: click_element
    arguments: {process: editor, selector: 'role:button && name:Save'}
`
	for _, c := range []struct {
		say  string
		at   workflows.Insertion
		want string
	}{
		{"before the step", workflows.Insertion{Step: "later"}, `name: report
steps:
  - id: switch_to_zenity
    tool_name: change_window
    arguments:
      do: activate
      process: zenity
  - id: later_2
    tool_name: click_element
    arguments:
      target:
        process: zenity
        selector: role:button && name:Later
    expect: "!exists('process:zenity && window:Update available') && exists('process:zenity && window:Report')"
  - id: later
    tool_name: click_element
    arguments: {process: editor, selector: 'role:button && name:Save'}
`},
		{"as its fallback, under the condition that the window is there which was closed", workflows.Insertion{Step: "later", Fallback: true}, `name: report
steps:
  - id: later
    tool_name: click_element
    arguments: {process: editor, selector: 'role:button && name:Save'}
    fallback_id: mend_later
troubleshooting:
  - id: mend_later
    group_name: when later has failed
    if: steps.later.status == 'error' && (exists('process:zenity && window:Update available'))
    jumps: [{if: 'true', to_id: later}]
    steps:
      - id: switch_to_zenity
        tool_name: change_window
        arguments:
          do: activate
          process: zenity
      - id: later_2
        tool_name: click_element
        arguments:
          target:
            process: zenity
            selector: role:button && name:Later
        expect: "!exists('process:zenity && window:Update available') && exists('process:zenity && window:Report')"
`},
	} {
		made, err := Recording(seen, Options{Kinds: kinds.All(), Onto: []byte(document), At: c.at})
		if err != nil {
			t.Fatalf("%s: %v", c.say, err)
		}
		if diff := cmp.Diff(c.want, string(made.Text)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.say, diff)
		}
		if _, err := workflows.Compile(workflows.Source{Text: made.Text}, workflows.CompileOptions{Kinds: kinds.All()}); err != nil {
			t.Errorf("%s: it is not valid: %v", c.say, err)
		}
	}
	if _, err := Recording(newTape(editor).events, Options{Onto: []byte(document), At: workflows.Insertion{Step: "later"}}); err == nil {
		t.Error("a recording in which nothing was done was put into a document")
	}
}
