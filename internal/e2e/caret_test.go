//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop"
)

// A person types in one window while single kinds are called that act on
// another: afterwards the person's window is active, and its caret stands
// where it stood.
func TestTheCaretStaysWhereItWas(t *testing.T) {
	s, want := personTypes(t)
	in := func(rest string) string { return `{"selector": "window:Witness >> ` + rest + `}` }
	for _, row := range []struct{ kind, arguments string }{
		{"type_into_element", in(`role:text && name:Name", "text_to_type": "typed"`)},
		{"set_value", in(`role:text && name:Name", "value": "set"`)},
		{"set_value", in(`role:slider", "value": 12`)},
		{"set_selected", in(`role:checkbox", "state": true`)},
		{"select_option", in(`role:combobox", "option_name": "green"`)},
		{"scroll_element", in(`name:Canvas"`)},
		{"highlight_element", in(`role:checkbox"`)},
		{"stop_highlighting", `{}`},
		{"get_window_tree", `{"title": "Witness"}`},
		{"capture_screenshot", `{"title": "Witness"}`},
		{"validate_element", in(`role:checkbox"`)},
		{"wait_for_element", in(`role:checkbox"`)},
		{"set_clipboard", `{"text": "clip"}`},
		{"get_clipboard", `{}`},
		{"scroll", `{"x": 5, "y": 5}`},
		{"move_window", `{"title": "Witness", "x": 900, "y": 100}`},
	} {
		t.Run(row.kind, func(t *testing.T) {
			if keeps(row.kind) != steps.Keep {
				t.Fatalf("%s takes the focus, by its declaration", row.kind)
			}
			status, out, errOut := s.command("call", row.kind, row.arguments)
			if status != 0 {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
			if err := s.stands("user", want); err != nil {
				t.Error(err)
			}
		})
	}
	if err := s.holdsLog("witness", "entry set", "check True", "combo green", "scale 12"); err != nil {
		t.Error(err)
	}
}

// A workflow that clicks in another window takes the focus, and gives it back
// at its end when it is asked to, also when it fails.
func TestAWorkflowGivesTheFocusBack(t *testing.T) {
	for _, row := range []struct {
		button string
		status engine.Status
	}{{"Apply", engine.Succeeded}, {"Nowhere", engine.Failed}} {
		t.Run(row.button, func(t *testing.T) {
			s, want := personTypes(t)
			if r := s.run(s.testdata("courteous.yaml"), "-i", "button="+row.button); r.Status != row.status {
				t.Errorf("wanted %s, found %v", row.status, failure(r))
			}
			if err := firstError(s.stands("user", want), s.holdsLog("witness", "tab 1", "entry Ada")); err != nil {
				t.Error(err)
			}
		})
	}
}

// personTypes is a stage on which a person types in one window, beside another,
// and how that person's window says that it stands.
func personTypes(t *testing.T) (s *stage, stands string) {
	s = newStage(t, desktop.Size{})
	s.show("user", "User")
	s.show("witness", "Witness")
	s.call("set_value", `{"selector": "window:User >> role:text && name:Name", "value": "a person types", "timeout_ms": 30000}`)
	s.call("activate_element", `{"selector": "window:User >> role:text && name:Name"}`)
	s.tool("xdotool", "key", "Home", "Right", "Right", "Right")
	stands = "User active=True focus=Name caret=3"
	if err := s.stands("user", stands); err != nil {
		t.Fatal(err)
	}
	return s, stands
}

func keeps(kind string) steps.Focus {
	for _, k := range steps.All() {
		if k.Name == kind {
			return k.Focus
		}
	}
	return steps.Take
}

// show starts a witness with a log of its own, and waits until it shows.
func (s *stage) show(log, title string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "/usr/bin/python3", s.testdata("witness.py"), filepath.Join(s.dir, log+".log"), title)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.shows("^" + title + "$")
}

// stands says whether a witness's state is this.
func (s *stage) stands(log, want string) error {
	return eventually(s.t.Context(), func() error {
		got, err := os.ReadFile(filepath.Join(s.dir, log+".log.state"))
		if err == nil && string(got) != want {
			err = fmt.Errorf("wanted %q, found %q", want, got)
		}
		return err
	})
}

// holdsLog says whether all these lines are in a log.
func (s *stage) holdsLog(log string, lines ...string) error {
	raw, err := os.ReadFile(filepath.Join(s.dir, log+".log"))
	for _, line := range lines {
		if err == nil && !strings.Contains(string(raw), line+"\n") {
			err = fmt.Errorf("%s.log has no line %q:\n%s", log, line, raw)
		}
	}
	return err
}
