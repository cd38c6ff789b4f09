package mcpserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALongTextIsSaidOnce(t *testing.T) {
	tree := strings.Repeat("- button \"Save\" [ref=e1]\n", 20)
	other := strings.Repeat("x", 2*longText)
	got := saidOnce(map[string]any{
		"run_id": "r1", "tree": tree, "unsaid": other,
		"steps": []any{map[string]any{"result": map[string]any{"tree": tree, "n": 3}}},
	}, "the window:\n"+tree)
	want := map[string]any{
		"run_id": "r1", "unsaid": other,
		"steps": []any{map[string]any{"result": map[string]any{"n": 3.0}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
