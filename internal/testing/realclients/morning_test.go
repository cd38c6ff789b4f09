package realclients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Three workflows that fail: until a file is there; at a button with another name; and
// with a hostile name.
const (
	invoiceWorkflow = `name: invoice
labels: [night]
steps:
  - {id: open, tool_name: read_file, arguments: {path: %s}}
`
	letterWorkflow = `name: letter
steps:
  - {id: open, tool_name: open_application, arguments: {app_name: %s}}
  - {id: send, tool_name: click_element, arguments: {process: zenity, selector: "role:button && name:Sent", timeout_ms: 1500}}
`
	hostileWorkflow = `name: "<img src=x onerror=alert(1)>"
description: "<script>alert(2)</script>"
steps:
  - {id: check, tool_name: assert, arguments: {condition: "false", message: "<script>alert(3)</script>"}}
`
)

// TestAnOperatorInTheMorning has an operator work through what needs him in Chromium. The
// pictures stay in dist/pages.
func TestAnOperatorInTheMorning(t *testing.T) {
	s := newStage(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the pages want a browser: %v", err)
	}
	program, up := filepath.Join(s.home, "sender"), filepath.Join(s.home, "in", "invoice.txt")
	saved := filepath.Join(s.home, "data", "workflows")
	for _, dir := range []string{saved, filepath.Dir(up)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		program:                              "#!/bin/sh\nexec zenity --entry --title Letter --text To --entry-text Ann --ok-label Send\n",
		filepath.Join(saved, "invoice.yaml"): fmt.Sprintf(invoiceWorkflow, up),
		filepath.Join(saved, "letter.yaml"):  fmt.Sprintf(letterWorkflow, program),
		filepath.Join(saved, "hostile.yaml"): hostileWorkflow,
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"invoice", "invoice", "letter", "hostile", "invoice"} {
		if out, err := s.run(s.program, "run", "--display", "virtual", name); err == nil {
			t.Fatalf("%s succeeded:\n%s", name, out)
		}
	}
	s.must(s.run(s.program, "schedule", "add", "nightly", "invoice", "--cron", "0 2 * * *"))
	if err := os.WriteFile(up, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pictures := s.pictures("morning.mjs")
	site := strings.TrimSuffix(s.serve("--display", "virtual", "--toolsets", "all", "--root", filepath.Dir(up)), "/mcp")
	got := parsed[map[string]any](t, s.must(s.script("../morning.mjs", chromium, site, pictures)))
	want := map[string]any{
		"problems": []any{}, "said": []any{}, "left": []any{}, "used": true, "begins": true, "reason": "of <b>last</b> month",
		"causes": []any{"failed <img src=x onerror=alert(1)> at check", "failed invoice at open · 3 times", "failed letter at send"},
		"acts":   map[string]any{"started": 5.0, "resumed": 4.0, "dismissed": 5.0, "changed the schedule": 1.0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
