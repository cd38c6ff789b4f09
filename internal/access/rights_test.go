package access

import (
	"strings"
	"testing"

	"understudy/steps"
	"understudy/workflows"
)

var (
	looking = steps.Kind{Name: "look", Toolset: steps.Core, Reads: true}
	acting  = steps.Kind{Name: "act", Toolset: steps.Core}
	shell   = steps.Kind{Name: "run_command", Toolset: steps.Shell, Risk: steps.RunsShell}
)

func TestRights(t *testing.T) {
	core := Policy{}.WithDefaults()
	for _, c := range []struct {
		say    string
		p      Policy
		modes  map[string]Mode
		client string
		k      steps.Kind
		denied string
	}{
		{"a client without a mode may act", core, nil, "cursor#1", acting, ""},
		{"one in ask mode may not", core, map[string]Mode{"cursor": Ask}, "cursor#1", acting, "ask mode"},
		{"it may look", core, map[string]Mode{"cursor": Ask}, "cursor#1", looking, ""},
		{"the mode of its credential counts", core, map[string]Mode{"laptop": Ask}, "laptop/cursor#1", acting, "ask mode"},
		{"and of what it calls itself", core, map[string]Mode{"cursor": Ask}, "laptop/cursor", acting, "ask mode"},
		{"and of both together", core, map[string]Mode{"laptop/cursor": Ask}, "laptop/cursor#1", acting, "ask mode"},
		{"act mode does not undo that of the server", Policy{Mode: Ask}, map[string]Mode{"cursor": Act}, "cursor", acting, "ask mode"},
		{"the mode of another client does not count", core, map[string]Mode{"other": Ask}, "cursor", acting, ""},
		{"a shell needs its toolset", core, nil, "cursor", shell, "the toolset shell is off"},
	} {
		t.Run(c.say, func(t *testing.T) { denied(t, NewModes(c.modes).Allow(c.p, c.client, c.k), c.denied) })
	}
}

func denied(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err == nil {
		return
	}
	if err == nil || want == "" || steps.CodeOf(err) != steps.Denied || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestProgram(t *testing.T) {
	node := func(id string, k *steps.Kind, call *workflows.Program) *workflows.Node {
		return &workflows.Node{ID: id, Path: "steps[0]", Kind: k, Call: call}
	}
	program := func(nodes ...*workflows.Node) *workflows.Program { return &workflows.Program{Steps: nodes} }
	for _, c := range []struct {
		say    string
		p      *workflows.Program
		denied string
	}{
		{"steps that look are allowed", program(node("a", &looking, nil), node("b", &looking, nil)), ""},
		{"a step that acts is named", program(node("a", &looking, nil), node("b", &acting, nil)), "(step b)"},
		{"one without an id by its place", program(node("", &acting, nil)), "(step at steps[0])"},
		{"one of a document that is called", program(node("a", nil, program(node("b", &shell, nil)))), "(step b)"},
	} {
		t.Run(c.say, func(t *testing.T) {
			why := (Subject{Policy: Policy{Mode: Ask}}).MayRun(c.p)
			if why == nil {
				denied(t, nil, c.denied)
				return
			}
			denied(t, why.Denied(), c.denied)
		})
	}
}
