package realclients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// report is a program that says, when an update is due, so before it does its work.
const report = `#!/bin/sh
cd "$(dirname "$0")"
[ -e update-due ] && zenity --question --title "Update available" --text "A new version of Report is there." --ok-label Install --cancel-label Later
zenity --entry --title Report --text Title --entry-text Nightly > report.txt
`

const reportWorkflow = `name: nightly
steps:
  - id: open
    tool_name: open_application
    arguments: {app_name: %s}

  # The report is complete as it stands.
  - id: confirm
    tool_name: click_element
    arguments: {process: zenity, selector: "window:Report >> role:button && name:OK", timeout_ms: 4000}
`

// TestAnOperatorRepairsARunOfTheNight is the story of docs/operating.md: a run meets a
// dialog that it does not know, the operator closes it in the browser and keeps that,
// and the run of the next night meets it and passes by itself. The pictures stay in
// dist/pages.
func TestAnOperatorRepairsARunOfTheNight(t *testing.T) {
	s := newStage(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the pages want a browser: %v", err)
	}
	saved := s.nightlyReport()
	if out, err := s.run(s.program, "run", "--display", "virtual", "nightly"); err == nil {
		t.Fatalf("the first night passed:\n%s", out)
	}
	type listed struct {
		ID      string       `json:"run_id"`
		Desktop desktop.Info `json:"desktop"`
	}
	runs := parsed[[]listed](t, s.must(s.run(s.program, "runs", "ls", "--json")))
	button := parsed[struct {
		Element desktop.Element `json:"element"`
	}](t, s.must(s.run(s.program, "call", "--display", "virtual:"+runs[0].Desktop.Name, "validate_element", `{"process": "zenity", "selector": "role:button && name:Later"}`)))
	at := button.Element.Bounds.Center()
	pictures := s.pictures("story.mjs")
	site := strings.TrimSuffix(s.serve("--display", "virtual", "--toolsets", "all"), "/mcp")
	got := parsed[map[string]any](t, s.must(s.script("../story.mjs", chromium, site, runs[0].ID, pictures, fmt.Sprint(at.X), fmt.Sprint(at.Y))))
	want := map[string]any{
		"problems": []any{}, "said": []any{}, "condition": "exists('process:zenity && window:Update available')",
		"did": []any{`switch to "Update available"`, `click button "Later"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	written := filepath.Join(s.home, "report.txt")
	if text, err := os.ReadFile(written); err != nil || string(text) != "Nightly\n" {
		t.Errorf("after the run was mended the report is %q, %v", text, err)
	}
	if err := os.Remove(written); err != nil {
		t.Fatal(err)
	}
	s.must(s.run(s.program, "run", "--display", "virtual", "nightly"))
	if text, err := os.ReadFile(written); err != nil || string(text) != "Nightly\n" {
		t.Errorf("after the next night the report is %q, %v", text, err)
	}
	if text, err := os.ReadFile(saved); err != nil || !strings.Contains(string(text), "  # The report is complete as it stands.\n") {
		t.Errorf("the comment of the author is gone: %v\n%s", err, text)
	}
}

// nightlyReport makes the program, with an update that is due, and its workflow.
func (s *stage) nightlyReport() (saved string) {
	s.t.Helper()
	program := filepath.Join(s.home, "report")
	saved = filepath.Join(s.home, "data", "workflows", "nightly.yaml")
	for path, text := range map[string]string{program: report, filepath.Join(s.home, "update-due"): "", saved: fmt.Sprintf(reportWorkflow, program)} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
	return saved
}

// pictures is the folder for the pictures of pages, and puts a program of the browser
// where its libraries are.
func (s *stage) pictures(program string) string {
	s.t.Helper()
	pictures, err := filepath.Abs(filepath.Join("..", "..", "..", "dist", "pages"))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.copies("look.mjs")
	s.copies(program)
	return pictures
}

// copies puts a program of testdata where it finds the modules that it needs.
func (s *stage) copies(program string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", program))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.modules, "..", program), text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}
