package schedules

import (
	"encoding/json"
	"maps"
	"strings"

	"understudy/steps"
	"understudy/workflows"
)

// Accept converts and checks the inputs of a schedule for its workflow. None may be
// missing, because no person is there to ask, but a message may still bring some.
func Accept(s Schedule, p *workflows.Program, inputs map[string]any) (map[string]any, error) {
	all := maps.Clone(inputs)
	for _, v := range p.Variables {
		given, is := all[v.Name]
		if is && v.Secret {
			return nil, steps.Errorf(steps.Invalid, "the input %s is a secret, which is not stored: a run of the schedule asks for it", v.Name)
		}
		if text, ok := given.(string); ok {
			value, err := workflows.ParseInput(v, text)
			if err != nil {
				return nil, &steps.Error{Code: steps.Invalid, Err: err}
			}
			all[v.Name] = value
		}
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
		return nil, steps.Errorf(steps.Invalid, "the inputs are not valid for the workflow: %s", strings.Join(lines, "\n")).
			WithNext("give each with --input name=value, or under input")
	}
	return all, nil
}

// inputsOf returns the members of a message as inputs. It refuses those that the
// schedule sets itself.
func (s Schedule) inputsOf(body []byte) (map[string]any, error) {
	inputs := map[string]any{}
	if len(strings.TrimSpace(string(body))) == 0 {
		return inputs, nil
	}
	if err := json.Unmarshal(body, &inputs); err != nil {
		return nil, steps.Errorf(steps.Invalid, "wanted the inputs as one JSON object: %w", err)
	}
	for name := range inputs {
		if _, fixed := s.Inputs[name]; fixed {
			return nil, steps.Errorf(steps.Invalid, "the input %s is set by the schedule %s", name, s.Name)
		}
	}
	return inputs, nil
}
