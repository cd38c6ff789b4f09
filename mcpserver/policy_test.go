package mcpserver

import (
	"testing"

	"understudy/engine"
	"understudy/mcpserver/byhand"
	"understudy/steps"
)

func TestPolicy(t *testing.T) {
	reads := rule{name: "look", toolset: steps.Core, reads: true, risk: steps.Normal}
	acts := rule{name: "act", toolset: steps.Core, risk: steps.Normal}
	seldom := rule{name: "seldom", toolset: steps.Desktop, risk: steps.Normal}
	shell := rule{name: "run_command", toolset: steps.Shell, risk: steps.RunsShell}
	private := rule{name: "read_file", toolset: steps.Files, reads: true, risk: steps.ReadsPrivate}
	stop := rule{name: "stop_execution", toolset: steps.Runs, always: true}
	core := Policy{}.completed()
	for _, c := range []struct {
		say              string
		p                Policy
		r                rule
		offered, allowed bool
	}{
		{"the core is offered", core, acts, true, true},
		{"what is not offered may stand in a sequence", core, seldom, false, true},
		{"a shell that is not offered is refused", core, shell, false, false},
		{"a shell that is offered is allowed", Policy{Mode: Act, Toolsets: []steps.Toolset{steps.Core, steps.Shell}}, shell, true, true},
		{"a shell that is offered by name is allowed", Policy{Mode: Act, Tools: []string{"run_command"}}, shell, true, true},
		{"reading files that is not offered is refused", core, private, false, false},
		{"reading files that is offered is allowed, in ask mode too", Policy{Mode: Ask, Toolsets: []steps.Toolset{steps.Files}}, private, true, true},
		{"reading files that is offered by name is allowed", Policy{Mode: Act, Tools: []string{"read_file"}}, private, true, true},
		{"a request without the toolset loses the right to read files", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}.narrowed(Act, false, []steps.Toolset{steps.Core}), private, false, false},
		{"all is everything", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}, shell, true, true},
		{"ask mode lets look", core.narrowed(Ask, false, nil), reads, true, true},
		{"ask mode lets nothing act", core.narrowed(Ask, false, nil), acts, false, false},
		{"ask mode lets stop", core.narrowed(Ask, false, nil), stop, true, true},
		{"act does not undo ask", Policy{Mode: Ask}.completed().narrowed(Act, false, nil), acts, false, false},
		{"read-only lets look", Policy{ReadOnly: true}.completed(), reads, true, true},
		{"read-only lets nothing act", core.narrowed(Act, true, nil), acts, false, false},
		{"what is excluded is refused, whatever it does", Policy{Exclude: []string{"look"}}.completed(), reads, false, false},
		{"also stopping", Policy{Exclude: []string{"stop_execution"}}.completed(), stop, false, false},
		{"a request offers less", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}.narrowed(Act, false, []steps.Toolset{steps.Desktop}), acts, false, true},
		{"a request cannot offer more", core.narrowed(Act, false, []steps.Toolset{steps.Shell}), shell, false, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got := c.p.offers(c.r); got != c.offered {
				t.Errorf("offered: %t, want %t", got, c.offered)
			}
			if got := c.p.refuses(c.r) == nil; got != c.allowed {
				t.Errorf("allowed: %t, want %t", got, c.allowed)
			}
		})
	}
}

// TestRightIsLostUnderWay takes the right to act from a client whose run has
// begun: the next step that acts is denied.
func TestRightIsLostUnderWay(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("execute_sequence", byhand.Object{"steps": []any{
		byhand.Object{"tool_name": "pause", "id": "first"},
		byhand.Object{"tool_name": "click_element", "id": "second", "arguments": byhand.Object{"selector": "role:button && name:Save"}},
	}}))
	run := st.hanging()
	st.modes.set("by-hand", Ask)
	close(st.goOn)
	if res := w.Await(answer); code(res) != "denied" {
		t.Errorf("the answer: %v", res)
	}
	if h := st.rest(run); h.Status != engine.Failed || h.ResumeFrom != "second" {
		t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
	}
	if got := st.desk.Journal(); len(got) > 0 {
		t.Errorf("it acted: %v", got)
	}
	if res := w.Call("resume_run", byhand.Object{"run_id": run}); byhand.Dig(res, "error", "code") != -32002.0 {
		t.Errorf("resumed in ask mode: %v", res)
	}
}
