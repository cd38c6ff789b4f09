package access

import (
	"testing"

	"understudy/steps"
)

// TestRightsByTrait selects kinds by a trait, so that a renamed kind is found too, and a
// missing one is refused.
func TestRightsByTrait(t *testing.T) {
	renamed := shell
	renamed.Name = "execute"
	for _, c := range []struct {
		say    string
		p      Policy
		kinds  []steps.Kind
		denied string
	}{
		{"a kind with another name", Policy{}, []steps.Kind{acting, renamed}, "execute is not allowed: the toolset shell is off"},
		{"the second of two", Policy{Toolsets: []steps.Toolset{steps.Shell}, Exclude: []string{"execute"}}, []steps.Kind{shell, renamed}, "execute is not allowed: it is excluded"},
		{"one that is allowed", Policy{Toolsets: []steps.Toolset{steps.Shell}}, []steps.Kind{acting, renamed}, ""},
		{"none that has the trait", Policy{Toolsets: []steps.Toolset{All}}, []steps.Kind{acting}, "no tool of this server"},
	} {
		t.Run(c.say, func(t *testing.T) {
			denied(t, Subject{Policy: c.p}.MayAll(c.kinds, HasRisk(steps.RunsShell)).Denied(), c.denied)
		})
	}
}
