package mcpserver

import (
	"strings"
	"testing"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
)

// TestSequenceReportsWhatItsLastActChanged holds that a client need not look after a sequence.
func TestSequenceReportsWhatItsLastActChanged(t *testing.T) {
	click := byhand.Object{"tool_name": "click_element", "arguments": byhand.Object{"selector": "role:button && name:Save"}}
	last := byhand.Object{"tool_name": "click_element", "id": "last", "arguments": byhand.Object{"selector": "role:button && name:Save"}}
	look := byhand.Object{"tool_name": "wait_for_element", "arguments": byhand.Object{"selector": "role:button && name:Save"}}
	for say, c := range map[string]struct {
		doc   byhand.Object
		tells bool
	}{
		"the last step acts":              {byhand.Object{"steps": []any{click, last}}, true},
		"steps after the last act look":   {byhand.Object{"steps": []any{click, last, look}}, true},
		"finally acts after it, perhaps":  {byhand.Object{"steps": []any{click, last}, "finally": []any{click}}, false},
		"a loop acts after it":            {byhand.Object{"steps": []any{last, byhand.Object{"foreach": "[1, 2]", "steps": []any{click}}}}, false},
		"the last step acts in a group":   {byhand.Object{"steps": []any{click, byhand.Object{"group_name": "end", "steps": []any{last, look}}}}, true},
		"nothing acts, so nothing is new": {byhand.Object{"steps": []any{look, look}}, false},
	} {
		t.Run(say, func(t *testing.T) {
			w := newStage(t).connect(modern, byhand.Object{})
			text := byhand.Said(w.Call("execute_sequence", c.doc))
			if !strings.Contains(text, "succeeded") || strings.Contains(text, "\nafter last, click_element:\nnothing visible changed") != c.tells {
				t.Errorf("the answer:\n%s", text)
			}
		})
	}
}

// TestAnswersTellOnceOfADialogBeside holds that a client learns of a dialog in which it
// did not act: at the end of a sequence, and once after its own calls.
func TestAnswersTellOnceOfADialogBeside(t *testing.T) {
	const want = `a dialog is open: dialog "Disk almost full" ("Delete it?") with the buttons "Delete", "Keep", of cleaner`
	st := newStage(t)
	w := st.connect(modern, byhand.Object{})
	st.desk.Open(fake.Dialog("Disk almost full", "cleaner", fake.Label("Delete it?"), fake.Button("Delete"), fake.Button("Keep")))
	click := byhand.Object{"process": "notes", "selector": "role:button && name:Save"}
	doc := byhand.Object{"steps": []any{byhand.Object{"tool_name": "click_element", "arguments": click}}}
	for _, c := range []struct {
		say   string
		text  string
		tells int
	}{
		{"a sequence", byhand.Said(w.Call("execute_sequence", doc)), 1},
		{"the first call", byhand.Said(w.Call("click_element", click)), 1},
		{"the second call", byhand.Said(w.Call("click_element", click)), 0},
	} {
		if strings.Count(c.text, want) != c.tells {
			t.Errorf("wanted it %d times of %s:\n%s", c.tells, c.say, c.text)
		}
	}
}
