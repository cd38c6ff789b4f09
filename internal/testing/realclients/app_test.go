package realclients

import (
	"os"
	"os/exec"
	"path/filepath"
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
	s.saved("greeting", greetingWorkflow)
	got := parsed[map[string]any](t, s.must(s.script("../app.mjs", chromium, pictures, s.program, "mcp", "--display", "virtual", "--home", filepath.Join(s.home, "data"))))
	want := map[string]any{
		"said": []any{}, "calls": []any{"execute_sequence", "get_run", "resume_run"}, "type": "text/html;profile=mcp-app", "answer": "text",
		"light": "rgb(255, 255, 255)", "dark": "rgb(23, 25, 28)", "first": "not_found", "from": "Resume at press", "teardown": map[string]any{}, "output": `"blue"`, "form": `"loud: Ada <b> 2"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// greetingWorkflow needs inputs.
const greetingWorkflow = `
variables:
  who: {type: string, label: Name}
  tone: {type: enum, options: [soft, loud]}
  times: {type: number, default: 2}
steps: [{tool_name: delay, arguments: {delay_ms: 1}}]
output: "inputs.tone + ': ' + inputs.who + ' ' + string(inputs.times)"
`

// saved saves a workflow of the person.
func (s *stage) saved(name, text string) {
	s.t.Helper()
	folder := filepath.Join(s.home, "data", "workflows")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}
