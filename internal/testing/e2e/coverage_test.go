//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// notPlayed are kinds of the desktop that no scenario on a real application
// plays, each with the reason.
var notPlayed = map[string]string{}

// Every kind that looks at a desktop or acts on it is played by a scenario that
// should succeed, on an application that others wrote; the witness, which is
// our own, does not count.
func TestEveryKindHasAScenario(t *testing.T) {
	played := map[string]bool{}
	for _, c := range allScenarios() {
		if c.must || strings.HasPrefix(c.name, "witness:") || strings.HasPrefix(c.name, "trick:") {
			continue
		}
		program(t, c.workflow).Walk(func(n *workflows.Node) {
			if n.Kind != nil {
				played[n.Kind.Name] = true
			}
		})
	}
	for _, k := range kinds.All() {
		reason, excepted := notPlayed[k.Name]
		switch {
		case k.Touches == steps.None:
		case !played[k.Name] && !excepted:
			t.Errorf("%s is played by no scenario: write one, or put it into notPlayed with the reason", k.Name)
		case excepted && (played[k.Name] || reason == ""):
			t.Errorf("%s is in notPlayed, wrongly or without a reason", k.Name)
		}
	}
}

// program is the workflow of a scenario.
func program(t *testing.T, name string) *workflows.Program {
	t.Helper()
	var src workflows.Source
	var err error
	if example, ok := strings.CutPrefix(name, "example/"); ok {
		src, err = workflows.Example(example, workflows.Source{})
	} else {
		src.Name = filepath.Join("testdata", name+".yaml")
		src.Text, err = os.ReadFile(src.Name)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := workflows.Compile(src, workflows.CompileOptions{Kinds: kinds.All(), Load: workflows.Example})
	if err != nil {
		t.Fatal(name, err)
	}
	return p
}
