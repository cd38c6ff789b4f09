package steps

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments that belong together stand in one object, a group, such as target. The Go
// types of arguments stay flat: a field says by its tag `in` which group it is written in,
// and by `as` under which name, if that is another one; `in` of an embedded type holds for
// its fields. Calls may also give a member of a group by the name of its field, beside the
// group.

// member is the place of a field in the arguments.
type member struct{ group, name string }

// TargetArgument is the group that names an element. A text stands for it: a ref, a
// selector, or the point x,y.
const TargetArgument = "target"

var groupTexts = map[string]string{
	TargetArgument: "what to act on: a text with its ref (e12) or selector, or an object",
	"show":         "what else to return",
	"verify":       "what must hold afterwards",
	"windows":      "what to do with its window, and with the focus",
}

// note notes in which group the field f of the arguments is written. The field of a
// spelling that is only read stands for itself.
func (sh *shape) note(f reflect.StructField, name, group string) {
	if f.Tag.Get("use") == "old" {
		sh.old = append(sh.old, name)
		return
	}
	if group == "" || name == "" {
		return
	}
	as := cmp.Or(f.Tag.Get("as"), name)
	sh.members[name] = member{group, as}
	if sh.groups[group] == nil {
		sh.groups[group] = map[string]string{}
	}
	sh.groups[group][as] = name
}

// grouped returns the schema of the arguments as they are written, from that of the fields.
func (sh *shape) grouped(fields *jsonschema.Schema) *jsonschema.Schema {
	if len(sh.members)+len(sh.old) == 0 {
		return fields
	}
	s := *fields
	s.Properties, s.PropertyOrder = map[string]*jsonschema.Schema{}, nil
	for _, name := range fields.PropertyOrder {
		m, ok := sh.members[name]
		if slices.Contains(sh.old, name) {
			continue
		}
		if !ok {
			s.Properties[name] = fields.Properties[name]
			s.PropertyOrder = append(s.PropertyOrder, name)
			continue
		}
		g := s.Properties[m.group]
		if g == nil {
			g = &jsonschema.Schema{Type: "object", Description: groupTexts[m.group], Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: s.AdditionalProperties}
			if m.group == TargetArgument {
				g.Type, g.Types, g.Format = "", []string{"string", "object"}, "target"
			}
			s.Properties[m.group] = g
			s.PropertyOrder = append(s.PropertyOrder, m.group)
		}
		g.Properties[m.name] = fields.Properties[name]
		g.PropertyOrder = append(g.PropertyOrder, m.name)
	}
	return &s
}

// Has reports whether the kind has an argument with the name of a field.
func (k Kind) Has(field string) bool { return k.shape().fields.Properties[field] != nil }

// Fields returns the schema of the fields of the arguments, without groups.
func (k Kind) Fields() *jsonschema.Schema { return k.shape().fields }

// Argument returns the schema of an argument, or of a field that may stand beside its
// group; nil if there is none.
func (k Kind) Argument(name string) *jsonschema.Schema {
	if s := k.Args().Properties[name]; s != nil {
		return s
	}
	return k.Fields().Properties[name]
}

// Place returns where a field is written: in which group and under which name. The group
// is empty for fields that stand for themselves.
func (k Kind) Place(field string) (group, name string) { return k.shape().place(field) }

func (sh *shape) place(field string) (group, name string) {
	if m, ok := sh.members[field]; ok {
		return m.group, m.name
	}
	return "", field
}

// Gather returns arguments with the fields of groups in their groups.
func (k Kind) Gather(args map[string]any) map[string]any { return k.shape().gather(args) }

func (sh *shape) gather(args map[string]any) map[string]any {
	all := map[string]any{}
	for name, v := range args {
		group, as := sh.place(name)
		if group == "" {
			all[name] = v
			continue
		}
		g, _ := all[group].(map[string]any)
		if g == nil {
			g = map[string]any{}
			all[group] = g
		}
		g[as] = v
	}
	return all
}

// Spread returns arguments by the names of their fields. What is in a group counts before
// what stands beside it. What is wrong in a group stays, for Check to report.
func (k Kind) Spread(args map[string]any) map[string]any {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(args)), func(name string) bool { return k.shape().groups[name] != nil }) {
		return args
	}
	flat := map[string]any{}
	for name, v := range args {
		if k.shape().groups[name] == nil {
			flat[name] = v
		}
	}
	for group, fields := range k.shape().groups {
		switch v := args[group].(type) {
		case string:
			maps.Copy(flat, targetOf(group, v, fields))
		case map[string]any:
			for name, x := range v {
				flat[cmp.Or(fields[name], group+"."+name)] = x
			}
		case nil:
		default:
			flat[group] = v
		}
	}
	return flat
}

var (
	refPattern   = regexp.MustCompile(`^e\d+$`)
	pointPattern = regexp.MustCompile(`^(-?\d+)\s*,\s*(-?\d+)$`)
)

// targetOf returns the fields of a target that is written as a text.
func targetOf(group, text string, fields map[string]string) map[string]any {
	if group != TargetArgument {
		return map[string]any{group: text}
	}
	trimmed := strings.TrimSpace(text)
	at := pointPattern.FindStringSubmatch(trimmed)
	switch {
	case refPattern.MatchString(trimmed) && fields["ref"] != "":
		return map[string]any{"ref": trimmed}
	case at != nil && fields["x"] != "":
		x, _ := strconv.ParseFloat(at[1], 64)
		y, _ := strconv.ParseFloat(at[2], 64)
		return map[string]any{fields["x"]: x, fields["y"]: y}
	}
	return map[string]any{"selector": trimmed}
}

// twice reports the fields that stand in their group and beside it.
func (k Kind) twice(args map[string]any) (problems []Problem) {
	beside := maps.Clone(args)
	maps.DeleteFunc(beside, func(name string, v any) bool { return k.shape().groups[name] != nil || v == nil })
	grouped := maps.Clone(args)
	maps.DeleteFunc(grouped, func(name string, _ any) bool { return k.shape().groups[name] == nil })
	grouped = k.Spread(grouped)
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if group, _ := k.Place(name); group != "" && grouped[name] != nil {
			problems = append(problems, Problem{Path: []string{name}, Key: true, Message: fmt.Sprintf("%s is in %s too", name, group), Hint: "leave out one of the two"})
		}
	}
	return problems
}

// regroup returns problems of fields with the paths of the arguments that were given.
func (k Kind) regroup(problems []Problem, args map[string]any) []Problem {
	for i, p := range problems {
		if len(p.Path) == 0 {
			continue
		}
		group, name := k.Place(p.Path[0])
		if before, after, dotted := strings.Cut(p.Path[0], "."); dotted && k.shape().groups[before] != nil {
			problems[i].Path = append([]string{before, after}, p.Path[1:]...)
			problems[i].Message = strings.ReplaceAll(p.Message, p.Path[0], after)
			continue
		}
		switch v := args[group].(type) {
		case string:
			problems[i].Path = []string{group}
		case map[string]any:
			if _, given := v[name]; given {
				problems[i].Path = append([]string{group, name}, p.Path[1:]...)
			}
		}
	}
	return problems
}
