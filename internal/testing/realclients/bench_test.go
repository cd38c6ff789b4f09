package realclients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRunOf500Steps opens the page of a run in Chromium until it is drawn: the first
// 200 steps, as it is opened, and all 500, each with a picture of its own.
func BenchmarkRunOf500Steps(b *testing.B) {
	s := newStage(b)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		b.Skip("Chromium is not there")
	}
	var document strings.Builder
	document.WriteString("name: long\nsteps:\n  - {tool_name: open_application, arguments: {app_name: mousepad}}\n")
	for i := range 499 {
		fmt.Fprintf(&document, "  - {id: s%d, tool_name: press_key_global, arguments: {process: mousepad, key: a}, screenshots: after}\n", i)
	}
	file := filepath.Join(s.home, "long.yaml")
	if err := os.WriteFile(file, []byte(document.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	s.must(s.run(s.program, "run", "--display", "virtual", file))
	runs := parsed[[]struct {
		ID string `json:"run_id"`
	}](b, s.must(s.run(s.program, "runs", "ls", "--json")))
	site := strings.TrimSuffix(s.serve("--display", "virtual"), "/mcp")
	s.copies("open.mjs")
	for name, query := range map[string]string{"first": "", "all": "?all=1"} {
		b.Run(name, func(b *testing.B) {
			b.Helper()
			took := parsed[[]float64](b, s.must(s.script("../open.mjs", chromium, site+"/runs/"+runs[0].ID+query, fmt.Sprint(b.N))))
			sum := 0.0
			for _, ms := range took {
				sum += ms
			}
			b.ReportMetric(sum/float64(len(took)), "ms/page")
		})
	}
}
