//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual/virtualtest"
)

// scenario is a workflow and how to tell, from outside, what came of it.
type scenario struct {
	name     string
	workflow string   // a file of testdata without its ending, or example/NAME
	needs    []string // programs
	screen   desktop.Size
	setup    func(*stage)
	flags    []string // of the command run
	may      []steps.Code
	must     bool // fail with one of these codes
	check    func(*stage) error
	inspect  func(*stage, engine.Report) error
	stays    func(*stage) error // instead of check, when it failed as it may
	closes   string             // a program that has to be open for the check, and is closed after it
}

// tableVariable names a file for the table of results.
const tableVariable = "UNDERSTUDY_E2E_TABLE"

func allScenarios() []scenario {
	return slices.Concat(editorScenarios(), dialogScenarios(), witnessScenarios(), otherScenarios(), appScenarios(), trickScenarios(), variations())
}

func TestScenarios(t *testing.T) {
	var results []result
	for _, row := range allScenarios() {
		t.Run(row.name, func(t *testing.T) {
			virtualtest.Need(t, row.needs...)
			results = append(results, row.play(t))
		})
	}
	t.Log("\n" + table(results))
	if path := os.Getenv(tableVariable); path != "" {
		if err := os.WriteFile(path, []byte(table(results)), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// play plays a scenario on a stage of its own.
func (c scenario) play(t *testing.T) result {
	s := newStage(t, c.screen)
	if c.setup != nil {
		c.setup(s)
	}
	workflow := c.workflow
	if !strings.HasPrefix(workflow, "example/") {
		workflow = s.testdata(workflow + ".yaml")
	}
	began := time.Now()
	r := s.run(workflow, c.flags...)
	check := c.check
	if r.Status != engine.Succeeded && !c.must && c.stays != nil {
		check = c.stays
	}
	outside := check(s)
	if outside == nil && c.inspect != nil {
		outside = c.inspect(s, r)
	}
	res := result{name: c.name, took: time.Since(began), verdict: judge(r, c.may, c.must, outside)}
	if res.verdict == pass && c.closes != "" {
		s.closes(c.closes)
	}
	if r.Status != engine.Succeeded {
		res.failure, _, _ = strings.Cut(failure(r).Error(), "\n")
	}
	if res.verdict == falseSuccess || res.verdict == wrongFailure {
		t.Errorf("%s: the run %v; outside: %v", res.verdict, failure(r), outside)
		s.keepPictures(r.RunID)
	}
	return res
}

// closes closes the window of a program.
func (s *stage) closes(program string) {
	s.t.Helper()
	s.call("close_window", fmt.Sprintf(`{"process": %q, "timeout_ms": 25000}`, program))
	if err := s.noneShows("--class", program); err != nil {
		s.t.Error(err)
	}
}

// keepPictures writes a failed run where somebody can look at it.
func (s *stage) keepPictures(id string) {
	dir := os.Getenv("UNDERSTUDY_E2E_FAILED")
	if dir == "" {
		return
	}
	name := strings.NewReplacer("/", "_", " ", "_").Replace(s.t.Name())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Error(err)
	}
	_, _, errOut := s.command("runs", "export", id, filepath.Join(dir, name))
	s.t.Log("kept in", filepath.Join(dir, name), errOut)
}
