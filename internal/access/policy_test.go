package access

import (
	"testing"

	"understudy/steps"
)

func TestPolicy(t *testing.T) {
	reads := Tool{Name: "look", Toolset: steps.Core, Reads: true, Risk: steps.Normal}
	acts := Tool{Name: "act", Toolset: steps.Core, Risk: steps.Normal}
	seldom := Tool{Name: "seldom", Toolset: steps.Desktop, Risk: steps.Normal}
	shell := Tool{Name: "run_command", Toolset: steps.Shell, Risk: steps.RunsShell}
	private := Tool{Name: "read_file", Toolset: steps.Files, Reads: true, Risk: steps.ReadsPrivate}
	stop := Tool{Name: "stop_execution", Toolset: steps.Runs, Always: true}
	core := Policy{}.WithDefaults()
	for _, c := range []struct {
		say              string
		p                Policy
		t                Tool
		offered, allowed bool
	}{
		{"the core is offered", core, acts, true, true},
		{"what is not offered may stand in a sequence", core, seldom, false, true},
		{"a shell that is not offered is refused", core, shell, false, false},
		{"a shell that is offered is allowed", Policy{Mode: Act, Toolsets: []steps.Toolset{steps.Core, steps.Shell}}, shell, true, true},
		{"a shell that is offered by name is allowed", Policy{Mode: Act, Tools: []string{"run_command"}}, shell, true, true},
		{"scripts in pages that are not offered are refused", core, Tool{Name: "execute_browser_script", Toolset: steps.Browser, Risk: steps.RunsScripts}, false, false},
		{"reading files that is not offered is refused", core, private, false, false},
		{"reading files that is offered is allowed, in ask mode too", Policy{Mode: Ask, Toolsets: []steps.Toolset{steps.Files}}, private, true, true},
		{"reading files that is offered by name is allowed", Policy{Mode: Act, Tools: []string{"read_file"}}, private, true, true},
		{"a request without the toolset loses the right to read files", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}.Narrowed(Limits{Mode: Act, Toolsets: []steps.Toolset{steps.Core}}), private, false, false},
		{"all is everything", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}, shell, true, true},
		{"ask mode lets look", core.Narrowed(Limits{Mode: Ask}), reads, true, true},
		{"ask mode lets nothing act", core.Narrowed(Limits{Mode: Ask}), acts, false, false},
		{"ask mode lets stop", core.Narrowed(Limits{Mode: Ask}), stop, true, true},
		{"act does not undo ask", Policy{Mode: Ask}.WithDefaults().Narrowed(Limits{Mode: Act}), acts, false, false},
		{"read-only lets look", Policy{ReadOnly: true}.WithDefaults(), reads, true, true},
		{"read-only lets nothing act", core.Narrowed(Limits{Mode: Act, ReadOnly: true}), acts, false, false},
		{"what is excluded is refused, whatever it does", Policy{Exclude: []string{"look"}}.WithDefaults(), reads, false, false},
		{"also by a name that it had", Policy{Exclude: []string{"get_applications"}}.WithDefaults(), Tool{Name: "get_applications_and_windows_list", Toolset: steps.Core, Reads: true}, false, false},
		{"also stopping", Policy{Exclude: []string{"stop_execution"}}.WithDefaults(), stop, false, false},
		{"a request offers less", Policy{Mode: Act, Toolsets: []steps.Toolset{All}}.Narrowed(Limits{Mode: Act, Toolsets: []steps.Toolset{steps.Desktop}}), acts, false, true},
		{"a request cannot offer more", core.Narrowed(Limits{Mode: Act, Toolsets: []steps.Toolset{steps.Shell}}), shell, false, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got := (Subject{Policy: c.p}).Offers(c.t); got != c.offered {
				t.Errorf("offered: %t, want %t", got, c.offered)
			}
			if got := (Subject{Policy: c.p}).May(c.t) == nil; got != c.allowed {
				t.Errorf("allowed: %t, want %t", got, c.allowed)
			}
		})
	}
}
