package realclients

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAppInABrowser shows the page of a run in a host of MCP Apps: a run that failed is
// resumed there, and a run that asks is answered. The pictures stay in dist/pages.
func TestAppInABrowser(t *testing.T) {
	s := newStage(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the page wants a browser: %v", err)
	}
	pictures := s.pictures("app.mjs")
	got := parsed[map[string]any](t, s.must(s.script("../app.mjs", chromium, pictures, s.program, "mcp", "--display", "virtual")))
	want := map[string]any{
		"said": []any{}, "calls": []any{"get_run", "resume_run"}, "type": "text/html;profile=mcp-app", "answer": "text",
		"light": "rgb(255, 255, 255)", "dark": "rgb(23, 25, 28)", "first": "not_found", "from": "Resume at press", "teardown": map[string]any{}, "output": `"blue"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
