package workflows

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/workflows/dialect"
	"understudy/workflows/expression"
)

// Template is a value whose strings hold expressions. Callers must not change the
// values that it gives: a part without expressions is the same value each time.
type Template struct {
	root part
}

// part is a value of a template.
type part interface {
	eval(*evaluation) (any, error)
	// Looks reports whether an expression asks the desktop.
	Looks() bool
}

// evaluation is one evaluation of a template.
type evaluation struct {
	ctx   context.Context
	scope *expression.Scope
	probe expression.Probe

	size      int            // of the values of its expressions
	known     bool           // a part that cannot be evaluated is nil, and no error
	variables map[string]any // the values in the command or the script among the arguments
}

// Eval returns the value, with every expression replaced by its value.
func (t *Template) Eval(ctx context.Context, s *expression.Scope, p expression.Probe) (any, error) {
	return t.eval(&evaluation{ctx: ctx, scope: s, probe: p})
}

// EvalKnown is Eval with nil for each string that cannot be evaluated.
func (t *Template) EvalKnown(ctx context.Context, s *expression.Scope, p expression.Probe) (any, error) {
	return t.eval(&evaluation{ctx: ctx, scope: s, probe: p, known: true})
}

func (t *Template) eval(e *evaluation) (any, error) {
	v, err := e.of(t.root)
	if err != nil {
		return nil, err
	}
	return withVariables(v, e.variables)
}

// MaxValues is how many bytes the values of the expressions in one template may have together,
// so that many of them, each within its own limit, do not fill the memory.
const MaxValues = 32 << 20

// counted returns the value of an expression, unless the values are too large with it.
func (e *evaluation) counted(v any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if e.size += expression.Size(v); e.size > MaxValues {
		return nil, fmt.Errorf("the values need more than %d MiB together; put large ones into files", MaxValues>>20)
	}
	return v, nil
}

// of evaluates a part.
func (e *evaluation) of(p part) (any, error) {
	v, err := p.eval(e)
	if e.known && err != nil {
		return nil, nil
	}
	return v, err
}

// Looks reports whether an expression asks the desktop.
func (t *Template) Looks() bool { return t.root.Looks() }

// Constant returns the value of a template without expressions.
func (t *Template) Constant() (any, bool) {
	c, ok := t.root.(constant)
	return c.value, ok
}

// ConstantOf returns the value of a key of an object, if that has no expressions.
func (t *Template) ConstantOf(key string) (any, bool) {
	switch root := t.root.(type) {
	case constant:
		object, _ := root.value.(map[string]any)
		return object[key], true
	case objectPart:
		for _, f := range root {
			if c, ok := f.part.(constant); ok && f.name == key {
				return c.value, true
			}
		}
	}
	return nil, false
}

type constant struct{ value any }

func (c constant) eval(*evaluation) (any, error) { return c.value, nil }
func (constant) Looks() bool                     { return false }

type listPart []part

func (l listPart) eval(e *evaluation) (any, error) {
	list := make([]any, len(l))
	for i, p := range l {
		v, err := e.of(p)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (l listPart) Looks() bool { return slices.ContainsFunc(l, part.Looks) }

// objectPart keeps the order of the document, so that the first of several errors is
// reported.
type objectPart []field

type field struct {
	name string
	part part
}

func (o objectPart) eval(e *evaluation) (any, error) {
	object := make(map[string]any, len(o))
	for _, f := range o {
		v, err := e.of(f.part)
		if err != nil {
			return nil, err
		}
		object[f.name] = v
	}
	return object, nil
}

func (o objectPart) Looks() bool {
	return slices.ContainsFunc(o, func(f field) bool { return f.part.Looks() })
}

// pathPart is a part whose errors name its path.
type pathPart struct {
	part
	path string
}

func (p pathPart) eval(e *evaluation) (any, error) {
	v, err := p.part.eval(e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return v, nil
}

// textPart is a string with expressions, and the schema that its value should
// fit.
type textPart struct {
	*expression.Text
	schema *jsonschema.Schema
	loose  bool // it is a selector whose name: means a part of a name too
}

func (t textPart) eval(e *evaluation) (any, error) {
	v, err := e.counted(t.Text.Eval(e.ctx, e.scope, e.probe))
	if err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok && t.loose {
		v = dialect.Loose(text)
	}
	return coerce(v, t.schema), nil
}

// conditionPart is an argument that is a condition. Its value says whether the
// condition holds.
type conditionPart struct{ *expression.Expr }

func (c conditionPart) eval(e *evaluation) (any, error) { return c.Holds(e.ctx, e.scope, e.probe) }

// exprPart is a bare expression.
type exprPart struct{ *expression.Expr }

func (x exprPart) eval(e *evaluation) (any, error) { return e.counted(x.Eval(e.ctx, e.scope, e.probe)) }

// coerce converts a number or a boolean to a string where the schema wants a string,
// and a string that holds one where the schema wants that.
func coerce(v any, s *jsonschema.Schema) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case float64:
		if allows(s, "string") && !allows(s, "number") && !allows(s, "integer") {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	case bool:
		if allows(s, "string") && !allows(s, "boolean") {
			return strconv.FormatBool(v)
		}
	case string:
		return parsed(v, s)
	}
	return v
}

// parsed returns the number or the boolean in a string, where the schema wants that.
func parsed(text string, s *jsonschema.Schema) any {
	if allows(s, "string") {
		return text
	}
	t := strings.TrimSpace(text)
	if n, ok := numberIn(t); ok && (allows(s, "number") || allows(s, "integer")) {
		return n
	}
	if (t == "true" || t == "false") && allows(s, "boolean") {
		return t == "true"
	}
	return text
}

// numberIn parses a number that JSON, and so an event of a run, can hold. ParseFloat
// alone takes the words nan and infinity too.
func numberIn(text string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// allows reports whether a schema allows a type. One that names no type allows all.
func allows(s *jsonschema.Schema, name string) bool {
	return s.Type == "" && len(s.Types) == 0 || s.Type == name || slices.Contains(s.Types, name)
}
