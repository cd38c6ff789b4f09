package realclients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nightly fails at its last step, after it wrote into a window.
const nightly = `name: nightly
steps:
  - {id: open, tool_name: open_application, arguments: {app_name: mousepad}}
  - {id: write, tool_name: type_into_element, arguments: {process: mousepad, selector: "role:text", text_to_type: Hello}}
  - {id: press, tool_name: click_element, arguments: {process: mousepad, selector: "role:button && name:Nowhere", timeout_ms: 300}}
`

// TestPagesInABrowser has a person look at a failed run in Chromium: by light and in
// the dark, on a wide screen and on a narrow one, by keys, and resuming it there.
// The pictures of the pages stay in dist/pages.
func TestPagesInABrowser(t *testing.T) {
	s := newStage(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the pages want a browser: %v", err)
	}
	document := filepath.Join(s.home, "nightly.yaml")
	if err := os.WriteFile(document, []byte(nightly), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.run(s.program, "run", "--display", "virtual", document); err == nil {
		t.Fatalf("the run succeeded:\n%s", out)
	}
	runs := parsed[[]struct {
		ID string `json:"run_id"`
	}](t, s.must(s.run(s.program, "runs", "ls", "--json")))
	if len(runs) != 1 {
		t.Fatalf("runs: %v", runs)
	}
	pictures, err := filepath.Abs(filepath.Join("..", "..", "dist", "pages"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "pages.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.modules, "..", "pages.mjs"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	site := strings.TrimSuffix(s.serve("--display", "virtual"), "/mcp")
	got := parsed[map[string]any](t, s.must(s.script("../pages.mjs", chromium, site, runs[0].ID, pictures)))
	want := map[string]any{
		"problems": []any{}, "said": []any{}, "first": "press", "before": "write", "drawn": 1.0, "cut": "inset(0px 0px 0px 70%)",
		"failure": "press", "attempts": 4.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
