//go:build linux

package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var (
	longTimes = flag.Int("long-times", 0, "how often TestTheLongWorkflowAgainAndAgain plays the long workflow")
	longQt    = flag.Bool("long-qt", false, "let it use an editor of Qt in place of one of GTK")
	longLoad  = flag.Int("long-load", 0, "how many processes keep the machine busy meanwhile")
)

// longRounds is how often testdata/long.yaml goes round the applications.
const longRounds = 12

// longScenario goes round five applications, in over two hundred steps.
func longScenario() scenario {
	qt := theToolkits()[0]
	return scenario{
		name: "long: two hundred steps over five applications", workflow: "long", closes: "galculator",
		needs: slices.Concat(qt.needs, []string{"mousepad", longEditor().process, "xterm", "galculator", "xclip"}),
		setup: func(s *stage) {
			qt.setup(s)
			s.write("note.txt", "")
			s.write("other.txt", "")
		},
		flags: longEditor().flags(), check: wentRound,
	}
}

// editor is the second editor of the long workflow.
type editor struct{ process, command string }

func longEditor() editor {
	if *longQt {
		return editor{"featherpad", "featherpad --standalone other.txt"}
	}
	return editor{"l3afpad", "l3afpad other.txt"}
}

func (e editor) flags() []string {
	return []string{"-i", "editor=" + e.process, "-i", "command=" + e.command}
}

// wentRound says that each application holds each word of each round.
func wentRound(s *stage) error {
	lines := func(format string) string {
		var all []string
		for round := range longRounds {
			all = append(all, fmt.Sprintf(format, round+1))
		}
		return strings.Join(all, "\n")
	}
	var sent []string
	for round := 1; round <= longRounds; round++ {
		gift := map[bool]string{true: "True", false: "False"}[round%2 == 1]
		sent = append(sent, fmt.Sprintf("sent Customer %d|%s|Small|%d", round, gift, round))
	}
	return errors.Join(s.witnessed(sent...), s.holds("note.txt", lines("note %d, ä€")), s.holds("other.txt", lines("line %d of another")),
		s.holds("said.txt", lines("said %d")), copied(strings.Repeat("7", longRounds))(s))
}

// On demand the long workflow is played many times, with -parallel=1 in a row, also on a
// busy machine.
func TestTheLongWorkflowAgainAndAgain(t *testing.T) {
	load := *longLoad
	if os.Getenv(resultVariable) != "" {
		load = 0 // this process plays for another, which keeps the machine busy
	}
	for range load {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	results := make([]*result, *longTimes)
	t.Cleanup(func() { report(t, slices.DeleteFunc(results, func(r *result) bool { return r == nil })) })
	for i := range results {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { results[i] = longScenario().playInChild(t) })
	}
}
