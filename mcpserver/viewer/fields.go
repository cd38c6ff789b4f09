package viewer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// Prefixes of the names of fields.
const (
	inputPrefix  = "input."
	secretPrefix = "secret."
)

// field is a field of a form: a variable of a workflow, or a part of the answer to a
// question.
type field struct {
	Name, Label, Help string
	Type              string // of the value
	Options           []string
	Default           string
	Value             string // entered before
	Required, Secret  bool
}

// Key returns the name of the field in the form.
func (f field) Key() string {
	if f.Secret {
		return secretPrefix + f.Name
	}
	return inputPrefix + f.Name
}

// Long reports whether the field needs several lines.
func (f field) Long() bool {
	return !slices.Contains([]string{"string", "number", "integer", "boolean", "enum"}, f.Type)
}

// variablesOf returns the inputs of a workflow as fields.
func variablesOf(p *workflows.Program) (all []field) {
	if p == nil {
		return nil
	}
	missing := p.Missing(nil)
	for _, v := range p.Variables {
		f := field{Name: v.Name, Label: cmp.Or(v.Label, v.Name), Help: v.Description, Type: v.Type, Secret: v.Secret}
		f.Required = slices.ContainsFunc(missing, func(m workflows.Variable) bool { return m.Name == v.Name })
		if v.HasDefault {
			f.Default = text(v.Default)
		}
		for _, o := range v.Options {
			f.Options = append(f.Options, text(o))
		}
		all = append(all, f.withBooleanOptions())
	}
	return all
}

// fieldsOf returns the values that a question asks for as fields.
func fieldsOf(q *engine.Question) (all []field) {
	if q == nil {
		return nil
	}
	if q.Sort == engine.AskSecret {
		for _, name := range q.Choices {
			all = append(all, field{Name: name, Label: name, Secret: true, Required: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Fields)) {
		var schema struct {
			Type, Title, Description string
			Enum                     []any
			Default                  any
		}
		raw, err := json.Marshal(q.Fields[name])
		if err != nil || json.Unmarshal(raw, &schema) != nil {
			continue
		}
		f := field{Name: name, Label: cmp.Or(schema.Title, name), Help: schema.Description, Type: schema.Type, Required: true, Value: text(schema.Default)}
		for _, o := range schema.Enum {
			f.Options = append(f.Options, text(o))
		}
		all = append(all, f.withBooleanOptions())
	}
	return all
}

// withBooleanOptions adds the options of a boolean.
func (f field) withBooleanOptions() field {
	if f.Type == "boolean" && len(f.Options) == 0 {
		f.Options = []string{"true", "false"}
	}
	return f
}

// text returns a value as a person would enter it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// entered fills in what was entered in a form before, except secrets.
func entered(r *http.Request, fields []field) []field {
	for i, f := range fields {
		if !f.Secret {
			fields[i].Value = cmp.Or(r.PostFormValue(f.Key()), f.Value)
		}
	}
	return fields
}

// inputValue returns what was entered for an input, as its variable takes it.
func inputValue(p *workflows.Program, name, text string) (any, error) {
	i := slices.IndexFunc(p.Variables, func(v workflows.Variable) bool { return v.Name == name })
	if i < 0 {
		return text, nil // the run names the inputs that there are
	}
	value, err := workflows.ParseInput(p.Variables[i], text)
	if err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: err}
	}
	return value, nil
}

// formValues returns the values in a form, without the empty ones, for which the default
// counts.
func formValues(form url.Values, fields []field) map[string]any {
	values := map[string]any{}
	for _, f := range fields {
		written := normalizeLines(form.Get(f.Key()))
		switch {
		case written == "" || f.Secret:
		case f.Type == "string":
			values[f.Name] = written
		default:
			values[f.Name] = valueOf(written)
		}
	}
	return values
}
