package realclients

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/fileio"
)

// nightly fails at its last step, after it wrote into a window.
const nightly = `name: nightly
steps:
  - {id: open, tool_name: open_application, arguments: {app_name: mousepad}}
  - {id: write, tool_name: type_into_element, arguments: {process: mousepad, selector: "role:text", text_to_type: Hello}}
  - {id: press, tool_name: click_element, arguments: {process: mousepad, selector: "role:button && name:Nowhere", timeout_ms: 300}}
`

// greeting is a saved workflow with inputs, whose last step fails.
const greeting = `name: greeting
description: Write a greeting into the editor.
variables:
  who: {type: string, label: Who is greeted, default: World}
  tone: {type: enum, options: [short, polite], default: polite}
  pin: {type: string, secret: true}
steps:
  - {id: open, tool_name: delay, arguments: {delay_ms: 1}}
  - id: twice
    group_name: twice
    steps:
      - {id: write, tool_name: log, arguments: {message: "Hello ${{ inputs.who }}"}}
  - {id: press, tool_name: click_element, arguments: {selector: "role:button && name:Nowhere", timeout_ms: 300}}
`

// TestEmbeddedNoVNCIsAsPublished compares what is embedded with what its authors publish.
func TestEmbeddedNoVNCIsAsPublished(t *testing.T) {
	s := newStage(t)
	ours := os.DirFS(filepath.Join("..", "..", "..", "mcpserver", "viewer", "thirdparty", "novnc"))
	theirs := os.DirFS(filepath.Join(s.modules, "@novnc", "novnc"))
	n := 0
	err := fs.WalkDir(ours, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		mine, err := fs.ReadFile(ours, path)
		if err != nil {
			return err
		}
		published, err := fs.ReadFile(theirs, path)
		if err == nil && !bytes.Equal(mine, published) {
			t.Errorf("%s is not as it is published", path)
		}
		return err
	})
	if err != nil || n < 40 {
		t.Errorf("%d files: %v", n, err)
	}
}

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
	saved := filepath.Join(s.home, "data", "workflows", "greeting.yaml")
	for _, text := range []string{strings.Replace(greeting, "Hello", "Good morning", 1), greeting} {
		if err := fileio.SaveVersion(saved, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	pictures := s.pictures("pages.mjs")
	site := strings.TrimSuffix(s.serve("--display", "virtual"), "/mcp")
	got := parsed[map[string]any](t, s.must(s.script("../pages.mjs", chromium, site, runs[0].ID, pictures)))
	t.Logf("while a person types: %.1f frames a second in the browser", got["typing"])
	delete(got, "typing")
	want := map[string]any{
		"hands":    []any{"page", "page"},
		"problems": []any{}, "said": []any{}, "first": "press", "before": "write", "drawn": 1.0, "cut": "inset(0px 0px 0px 70%)",
		"failure": "press", "attempts": 4.0, "found": "press",
		"line": "- {id: press", "mended": 4.0, "versions": 2.0, "desktops": 1.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
