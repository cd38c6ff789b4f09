package mcpserver

import (
	"strings"
	"testing"

	"understudy/internal/testing/byhand"
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
