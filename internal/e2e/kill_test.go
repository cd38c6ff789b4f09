//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps/desktop"
)

// A run whose process is killed between or during its clicks is resumed, and
// the application's own log says that each button was clicked once, in order.
func TestAKilledRunClicksNothingTwice(t *testing.T) {
	for _, after := range []int{1, 4, 8} {
		t.Run(fmt.Sprintf("killed after %d clicks", after), func(t *testing.T) { killed(t, after) })
	}
}

func killed(t *testing.T, after int) {
	s := newStage(t, desktop.Size{})
	s.witness("wide")
	cmd := exec.Command(os.Args[0], "run", s.testdata("witness_clicks.yaml"))
	cmd.Env = append(os.Environ(), commandVariable+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	clicks := func() int { return len(s.log("clicked")) }
	if err := eventually(t.Context(), func() error {
		if n := clicks(); n < after {
			return fmt.Errorf("wanted %d clicks, found %d", after, n)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the run ended before it was killed: %v\n%s", err, &out)
	}
	time.Sleep(200 * time.Millisecond) // what is under way reaches the application
	s.finish()
	want := []string{"clicked OK", "clicked Apply", "clicked OK", "clicked Apply", "clicked OK", "clicked Apply", "clicked OK", "clicked Apply", "clicked OK", "clicked Apply"}
	if got := s.log("clicked"); !slices.Equal(got, want) {
		t.Errorf("killed after %d clicks and resumed: wanted %d clicks in turn, found %q", after, len(want), got)
	}
}

// finish resumes the last run as an operator does who sees the application's
// log: a click in doubt is done again only when the application does not know
// of it.
func (s *stage) finish() {
	s.t.Helper()
	status, out, errOut := s.command("resume", "last", "--json")
	if status == 5 { // in doubt
		_, list, _ := s.command("runs", "show", "last", "--json")
		var r engine.Report
		if err := json.Unmarshal([]byte(list), &r); err != nil {
			s.t.Fatalf("the report of the run: %v\n%s", err, list)
		}
		done := 0
		for _, st := range r.Steps {
			if st.Kind == "click_element" && st.Status == "success" {
				done++
			}
		}
		choice := "--redo"
		if len(s.log("clicked")) > done {
			choice = "--skip"
		}
		status, out, errOut = s.command("resume", "last", choice, "--json")
	}
	if status != 0 {
		s.t.Fatalf("the resumed run ended with status %d\n%s%s", status, out, errOut)
	}
}
