//go:build unix

package engine

import (
	"context"
	"strings"
	"testing"

	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
	"understudy/steps/kinds"
)

// reached is the session of a desktop that programs reach by a variable.
type reached struct{ desktop.Session }

func (reached) Info(context.Context) (desktop.Info, error) {
	return desktop.Info{Env: []string{"DISPLAY=:77"}}, nil
}

// TestProgramsComeUpOnTheDesktopOfTheRun holds that a program that is started
// before any step has used the desktop comes up where the steps will look.
func TestProgramsComeUpOnTheDesktopOfTheRun(t *testing.T) {
	const program, look = `{id: p, tool_name: run_command, arguments: {run: "echo at $DISPLAY"}}`, `{tool_name: validate_element, arguments: {selector: name:Send}}`
	for _, c := range []struct {
		say, document string
		at            string
	}{
		{"before the first step that looks", "steps: [" + program + ", " + look + "]", "at :77"},
		{"after it", "steps: [" + look + ", " + program + "]", "at :77"},
		{"before one in a group", "steps: [" + program + ", {group_name: g, steps: [" + look + "]}]", "at :77"},
		{"where no step looks", "steps: [" + program + "]", "at"},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New(fake.MustParse(twoWindows)...)
			t.Cleanup(func() { _ = d.Close() })
			desk := d.Desktop()
			desk.Session = reached{desk.Session}
			s := newStage(t)
			s.Desk, s.Kinds = fakeDesk{desk}, kinds.All()
			req := s.request(c.document, nil)
			req.Dir = t.TempDir()
			h := s.play(req)
			r, err := s.Report(t.Context(), h.ID, Page{})
			if err != nil || h.Status != Succeeded {
				t.Fatalf("%s: %+v, %v", h.Status, h.Error, err)
			}
			for _, step := range r.Steps {
				if step.ID == "p" {
					if out, _ := step.Result.(map[string]any)["stdout"].(string); strings.TrimSpace(out) != c.at {
						t.Errorf("the program is %q, want %q", out, c.at)
					}
				}
			}
		})
	}
}
