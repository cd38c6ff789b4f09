//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/itself"
)

// A run whose process is killed between or during its clicks is resumed, and
// the application's own log says that each button was clicked once, in order.
func TestAKilledRunClicksNothingTwice(t *testing.T) {
	for _, after := range []int{1, 7, 16} {
		t.Run(fmt.Sprintf("killed after %d clicks", after), func(t *testing.T) { killed(t, after) })
	}
}

func killed(t *testing.T, after int) {
	if !itself.InChild(t, nil) {
		return
	}
	s := newStage(t, desktop.Size{})
	s.witness("")
	clicks := func() []string { return s.log("clicked") }
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := itself.Command(exec.Command(self, "run", s.testdata("witness_clicks.yaml")))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(clicks()) < after {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before it was killed, after %d clicks: %v\n%s", len(clicks()), err, &out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the run ended before it was killed: %v\n%s", err, &out)
	}
	s.settle()
	s.finish()
	var want []string
	for range 20 {
		want = append(want, "clicked OK", "clicked Apply")
	}
	s.settle()
	if got := clicks(); !slices.Equal(got, want) {
		t.Errorf("killed after %d clicks and resumed: wanted %d clicks in turn, found %q", after, len(want), got)
	}
}

// settle waits until the witness has seen all that was done to it: it writes
// down its state twice.
func (s *stage) settle() {
	s.t.Helper()
	written := func() time.Time {
		info, err := os.Stat(filepath.Join(s.dir, "witness.log.state"))
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	for range 2 {
		before := written()
		if err := eventually(s.t, func() error {
			if written().Equal(before) {
				return errors.New("the witness does not say how it stands")
			}
			return nil
		}); err != nil {
			s.t.Fatal(err)
		}
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
