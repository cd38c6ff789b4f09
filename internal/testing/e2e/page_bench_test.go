//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/virtualtest"
)

// modulesVariable names the folder in which `make clients` keeps playwright-core.
const modulesVariable = "UNDERSTUDY_CLIENTS_TOOLS"

// pageWork are what is measured of a page, as the steps that do it.
var pageWork = []struct{ name, steps string }{
	{"tree", `
  - {tool_name: get_window_tree, arguments: {process: chromium}}`},
	{"find", `
  - {tool_name: wait_for_element, arguments: {process: chromium, selector: "role:button && name:Register"}}`},
	{"click", `
  - {tool_name: click_element, arguments: {process: chromium, selector: "role:checkbox && name:Newsletter"}}`},
}

// BenchmarkPage measures the form of 40 fields: its tree, finding and clicking an element, and
// filling in all fields, in a connected browser, by the accessibility bus alone, and by
// playwright-core. Each step is a run, or part of one, with its events on the disk.
func BenchmarkPage(b *testing.B) {
	virtualtest.Need(b, "chromium")
	s, e := warmEngine(b, false)
	p := &site{page: "pages/registration.html"}
	address := p.serve(s)
	s.chromium()
	ours := map[string]map[string]float64{}
	for name, command := range map[string]string{"pipe": "chromium", "bus": `sh -c 'exec chromium \"$@\"' sh --force-renderer-accessibility`} {
		ours[name] = map[string]float64{}
		play(b, e, fmt.Sprintf("steps:\n  - {tool_name: open_application, arguments: {app_name: \"%s --user-data-dir=%s %s\", title: Registration, timeout_ms: 60000}, timeout: 90s}\n", command, filepath.Join(s.root, name), address))
		for range b.N {
			fillPage(b, e, s, ours[name])
		}
		play(b, e, "steps:\n  - {tool_name: close_window, arguments: {process: chromium, timeout_ms: 25000}}\n")
	}
	theirs := playwright(b, s, address)
	for _, way := range []string{"pipe", "bus"} {
		for _, work := range []string{"tree", "find", "click", "fill"} {
			b.ReportMetric(ours[way][work]/float64(b.N), way+"-"+work+"-ms")
			if theirs != nil {
				b.ReportMetric(ours[way][work]/float64(b.N)/theirs[work], way+"/playwright-"+work)
			}
		}
	}
	for work, ms := range theirs {
		b.ReportMetric(ms, "playwright-"+work+"-ms")
	}
	b.ReportMetric(0, "ns/op") // of all, and of what lies between
}

// fillPage does all work once, on the page anew, and adds what each took in milliseconds.
func fillPage(b *testing.B, e *engine.Engine, s *stage, took map[string]float64) {
	b.Helper()
	play(b, e, "steps:\n  - {tool_name: press_key_global, arguments: {process: chromium, key: ctrl+shift+r}}\n  - {tool_name: wait_for_element, arguments: {process: chromium, selector: \"role:checkbox && name:Newsletter && !state:checked\"}}\n")
	measure := func(name, document string) {
		began := time.Now()
		play(b, e, document)
		took[name] += float64(time.Since(began).Microseconds()) / 1000
	}
	for _, w := range pageWork {
		measure(w.name, "steps:"+w.steps+"\n")
	}
	text, err := os.ReadFile(s.testdata("page_registration.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	var fill []string // what lies between opening the page and sending the form
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "navigate_browser") && !strings.Contains(line, "name:Register") && !strings.Contains(line, "wait_for_page") && !strings.Contains(line, "address:") {
			fill = append(fill, line)
		}
	}
	measure("fill", strings.Join(fill, ""))
}

// playwright has playwright-core do the same, and returns what each took; nil if it is not here.
func playwright(b *testing.B, s *stage, address string) (took map[string]float64) {
	b.Helper()
	tools := os.Getenv(modulesVariable)
	if tools == "" {
		b.Logf("%s names no folder with playwright-core, which is not measured", modulesVariable)
		return nil
	}
	modules := filepath.Join(tools, "node_modules")
	cmd := exec.CommandContext(b.Context(), "node", s.testdata("page_bench.mjs"), modules, "/usr/bin/chromium", address, fmt.Sprint(b.N))
	out, err := cmd.CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, &took)
	}
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return took
}
