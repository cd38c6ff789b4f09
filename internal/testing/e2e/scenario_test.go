//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
)

// scenario is a workflow and how to tell, from outside, what came of it.
type scenario struct {
	name     string
	workflow string   // a file of testdata without its ending, or example/NAME
	needs    []string // programs
	screen   desktop.Size
	session  startSession // instead of a display of X
	setup    func(*stage)
	flags    []string // of the command run
	may      []steps.Code
	must     bool // fail with one of these codes
	check    func(*stage) error
	inspect  func(*stage, engine.Report) error
	stays    func(*stage) error // instead of check, when it failed as it may
	varied   bool               // played under a variation
	closes   string             // a program that has to be open for the check, and is closed after it
}

// variationsVariable plays the scenarios under variations alone, which are played beside
// the others otherwise. Of these the part is played that the shard is.
const variationsVariable = "UNDERSTUDY_E2E_VARIATIONS"

// tableVariable names a file for the table of results.
const tableVariable = "UNDERSTUDY_E2E_TABLE"

func allScenarios() []scenario {
	return slices.Concat(editorScenarios(), dialogScenarios(), witnessScenarios(), otherScenarios(), appScenarios(), trickScenarios(), formScenarios(), pageScenarios(), corpusScenarios(), variations(), nativeScenarios())
}

// resultVariable names the file in which a child leaves its result.
const resultVariable = "UNDERSTUDY_E2E_RESULT"

// TestScenarios plays each scenario in a process and on a display of its own,
// as many in parallel as -parallel says.
func TestScenarios(t *testing.T) {
	rows := slices.DeleteFunc(allScenarios(), func(c scenario) bool {
		if c.varied {
			return !virtualtest.InShard(t, c.name)
		}
		return os.Getenv(variationsVariable) != ""
	})
	results := make([]*result, len(rows))
	t.Cleanup(func() { report(t, slices.DeleteFunc(results, func(r *result) bool { return r == nil })) })
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			virtualtest.Need(t, row.needs...)
			results[i] = row.playInChild(t)
		})
	}
}

// report writes the table of results.
func report(t *testing.T, results []*result) {
	if len(results) == 0 {
		return
	}
	fmt.Println(table(results)) // no words of the test's own, which would have it played again for a part of it
	if path := os.Getenv(tableVariable); path != "" {
		if err := os.WriteFile(path, []byte(table(results)), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// playInChild plays a scenario in a process of its own, and gives its result,
// if it came to one.
func (c scenario) playInChild(t *testing.T) *result {
	path := filepath.Join(t.TempDir(), "result.json")
	if itself.InChild(t, []string{resultVariable + "=" + path, tableVariable + "="}) {
		raw, err := json.Marshal(c.play(t))
		if err == nil {
			err = os.WriteFile(os.Getenv(resultVariable), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil // it ended before, and says why
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Error(err)
	}
	return &r
}

// play plays a scenario on a stage of its own.
func (c scenario) play(t *testing.T) result {
	s := newStageOn(t, c.screen, c.session)
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
	res := result{Name: c.name, Took: time.Since(began), Verdict: judge(r, c.may, c.must, outside)}
	if res.Verdict == pass && c.closes != "" {
		s.closes(c.closes)
	}
	if r.Status != engine.Succeeded {
		res.Failure, _, _ = strings.Cut(failure(r).Error(), "\n")
	}
	if res.Verdict == falseSuccess || res.Verdict == wrongFailure {
		t.Errorf("%s: the run %v; outside: %v", res.Verdict, failure(r), outside)
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
