package workflows

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows/expression"
)

func (u *unit) arguments(x *step, k *steps.Kind, s *scope) *Template {
	v := x.Arguments
	if v == nil {
		if k != nil {
			checkArguments(k, x.ToolName, x.ToolName.position, map[string]any{}, u.report)
		}
		return &Template{u.managed(constant{map[string]any{}}, nil, k)}
	}
	if k == nil {
		return &Template{u.part(v, nil, "", s)}
	}
	plain, _ := v.plain().(map[string]any)
	checkArguments(k, v, x.at.at([]string{"arguments"}, true), plain, u.report)
	args := *s
	args.arguments = v
	if k.Beyond != nil {
		args.exposed = v.get(k.Beyond.Argument)
	}
	return &Template{u.managed(u.part(v, written(k), "", &args), v, k)}
}

// written returns a schema with each argument of a kind in each of its spellings: also
// beside its group, as documents of earlier versions have it.
func written(k *steps.Kind) *jsonschema.Schema {
	s := *k.Args()
	s.Properties = map[string]*jsonschema.Schema{}
	for name, p := range k.Fields().Properties {
		if k.Args().Properties[name] == nil {
			old := *p
			old.Deprecated = true
			p = &old
		}
		s.Properties[name] = p
	}
	maps.Copy(s.Properties, k.Args().Properties)
	return &s
}

// managed adds the window options of the document to the arguments of a kind that
// takes them, unless the arguments set them.
func (u *unit) managed(p part, v *value, k *steps.Kind) part {
	if k == nil {
		return p
	}
	for _, name := range slices.Sorted(maps.Keys(u.program.Options.WindowManagement)) {
		group, as := k.Place(name)
		if !k.Has(name) || v.get(group).get(as) != nil {
			continue
		}
		value := u.program.Options.WindowManagement[name]
		switch args := p.(type) {
		case constant:
			if given, ok := args.value.(map[string]any); ok {
				all := map[string]any{name: value}
				maps.Copy(all, given)
				p = constant{all}
			}
		case objectPart:
			if !slices.ContainsFunc(args, func(f field) bool { return f.name == name }) {
				p = append(slices.Clip(args), field{name, constant{value}})
			}
		}
	}
	return p
}

// checkArguments reports the problems of arguments, each at its key or value, and those
// of the arguments as a whole at their own position.
func checkArguments(k *steps.Kind, v *value, whole position, args map[string]any, r *report) {
	problems := k.Check(args, isTemplate)
	for _, p := range problems {
		if misspelt(p, problems) {
			continue
		}
		at := whole
		if len(p.Path) > 0 {
			at = v.at(p.Path, p.Key)
		}
		r.add(at, cmp.Or(p.Hint, quotesHint(written(k), v, p.Path)), "%s: %s", k.Name, p.Message)
	}
}

// misspelt reports whether an argument is missing only because its name is misspelt,
// which is a problem of its own.
func misspelt(missing steps.Problem, problems []steps.Problem) bool {
	name, ok := strings.CutSuffix(missing.Message, " is missing")
	return ok && slices.ContainsFunc(problems, func(p steps.Problem) bool {
		return p.Key && strings.Contains(p.Hint, "did you mean "+strings.Trim(name, `"`)+"?")
	})
}

// quotesHint returns the fix for a number that should be a text, or the other way
// round.
func quotesHint(s *jsonschema.Schema, v *value, path []string) string {
	x, _, found := v.follow(path)
	for _, p := range path {
		s = below(s, p)
	}
	switch {
	case !found || s == nil || len(path) == 0:
		return ""
	case (x.sort == sortNumber || x.sort == sortTruth) && s.Type == "string":
		return "write it in quotes: " + strconv.Quote(x.written())
	case x.sort == sortText && s.Type != "string" && parsed(x.text, s) != any(x.text):
		return "write it without quotes: " + strings.TrimSpace(x.text)
	}
	return ""
}

func isTemplate(v any) bool {
	s, ok := v.(string)
	return ok && expression.HasTemplate(s)
}

// below returns the schema of the value under a key or an index.
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

