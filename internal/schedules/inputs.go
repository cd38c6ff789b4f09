package schedules

import (
	"maps"
	"strings"

	"understudy/steps"
	"understudy/workflows"
)

// Accept gives the inputs of a schedule as its workflow wants them. A message may
// still bring what is missing; a person who could be asked is not there.
func Accept(s Schedule, p *workflows.Program, inputs map[string]any) (map[string]any, error) {
	all := maps.Clone(inputs)
	for _, v := range p.Variables {
		text, isText := all[v.Name].(string)
		if !isText {
			continue
		}
		if v.Secret {
			return nil, steps.Errorf(steps.Invalid, "the input %s is a secret, which is not stored: a run of the schedule asks for it", v.Name)
		}
		value, err := workflows.ParseInput(v, text)
		if err != nil {
			return nil, &steps.Error{Code: steps.Invalid, Err: err}
		}
		all[v.Name] = value
	}
	_, problems := p.CheckInputs(all)
	var lines []string
	missing := map[string]bool{}
	for _, v := range p.Missing(all) {
		missing[v.Name] = true
		if !v.Secret && !s.Hook {
			lines = append(lines, v.Name+": it is required")
		}
	}
	for _, x := range problems {
		if len(x.Path) == 0 || !missing[x.Path[0]] {
			lines = append(lines, x.String())
		}
	}
	if len(lines) > 0 {
		return nil, steps.Errorf(steps.Invalid, "the inputs do not fit the workflow: %s", strings.Join(lines, "\n")).
			WithNext("give each with --input name=value, or under input")
	}
	return all, nil
}
