package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"understudy/steps"
)

// accept checks the inputs of a run, and replaces secrets with references.
func (v *evaluator) accept(given map[string]any, secret map[string]string) (map[string]any, error) {
	all := orEmpty(maps.Clone(v.program.Inputs))
	maps.Copy(all, given)
	for name, text := range secret {
		all[name] = text
	}
	checked, problems := v.program.CheckInputs(all)
	missing := map[string]bool{}
	for _, x := range v.program.Missing(all) {
		missing[x.Name] = x.Secret
	}
	problems = slices.DeleteFunc(problems, func(p steps.Problem) bool { return len(p.Path) > 0 && missing[p.Path[0]] })
	if len(problems) > 0 {
		return nil, refuseInputs(problems)
	}
	for _, x := range v.program.Variables {
		if value, given := checked[x.Name]; given && x.Secret {
			v.secrets[x.Name] = fmt.Sprint(value)
		}
	}
	masked, _ := v.secrets.mask(checked).(map[string]any)
	for _, x := range v.program.Variables {
		_, given := checked[x.Name]
		switch {
		case !x.Secret:
		case given || x.Required:
			masked[x.Name] = reference(x.Name)
		default:
			masked[x.Name] = nil
		}
	}
	return masked, nil
}

func refuseInputs(problems []steps.Problem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return steps.Errorf(steps.Invalid, "invalid inputs: %s", strings.Join(lines, "\n")).
		WithNext("give each with --input name=value, or under inputs")
}

// secretInputs returns the names of the secrets that a run needs.
func (v *evaluator) secretInputs() (names []string) {
	for _, x := range v.program.Variables {
		if _, wanted := v.s.Scopes[1].Inputs[x.Name].(map[string]any); x.Secret && wanted {
			names = append(names, x.Name)
		}
	}
	return names
}

// lacks returns the names of the secrets that a run needs and does not have.
func (v *evaluator) lacks() []string {
	return slices.DeleteFunc(v.secretInputs(), func(name string) bool { _, given := v.secrets[name]; return given })
}
