package workflows

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/workflows/expression"
)

// Template is a value in which strings hold expressions. Its values must not
// be changed: what holds no expression is the same value each time.
type Template struct {
	root part
}

// part is a value of a template.
type part interface {
	eval(*evaluation) (any, error)
	looks() bool
}

// evaluation is what the parts of a template are evaluated with.
type evaluation struct {
	ctx   context.Context
	scope *expression.Scope
	probe expression.Probe

	known     bool           // what cannot be evaluated is left out
	variables map[string]any // of the command among the arguments
}

// Eval gives the value, with every expression replaced.
func (t *Template) Eval(ctx context.Context, s *expression.Scope, p expression.Probe) (any, error) {
	e := &evaluation{ctx: ctx, scope: s, probe: p}
	v, err := t.root.eval(e)
	if err != nil {
		return nil, err
	}
	return withVariables(v, e.variables)
}

// EvalKnown is Eval that gives nil for each string of the value that cannot be
// evaluated.
func (t *Template) EvalKnown(ctx context.Context, s *expression.Scope, p expression.Probe) (any, error) {
	e := &evaluation{ctx: ctx, scope: s, probe: p, known: true}
	v, err := e.of(t.root)
	if err != nil {
		return nil, err
	}
	return withVariables(v, e.variables)
}

// of evaluates a part of another.
func (e *evaluation) of(p part) (any, error) {
	v, err := p.eval(e)
	if e.known && err != nil {
		return nil, nil
	}
	return v, err
}

func (t *Template) Looks() bool { return t.root.looks() }

// Constant is the value of a template that holds no expression.
func (t *Template) Constant() (any, bool) {
	c, ok := t.root.(constant)
	return c.value, ok
}

// ConstantOf is the value of a key of an object, if that holds no expression.
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
func (constant) looks() bool                     { return false }

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

func (l listPart) looks() bool { return slices.ContainsFunc(l, part.looks) }

// objectPart keeps the order of the document, so that of two errors the first
// is reported.
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

func (o objectPart) looks() bool {
	return slices.ContainsFunc(o, func(f field) bool { return f.part.looks() })
}

// textPart is a string with expressions, and the schema that its value should
// fit.
type textPart struct {
	text   *expression.Text
	schema *jsonschema.Schema
	path   string
}

func (t textPart) eval(e *evaluation) (any, error) {
	v, err := t.text.Eval(e.ctx, e.scope, e.probe)
	if err != nil {
		return nil, at(t.path, err)
	}
	return coerce(v, t.schema), nil
}

func (t textPart) looks() bool { return t.text.Looks() }

// conditionPart is an argument that is an expression by itself: the kind gets
// whether it holds.
type conditionPart struct {
	expr *expression.Expr
	path string
}

func (c conditionPart) eval(e *evaluation) (any, error) {
	holds, err := c.expr.Holds(e.ctx, e.scope, e.probe)
	if err != nil {
		return nil, at(c.path, err)
	}
	return holds, nil
}

func (c conditionPart) looks() bool { return c.expr.Looks() }

// exprPart is the value of a bare expression.
type exprPart struct {
	expr *expression.Expr
	path string
}

func (x exprPart) eval(e *evaluation) (any, error) {
	v, err := x.expr.Eval(e.ctx, e.scope, e.probe)
	if err != nil {
		return nil, at(x.path, err)
	}
	return v, nil
}

func (x exprPart) looks() bool { return x.expr.Looks() }

func at(path string, err error) error {
	if path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// coerce makes a string of a number where a string is wanted, and the other
// way round where the string says a number or a boolean.
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

// parsed is what a string says, where no string is wanted.
func parsed(text string, s *jsonschema.Schema) any {
	if allows(s, "string") {
		return text
	}
	t := strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(t, 64); err == nil && (allows(s, "number") || allows(s, "integer")) {
		return n
	}
	if (t == "true" || t == "false") && allows(s, "boolean") {
		return t == "true"
	}
	return text
}

// allows reports whether a schema names a type; one that names none allows all
// only in that nothing needs to be changed.
func allows(s *jsonschema.Schema, name string) bool {
	if s.Type == "" && len(s.Types) == 0 {
		return true
	}
	return s.Type == name || slices.Contains(s.Types, name)
}
