package workflows

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
)

// CheckInputs says what is wrong with given inputs, and completes them: with
// those that the document itself gives, and with the defaults. Null is the
// same as not given.
func (p *Program) CheckInputs(given map[string]any) (map[string]any, []steps.Problem) {
	all := p.merged(given)
	var problems []steps.Problem
	if !p.Options.InputsAreOpen {
		problems = p.unknownInputs(all)
	}
	for _, v := range p.Variables {
		value, ok := all[v.Name]
		switch {
		case ok:
			problems = append(problems, v.check(value)...)
		case v.HasDefault:
			all[v.Name] = v.Default
		case v.Required:
			problems = append(problems, steps.Problem{Path: []string{v.Name}, Message: "the input is missing", Hint: v.purpose()})
		}
	}
	return all, problems
}

// Missing are the required variables that have no value.
func (p *Program) Missing(given map[string]any) (missing []Variable) {
	all := p.merged(given)
	for _, v := range p.Variables {
		if _, ok := all[v.Name]; !ok && v.Required {
			missing = append(missing, v)
		}
	}
	return missing
}

func (p *Program) merged(given map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, p.Inputs)
	maps.Copy(all, given)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

func (p *Program) unknownInputs(given map[string]any) (problems []steps.Problem) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(p.Variables, func(v Variable) bool { return v.Name == name }) {
			problems = append(problems, steps.Problem{
				Path: []string{name}, Key: true, Hint: p.knownInputs(name),
				Message: fmt.Sprintf("there is no input %q", words.Shorten(name, 60)),
			})
		}
	}
	return problems
}

// knownInputs names the nearest input, and all of them.
func (p *Program) knownInputs(name string) string {
	if len(p.Variables) == 0 {
		return "the workflow takes none"
	}
	names := make([]string, len(p.Variables))
	for i, v := range p.Variables {
		names[i] = v.Name
	}
	hint := "the inputs are " + strings.Join(names, ", ")
	if near := words.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return hint
}

func (v Variable) purpose() string {
	switch {
	case v.Description != "":
		return v.Description
	case v.Label != "":
		return v.Label
	}
	return "give a value of type " + v.Type
}

// check says what is wrong with a value. A secret is never repeated.
func (v Variable) check(value any) []steps.Problem {
	problems := steps.CheckValue(v.Schema, value)
	if len(problems) > 0 && v.Secret {
		return []steps.Problem{{Path: []string{v.Name}, Message: "the value does not fit the declaration of this secret", Hint: v.purpose()}}
	}
	for i := range problems {
		problems[i].Path = append([]string{v.Name}, problems[i].Path...)
	}
	return problems
}

// ParseInput makes a value of a text, such as one from a command line.
func ParseInput(v Variable, text string) (any, error) {
	t := strings.TrimSpace(text)
	switch v.Type {
	case "number":
		if n, err := strconv.ParseFloat(t, 64); err == nil {
			return n, nil
		}
	case "boolean":
		if b, err := strconv.ParseBool(t); err == nil {
			return b, nil
		}
	case "array", "object":
		var value any
		if err := json.Unmarshal([]byte(t), &value); err == nil && typeName(value) == v.Type {
			return value, nil
		}
	case "enum":
		for _, o := range v.Options {
			if fmt.Sprint(o) == t {
				return o, nil
			}
		}
		return text, nil // CheckInputs names the nearest option
	default:
		return text, nil
	}
	if v.Secret {
		text = "a secret value"
	} else {
		text = strconv.Quote(words.Shorten(text, 60))
	}
	return nil, fmt.Errorf("input %s: wanted %s, found %s", v.Name, wantedInput[v.Type], text)
}

var wantedInput = map[string]string{
	"number": "a number", "boolean": "true or false",
	"array": `a JSON list such as ["a", "b"]`, "object": `a JSON object such as {"a": 1}`,
}

func typeName(v any) string {
	switch v.(type) {
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

// checkGiven holds the inputs that the document itself gives to its
// variables.
func (u *unit) checkGiven() {
	v := u.doc.Inputs.value
	if v == nil {
		return
	}
	for _, e := range v.entries {
		if d := u.program.variable(e.key.text); d != nil && d.Secret {
			u.report.addAtSecret(e.key.position, secretHint(d.Name), "the value of the secret %s does not belong in a document", words.Shorten(d.Name, 60))
		}
		if strings.Contains(e.value.str(), "${{") {
			u.report.add(e.value.position, "write the value, or put the expression where the input is used", "the inputs of a run are values: there is nothing yet that an expression could name")
		}
	}
	u.program.checkInputs(v, u.report)
}

// secretHint says how a secret is given, whoever runs the document.
func secretHint(name string) string {
	return fmt.Sprintf("leave it out: the run asks the person for it, on a page that no client reads, or names the command; at the command line it is --input %s=@FILE", words.Shorten(name, 60))
}

// checkInputs reports the problems of inputs that are written out, but not
// which are missing.
func (p *Program) checkInputs(v *value, r *report) {
	if !p.Options.InputsAreOpen {
		plain, _ := v.plain().(map[string]any)
		for _, x := range p.unknownInputs(plain) {
			r.add(v.at(x.Path, true), x.Hint, "%s", x.Message)
		}
	}
	for _, e := range v.entries {
		d := p.variable(e.key.text)
		if d == nil || e.value.sort == sortNull || hasTemplate(e.value) {
			continue
		}
		add := r.add
		if d.Secret {
			add = r.addAtSecret
		}
		for _, x := range d.check(e.value.plain()) {
			add(e.value.at(x.Path[1:], x.Key), x.Hint, "the input %s does not fit: %s", words.Shorten(d.Name, 60), x.Message)
		}
	}
}

// hasTemplate reports whether a value holds an expression somewhere.
func hasTemplate(v *value) bool {
	return v.sort == sortText && isTemplate(v.text) ||
		slices.ContainsFunc(v.list, hasTemplate) ||
		slices.ContainsFunc(v.entries, func(e entry) bool { return hasTemplate(e.value) })
}

func (p *Program) variable(name string) *Variable {
	for i := range p.Variables {
		if p.Variables[i].Name == name {
			return &p.Variables[i]
		}
	}
	return nil
}

// ReadInputs reads a file of inputs: an object of names and values.
func ReadInputs(src Source) (map[string]any, error) {
	r := &report{root: newFile(Source{Name: src.Name}).name}
	v := read(src, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	m, ok := v.plain().(map[string]any)
	if !ok {
		r.add(v.position, "write name: value", "a file of inputs is an object of names and values, found %s", v)
		return nil, r.err()
	}
	return m, nil
}
