package workflows

import (
	"encoding/json"
	"regexp"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows/expression"
)

// arguments compiles the arguments of a step and checks them against its kind.
func (u *unit) arguments(x *step, k *steps.Kind, s *scope) *Template {
	v := x.Arguments.value
	if v == nil {
		if k != nil {
			u.checkArguments(k, x.ToolName.value, map[string]any{})
		}
		return &Template{constant{map[string]any{}}}
	}
	if k == nil {
		return &Template{u.part(v, nil, "", s)}
	}
	plain, _ := v.plain().(map[string]any)
	u.checkArguments(k, v, plain)
	return &Template{u.part(v, k.Args, "", s)}
}

// checkArguments reports the problems of arguments at the very key or value.
func (u *unit) checkArguments(k *steps.Kind, v *value, args map[string]any) {
	for _, p := range k.Check(args, isTemplate) {
		at, hint := v.at(p.Path, p.Key), p.Hint
		if x := v.follow(p.Path); hint == "" && x != nil && (x.sort == sortNumber || x.sort == sortTruth) && wantsText(k.Args, p.Path) {
			hint = "write it in quotes: " + strconv.Quote(x.written())
		}
		u.report.add(at, hint, "%s: %s", k.Name, p.Message)
	}
}

// isTemplate says whether a value is only known when the step runs.
func isTemplate(v any) bool {
	s, ok := v.(string)
	return ok && expression.HasTemplate(s)
}

// follow is the value at the end of a path, or nil.
func (v *value) follow(path []string) *value {
	for _, p := range path {
		if v == nil {
			return nil
		}
		if n, err := strconv.Atoi(p); err == nil && v.sort == sortList && n >= 0 && n < len(v.list) {
			v = v.list[n]
			continue
		}
		v = v.get(p)
	}
	return v
}

func wantsText(s *jsonschema.Schema, path []string) bool {
	for _, p := range path {
		s = below(s, p)
	}
	return s != nil && s.Type == "string"
}

// below is the schema of what stands under a key or an index.
func below(s *jsonschema.Schema, name string) *jsonschema.Schema {
	switch {
	case s == nil:
		return nil
	case s.Properties[name] != nil:
		return s.Properties[name]
	case s.Items != nil:
		return s.Items
	}
	return s.AdditionalProperties
}

// part compiles one value of a template.
func (u *unit) part(v *value, schema *jsonschema.Schema, path string, s *scope) part {
	switch v.sort {
	case sortText:
		return u.textPart(v, schema, path, s)
	case sortList:
		list, fixed := make(listPart, len(v.list)), true
		for i, x := range v.list {
			list[i] = u.part(x, below(schema, ""), path+"["+strconv.Itoa(i)+"]", s)
			fixed = fixed && isConstant(list[i])
		}
		if !fixed {
			return list
		}
	case sortObject:
		object, fixed := make(objectPart, len(v.entries)), true
		for i, e := range v.entries {
			object[i] = field{e.key.text, u.part(e.value, below(schema, e.key.text), join(path, e.key.text), s)}
			fixed = fixed && isConstant(object[i].part)
		}
		if !fixed {
			return object
		}
	}
	return constant{v.plain()}
}

func isConstant(p part) bool { _, ok := p.(constant); return ok }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// textPart compiles a string, which may hold expressions, or be one.
func (u *unit) textPart(v *value, schema *jsonschema.Schema, path string, s *scope) part {
	if schema != nil && schema.Format == "expression" {
		if e := u.expr(v, s); e != nil {
			return conditionPart{e, path}
		}
		return constant{v.text}
	}
	if !expression.HasTemplate(v.text) {
		return constant{v.text}
	}
	t, problems := expression.CompileText(v.text, s.names)
	if u.wrong(v, problems) {
		return constant{v.text}
	}
	return textPart{t, schema, path}
}

// each compiles what a foreach goes through: a list, a template, or a bare
// expression.
func (u *unit) each(v *value, s *scope) part {
	if v == nil {
		return constant{[]any{}}
	}
	if v.sort == sortList || expression.HasTemplate(v.text) {
		return u.part(v, &jsonschema.Schema{Type: "array"}, "foreach", s)
	}
	e := u.expr(v, s)
	if e == nil {
		return constant{[]any{}}
	}
	return exprPart{e, "foreach"}
}

var oneInput = regexp.MustCompile(`^\s*(?:\$?\{\{)?\s*(?:inputs\.)?([A-Za-z_][A-Za-z0-9_]*)\s*(?:\}\})?\s*$`)

// element is the schema of what a foreach goes through, when it is a declared
// input.
func (u *unit) element(v *value) *jsonschema.Schema {
	if v == nil || v.sort != sortText {
		return nil
	}
	if m := oneInput.FindStringSubmatch(v.text); m != nil && u.inputs[m[1]] != nil {
		return u.inputs[m[1]].Items
	}
	return nil
}

// selectors compiles the names for elements.
func (u *unit) selectors() *Template {
	v := u.doc.Selectors.value
	if v == nil {
		return &Template{constant{map[string]any{}}}
	}
	inputs := &scope{names: &expression.Names{Inputs: u.inputs, OpenInputs: u.program.Options.InputsAreOpen}}
	one := &jsonschema.Schema{Type: "string", Format: "selector"}
	for _, e := range v.entries {
		if expression.HasTemplate(e.value.text) {
			continue
		}
		for _, p := range steps.CheckValue(one, e.value.plain()) {
			u.report.add(e.value.place, p.Hint, "selector %s: %s", shorten(e.key.text, 60), p.Message)
		}
	}
	return &Template{u.part(v, &jsonschema.Schema{Type: "object", AdditionalProperties: one}, "", inputs)}
}

func didYouMeanKind(name string, kinds []steps.Kind) string {
	if hint := words.DidYouMean(name, steps.Names(kinds)); hint != "" {
		return hint
	}
	return "list them with: understudy tools"
}

// encode is a value as JSON text.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
