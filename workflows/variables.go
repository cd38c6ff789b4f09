package workflows

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
)

// Variable is a declared input.
type Variable struct {
	Name        string             `json:"name"`
	Type        string             `json:"type"`
	Label       string             `json:"label,omitempty"`
	Description string             `json:"description,omitempty"`
	Default     any                `json:"default,omitempty"`
	HasDefault  bool               `json:"-"`
	Required    bool               `json:"required"`
	Secret      bool               `json:"secret,omitempty"`
	Regex       string             `json:"regex,omitempty"`
	Options     []any              `json:"options,omitempty"`
	Schema      *jsonschema.Schema `json:"schema,omitempty"` // of the value
}

// variables collects the inputs of the document, and the names of its selectors.
func (u *unit) variables() {
	u.inputs = map[string]*jsonschema.Schema{}
	u.program.Options.InputsAreOpen = u.doc.Variables == nil
	for _, d := range u.doc.Variables {
		v := d.declared(d.key.text, u.report)
		u.program.Variables = append(u.program.Variables, v)
		u.inputs[v.Name] = v.Schema
	}
	if s := u.doc.Selectors; s != nil {
		for _, e := range s.entries {
			u.names = append(u.names, e.key.text)
		}
	}
}

func (d *variable) declared(name string, r *report) Variable {
	v := Variable{
		Name: name, Type: d.kind(), Label: d.Label.str(), Description: d.Description.str(),
		Secret: d.Secret.truthOr(false), Regex: d.Regex.str(), Schema: d.valueSchema(r),
	}
	v.Schema.WriteOnly = v.Secret
	if d.Options != nil {
		v.Options, _ = d.Options.plain().([]any)
	}
	if x := d.Default; x != nil && x.sort != sortNull {
		v.Default, v.HasDefault = x.plain(), true
		d.checkDefault(v, r)
	}
	v.Required = d.Required.truthOr(true) && !v.HasDefault
	return v
}

func (d *variable) checkDefault(v Variable, r *report) {
	if v.Secret {
		r.addAtSecret(d.at.at([]string{"default"}, true), "leave the default out; the value is asked for when a run starts", "the secret %s has a default, so it would not be secret", words.Shorten(v.Name, 60))
		return
	}
	for _, p := range steps.CheckValue(v.Schema, v.Default) {
		r.add(d.Default.at(p.Path, p.Key), p.Hint, "the default of %s does not fit: %s", words.Shorten(v.Name, 60), p.Message)
	}
}

// kind returns the type of a variable, which follows from the other keys if the
// document does not give it.
func (d *variable) kind() string {
	switch x := d.Default; {
	case d.Type != nil:
		return d.Type.str()
	case d.Options != nil:
		return "enum"
	case d.Item != nil:
		return "array"
	case d.Value != nil || d.Properties != nil:
		return "object"
	case x != nil && x.sort != sortNull:
		return string(x.sort)
	}
	return "string"
}

func (d *variable) valueSchema(r *report) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: d.kind(), Title: d.Label.str(), Description: d.Description.str()}
	d.check(s.Type, r)
	switch s.Type {
	case "enum":
		s.Type = ""
	case "string":
		s.Pattern = d.Regex.str()
	case "array":
		if d.Item != nil {
			s.Items = d.Item.valueSchema(r)
		}
	case "object":
		d.objectSchema(s, r)
	}
	if d.Options != nil {
		s.Enum, _ = d.Options.plain().([]any)
	}
	if s.Type == "" && !slices.ContainsFunc(s.Enum, func(x any) bool { _, ok := x.(string); return !ok }) {
		s.Type = "string"
	}
	return s
}

func (d *variable) objectSchema(s *jsonschema.Schema, r *report) {
	if d.Value != nil {
		s.AdditionalProperties = d.Value.valueSchema(r)
	}
	for _, p := range d.Properties {
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[p.key.text] = p.valueSchema(r)
		if p.Required.truthOr(false) {
			s.Required = append(s.Required, p.key.text)
		}
	}
}

// check refuses keys and options that do not go with the type.
func (d *variable) check(kind string, r *report) {
	report := func(key, hint, format string, args ...any) {
		if d.at.get(key) != nil {
			r.add(d.at.at([]string{key}, true), hint, format, args...)
		}
	}
	if kind == "enum" && (d.Options == nil || len(d.Options.list) == 0) {
		r.add(d.at.position, "list the values with options: [a, b]", "an enum has no options")
	}
	if d.Options != nil {
		for _, x := range d.Options.list {
			if x.sort == sortList || x.sort == sortObject || x.sort == sortNull {
				r.add(x.position, "", "an option is a text, a number or a boolean, found %s", x)
			}
		}
	}
	if kind != "string" {
		report("regex", "it belongs to strings", "a regex cannot check the type %s", kind)
	}
	if kind != "array" {
		report("item_schema", "it belongs to arrays", "the type %s has no elements", kind)
	}
	if kind != "object" {
		report("value_schema", "it belongs to objects", "the type %s has no named values", kind)
		report("properties", "it belongs to objects", "the type %s has no named values", kind)
	}
}
