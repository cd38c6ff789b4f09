package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"understudy/steps"
)

// accept checks the inputs of a run, and takes the secrets out of them.
func (w *worker) accept(given map[string]any, secret map[string]string) (map[string]any, error) {
	all := maps.Clone(w.program.Inputs)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, given)
	for name, v := range secret {
		all[name] = v
	}
	checked, problems := w.program.CheckInputs(all)
	missing := map[string]bool{}
	for _, v := range w.program.Missing(all) {
		missing[v.Name] = v.Secret
	}
	problems = slices.DeleteFunc(problems, func(p steps.Problem) bool { return len(p.Path) > 0 && missing[p.Path[0]] })
	if len(problems) > 0 {
		return nil, refuseInputs(problems)
	}
	for _, v := range w.program.Variables {
		if !v.Secret {
			continue
		}
		value, given := checked[v.Name]
		if given {
			w.secrets[v.Name] = fmt.Sprint(value)
		}
		if checked[v.Name] = nil; given || v.Required {
			checked[v.Name] = reference(v.Name)
		}
	}
	masked, _ := w.secrets.mask(checked).(map[string]any)
	return masked, nil
}

func refuseInputs(problems []steps.Problem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	e := steps.Errorf(steps.Invalid, "the inputs do not fit: %s", strings.Join(lines, "\n"))
	e.Next = "give each with --input name=value, or under inputs"
	return e
}

// lacks are the secrets that a run needs and does not have.
func (w *worker) lacks() []string {
	var names []string
	for _, v := range w.program.Variables {
		_, given := w.secrets[v.Name]
		_, wanted := w.s.Scopes[1].Inputs[v.Name].(map[string]any)
		if v.Secret && wanted && !given {
			names = append(names, v.Name)
		}
	}
	return names
}
