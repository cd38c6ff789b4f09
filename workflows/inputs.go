package workflows

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
)

// CheckInputs completes the given inputs with those that the document gives and with
// the defaults, and returns them with all that is wrong with them. Null means the same
// as not given.
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

// Missing returns the required variables without a value.
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
		if p.variable(name) == nil {
			problems = append(problems, steps.Problem{
				Path: []string{name}, Key: true, Hint: p.knownInputs(name),
				Message: fmt.Sprintf("there is no input %q", words.Shorten(name, 60)),
			})
		}
	}
	return problems
}

// knownInputs returns a hint with the nearest input and all inputs.
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
	return cmp.Or(v.Description, v.Label, "give a value of type "+v.Type)
}

// check returns the problems of a value. They never quote a secret, which is a text
// whatever its type.
func (v Variable) check(value any) []steps.Problem {
	if text, ok := value.(string); ok && v.Secret {
		if parsed, err := ParseInput(v, text); err == nil {
			value = parsed
		}
	}
	problems := steps.CheckValue(v.Schema, value)
	if len(problems) > 0 && v.Secret {
		return []steps.Problem{{Path: []string{v.Name}, Message: "the value does not fit the declaration of this secret", Hint: v.purpose()}}
	}
	for i := range problems {
		problems[i].Path = append([]string{v.Name}, problems[i].Path...)
	}
	return problems
}

// ParseInput parses the text of a value, such as one from a command line.
func ParseInput(v Variable, text string) (any, error) {
	t := strings.TrimSpace(text)
	switch v.Type {
	case "number":
		if n, ok := numberIn(t); ok {
			return n, nil
		}
	case "boolean":
		if b, err := strconv.ParseBool(t); err == nil {
			return b, nil
		}
	case "array":
		var list []any
		if err := json.Unmarshal([]byte(t), &list); err == nil && list != nil {
			return list, nil
		}
	case "object":
		var object map[string]any
		if err := json.Unmarshal([]byte(t), &object); err == nil && object != nil {
			return object, nil
		}
	case "enum":
		for _, o := range v.Options {
			if fmt.Sprint(o) == t {
				return o, nil
			}
		}
		if n, ok := numberIn(t); ok && slices.Contains(v.Options, any(n)) {
			return n, nil
		}
		return text, nil // CheckInputs names the nearest option
	default:
		return text, nil
	}
	found := "a secret value"
	if !v.Secret {
		found = strconv.Quote(words.Shorten(text, 60))
	}
	return nil, fmt.Errorf("input %s: wanted %s, found %s", v.Name, wantedInput[v.Type], found)
}

var wantedInput = map[string]string{
	"number": "a number", "boolean": "true or false",
	"array": `a JSON list such as ["a", "b"]`, "object": `a JSON object such as {"a": 1}`,
}

// checkGiven checks the inputs that the document gives against its variables.
func (u *unit) checkGiven() {
	v := u.doc.Inputs
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

// secretHint says how a secret is given by any caller.
func secretHint(name string) string {
	return fmt.Sprintf("leave it out: the run asks the person for it, on a page that no client reads, or names the command; at the command line it is --input %s=@FILE", words.Shorten(name, 60))
}

// checkInputs reports the problems of inputs without expressions, but not which inputs
// are missing.
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

// hasTemplate reports whether a value, or a value in it, holds an expression.
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

// ReadInputs reads a file of inputs, which is an object of names and values.
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
