package workflows

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
)

// Schema returns the draft-07 JSON schema of documents that use these kinds, for
// editors and other programs. It is derived from the types that documents are decoded
// into.
func Schema(kinds []steps.Kind) []byte {
	s := schemas{definitions: map[string]*jsonschema.Schema{}}
	s.define(reflect.TypeFor[document]())
	s.define(reflect.TypeFor[call]())
	s.definitions["document"].OneOf = []*jsonschema.Schema{
		{Required: []string{"steps"}, Not: given("url")},
		{Required: []string{"url"}, Not: anyGiven(insteadOfURL)},
	}
	s.addForeign(reflect.TypeFor[document]())
	s.addForeign(reflect.TypeFor[step]())
	s.forms()
	s.kinds(kinds)
	b, err := json.MarshalIndent(&jsonschema.Schema{
		Schema:      "http://json-schema.org/draft-07/schema#",
		Title:       "Workflow",
		Description: "A workflow of Understudy.",
		If:          &jsonschema.Schema{Required: []string{"tool_name"}},
		Then:        ref("call"),
		Else:        ref("document"),
		Definitions: s.definitions,
	}, "", "  ")
	if err != nil {
		panic(err) // the types of this package are at fault
	}
	return append(b, '\n')
}

// schemas collects the schemas of the declared types.
type schemas struct{ definitions map[string]*jsonschema.Schema }

func ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/definitions/" + name}
}

// given matches an object that has a key, other than as null.
func given(name string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Required:   []string{name},
		Properties: map[string]*jsonschema.Schema{name: {Not: &jsonschema.Schema{Type: "null"}}},
	}
}

func anyGiven(names []string) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, n := range names {
		s.AnyOf = append(s.AnyOf, given(n))
	}
	return s
}

func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// define adds the definition of a type, and of the types of its fields.
func (s schemas) define(t reflect.Type) {
	if s.definitions[t.Name()] != nil {
		return
	}
	d := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	s.definitions[t.Name()] = d
	for _, k := range declared[t] {
		p := s.of(t.Field(k.index).Type, k)
		if !k.mustBe() {
			p = orNull(p)
		}
		p.Description = k.doc
		d.Properties[k.name] = p
		d.PropertyOrder = append(d.PropertyOrder, k.name)
		if k.required && len(k.of) == 0 && !(t == reflect.TypeFor[document]() && k.name == "steps") {
			d.Required = append(d.Required, k.name)
		}
	}
}

// addForeign adds the spellings of keys that are only read, and the notes.
func (s schemas) addForeign(t reflect.Type) {
	for _, k := range foreignKeys(t) {
		p := orNull(k.schema())
		p.Description, p.Deprecated = k.doc, true
		s.definitions[t.Name()].Properties[k.name] = p
		s.definitions[t.Name()].PropertyOrder = append(s.definitions[t.Name()].PropertyOrder, k.name)
	}
}

// of returns the schema of a field's type.
func (s schemas) of(t reflect.Type, k *key) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[*value]():
		return k.schema()
	case t == reflect.TypeFor[dict]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: s.of(reflect.TypeFor[*variable](), k)}
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.of(t.Elem(), k)}
	}
	s.define(t.Elem())
	return ref(t.Elem().Name())
}

// orNull extends a schema by null, which means the same as leaving a key out.
func orNull(p *jsonschema.Schema) *jsonschema.Schema {
	null := &jsonschema.Schema{Type: "null"}
	switch {
	case p.Ref != "" || len(p.Enum) > 0:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{p, null}}
	case len(p.AnyOf) > 0:
		p.AnyOf = append(slices.Clone(p.AnyOf), null)
	case p.Type != "":
		p.Type, p.Types = "", []string{p.Type, "null"}
	case len(p.Types) > 0:
		p.Types = append(slices.Clone(p.Types), "null")
	}
	return p
}

// forms restricts a step to one form and the keys of that form.
func (s schemas) forms() {
	d := s.definitions["step"]
	for _, f := range formKeys {
		d.OneOf = append(d.OneOf, &jsonschema.Schema{Required: []string{f.name}})
		then := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
		for _, k := range append(foreignKeys(reflect.TypeFor[step]()), stepKeys...) {
			switch {
			case len(k.of) > 0 && !slices.Contains(k.of, f.form):
				then.Properties[k.name] = never()
			case k.required:
				then.Required = append(then.Required, k.name)
			}
		}
		d.AllOf = append(d.AllOf, &jsonschema.Schema{If: &jsonschema.Schema{Required: []string{f.name}}, Then: then})
	}
}

// kinds restricts the arguments of a step to those of its tool_name.
func (s schemas) kinds(kinds []steps.Kind) {
	d := s.definitions["step"]
	name := d.Properties["tool_name"]
	for _, k := range kinds {
		name.Enum = append(name.Enum, k.Name)
		args := authoring(written(&k))
		s.definitions["arguments_"+k.Name] = args
		then := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"arguments": orNull(ref("arguments_" + k.Name))}}
		if len(k.Args().Required) > 0 {
			then.Required = []string{"arguments"}
			then.Properties["arguments"] = ref("arguments_" + k.Name)
		}
		is := any(k.Name)
		d.AllOf = append(d.AllOf, &jsonschema.Schema{
			If: &jsonschema.Schema{
				Required:   []string{"tool_name"},
				Properties: map[string]*jsonschema.Schema{"tool_name": {Const: &is}},
			},
			Then: then,
		})
	}
}

// templatePattern matches a string with a template.
const templatePattern = `\{\{[\s\S]*\}\}`

// authoring returns the schema of arguments in a document, where each value may be a
// template, but the object itself may not.
func authoring(s *jsonschema.Schema) *jsonschema.Schema {
	d := loosened(s)
	d.Ref, d.Defs = "", nil
	return d
}

// loosened returns a copy of a schema that allows a template for every value below.
func loosened(s *jsonschema.Schema) *jsonschema.Schema {
	c := *s
	c.Schema, c.ID, c.PropertyOrder = "", "", nil
	if len(s.Properties) > 0 {
		c.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, p := range s.Properties {
			c.Properties[name] = orTemplate(p)
			if !slices.Contains(s.Required, name) {
				c.Properties[name] = orNull(c.Properties[name])
			}
		}
	}
	if s.Items != nil {
		c.Items = orTemplate(s.Items)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		c.AdditionalProperties = orTemplate(s.AdditionalProperties)
	}
	if c.Format != "regex" { // the others mean something to this program only
		c.Format = ""
	}
	return &c
}

func orTemplate(s *jsonschema.Schema) *jsonschema.Schema {
	c := loosened(s)
	free := c.Type == "string" && len(c.Enum) == 0 && c.Pattern == "" && c.MinLength == nil && c.Format == ""
	if free || reflect.DeepEqual(c, &jsonschema.Schema{Description: c.Description}) {
		return c
	}
	doc, fallback := c.Description, c.Default
	c.Description, c.Default = "", nil
	return &jsonschema.Schema{
		Description: doc, Default: fallback,
		AnyOf: []*jsonschema.Schema{c, {Type: "string", Pattern: templatePattern}},
	}
}