func (u *unit) part(v *value, schema *jsonschema.Schema, path string, s *scope) part {
	switch v.sort {
	case sortText:
		if p := u.textPart(v, schema, s); !isConstant(p) {
			return pathPart{p, path}
		}
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

// textPart compiles a string that holds expressions, or is one. A string without any,
// or with a problem, is a constant.
func (u *unit) textPart(v *value, schema *jsonschema.Schema, s *scope) part {
	if schema != nil && schema.Format == "expression" {
		if e := u.expr(v, s); e != nil {
			return conditionPart{e}
		}
		return constant{v.text}
	}
	if !expression.HasTemplate(v.text) || !u.affords(v, strings.Count(v.text, "{{")) {
		return constant{v.text}
	}
	t, problems := expression.CompileText(v.text, u.namesIn(schema, s))
	if u.wrong(v, problems) {
		return constant{v.text}
	}
	if u.loose {
		_, problems = expression.CompileText(v.text, u.closed(u.namesIn(schema, s)))
		u.misspeltFields(v, problems)
	}
	u.doubt(v, t.Doubts())
	if v == s.exposed && t.NamesSecret() {
		u.report.add(v.position, steps.SecretElsewhere, steps.SecretExposed)
		return constant{v.text}
	}
	if schema != nil && schema.Format == "shell" {
		return commandPart(v, t, s.arguments, u.report)
	}
	return textPart{t, schema, u.loose && isSelector(schema)}
}

// namesIn returns the names of a text. In a script of another program, braces that hold no
// expression are the script's own.
func (u *unit) namesIn(schema *jsonschema.Schema, s *scope) *expression.Names {
	if !u.loose || schema == nil || schema.Format != "shell" || s.arguments.get("engine") == nil {
		return s.names
	}
	names := *s.names
	names.Braces = true
	return &names
}

// commandPart compiles the command of run_command: a script if the arguments name an
// engine, otherwise a command line.
func commandPart(v *value, t *expression.Text, arguments *value, r *report) part {
	engine := arguments.get("engine")
	switch {
	case engine == nil || engine.sort == sortNull || engine.text == "":
		return newShellPart(v, t, arguments.get("shell"), r)
	case isTemplate(engine.text):
		r.add(engine.position, "write its name", "with expressions in the script, the engine cannot be one")
		return constant{v.text}
	case t.Whole():
		r.add(v.position, "write the script out, or put it into a file and name it by script_file", "the value of an expression is never executed as a script")
		return constant{v.text}
	}
	script, inText, err := readScript(t, engine.text)
	if err != nil {
		r.add(v.position, "", "%v", err)
		return constant{v.text}
	}
	return scriptPart{t, script, inText}
}

func newShellPart(v *value, t *expression.Text, shell *value, r *report) part {
	if t.Whole() {
		r.add(v.position, "write the command out, or give "+words.Shorten(v.text, 60)+" by env as NAME and write eval \"$NAME\"", "the value of an expression is never executed as a command")
		return constant{v.text}
	}
	if shell != nil && isTemplate(shell.text) {
		r.add(shell.position, "write its name", "with expressions in the command, the shell cannot be one")
		return constant{v.text}
	}
	variant, power, err := language(shell.str())
	command := ""
	switch {
	case power:
		command, err = powerShellCommand(t.Outline, valueName)
	case err == nil:
		command, err = posixCommand(t.Outline, variant, valueName)
	}
	if err != nil {
		r.add(v.position, "give it to the command by env", "%v", err)
		return constant{v.text}
	}
	return shellPart{t, command}
}

// each compiles the list of a foreach: a list, a template, or a bare expression.
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
	return pathPart{exprPart{e}, "foreach"}
}

var oneInput = regexp.MustCompile(`^\s*(?:\$?\{\{)?\s*(?:inputs\.)?([A-Za-z_][A-Za-z0-9_]*)\s*(?:\}\})?\s*$`)

// element returns the schema of the elements of a foreach over a declared input, or
// nil.
func (u *unit) element(v *value) *jsonschema.Schema {
	if v == nil || v.sort != sortText {
		return nil
	}
	if m := oneInput.FindStringSubmatch(v.text); m != nil && u.inputs[m[1]] != nil {
		return u.inputs[m[1]].Items
	}
	return nil
}

func (u *unit) selectors() *Template {
	v := u.doc.Selectors
	if v == nil {
		return &Template{constant{map[string]any{}}}
	}
	inputs := &scope{names: &expression.Names{Inputs: u.inputs, OpenInputs: u.program.Options.InputsAreOpen}}
	for _, e := range v.entries {
		if e.value.sort != sortText || expression.HasTemplate(e.value.text) {
			continue
		}
		for _, p := range steps.CheckValue(oneSelector, e.value.plain()) {
			u.report.add(e.value.position, p.Hint, "selector %s: %s", words.Shorten(e.key.text, 60), p.Message)
		}
	}
	return &Template{u.part(v, &jsonschema.Schema{Type: "object", AdditionalProperties: oneSelector}, "", inputs)}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
