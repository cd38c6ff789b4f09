package expression

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
)

// A function is one that expr lacks, or whose version in expr is replaced.
type function struct {
	shape    any // a func value against whose type the arguments are checked
	validate func(args []reflect.Type) (reflect.Type, error)
	run      func(e *evaluation, args []any) any
}

// functions holds the functions by their internal names.
var functions = map[string]function{
	internal + "exists":     {shape: func(string) bool { return false }, run: look("exists", Probe.Exists)},
	internal + "text":       {shape: func(string) string { return "" }, run: look("text", Probe.Text)},
	internal + "always":     {shape: func() bool { return false }, run: func(*evaluation, []any) any { return true }},
	internal + "success":    {shape: func() bool { return false }, run: func(e *evaluation, _ []any) any { return !e.scope.Failing }},
	internal + "failure":    {shape: func() bool { return false }, run: func(e *evaluation, _ []any) any { return e.scope.Failing }},
	internal + "coalesce":   {shape: func(any, ...any) any { return nil }, run: coalesce},
	internal + "contains":   {shape: twoAny, run: ofTwo(contains)},
	internal + "startsWith": {shape: twoAny, run: ofTwo(startsWith)},
	internal + "endsWith":   {shape: twoAny, run: ofTwo(endsWith)},

	// These functions of expr have several signatures each. Its checker reads the
	// arguments once per signature, which takes exponential time if calls nest.
	internal + "join":       {validate: takes("join", reflect.String, 1, 2, reflect.Slice, reflect.String), run: join},
	internal + "replace":    {validate: takes("replace", reflect.String, 3, 4, reflect.String, reflect.String, reflect.String), run: replace},
	internal + "trim":       {validate: takes("trim", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trim")},
	internal + "trimPrefix": {validate: takes("trimPrefix", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trimPrefix")},
	internal + "trimSuffix": {validate: takes("trimSuffix", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trimSuffix")},
	internal + "split":      {validate: takes("split", reflect.Slice, 2, 3, reflect.String, reflect.String), run: native("split")},
	internal + "splitAfter": {validate: takes("splitAfter", reflect.Slice, 2, 3, reflect.String, reflect.String), run: native("splitAfter")},

	anyOperand:   {shape: func(any) any { return nil }},
	truthOperand: {shape: func(any) bool { return false }},
}

func twoAny(any, any) bool { return false }

func ofTwo(f func(e *evaluation, a, b any) bool) func(*evaluation, []any) any {
	return func(e *evaluation, args []any) any { return f(e, args[0], args[1]) }
}

func native(name string) func(*evaluation, []any) any {
	return func(e *evaluation, args []any) any { return e.callBuiltin(builtins[name], args) }
}

// builtins holds the functions of expr, and checked ours in the form that its checker
// takes.
var builtins, checked = conf.FunctionsTable{}, conf.FunctionsTable{}

func init() {
	for _, f := range builtin.Builtins {
		builtins[f.Name] = f
	}
	for name, f := range functions {
		checked[name] = &builtin.Function{Name: name, Validate: f.validate}
		if f.shape != nil {
			checked[name].Types = []reflect.Type{reflect.TypeOf(f.shape)}
		}
	}
}

// takes returns a check of the number and the kinds of arguments. An argument after
// those with a kind is a whole number, which is not checked here.
func takes(name string, result reflect.Kind, least, most int, kinds ...reflect.Kind) func([]reflect.Type) (reflect.Type, error) {
	results := map[reflect.Kind]reflect.Type{reflect.String: reflect.TypeFor[string](), reflect.Slice: reflect.TypeFor[[]string]()}
	return func(args []reflect.Type) (reflect.Type, error) {
		if len(args) < least || len(args) > most {
			return nil, fmt.Errorf("%s() takes %d to %d arguments, not %d", name, least, most, len(args))
		}
		for i, arg := range args {
			if i < len(kinds) && arg != nil && arg.Kind() != reflect.Interface && arg.Kind() != kinds[i] {
				return nil, fmt.Errorf("argument %d of %s() is a %s, not a %s", i+1, name, arg, kindNames[kinds[i]])
			}
		}
		return results[result], nil
	}
}

var kindNames = map[reflect.Kind]string{reflect.String: "string", reflect.Slice: "list"}

func ours() []string {
	return []string{"exists", "text", "always", "success", "failure", "coalesce", "contains", "startsWith", "endsWith"}
}

// isFunction reports whether a name can be called.
func isFunction(name string) bool {
	return functions[internal+name].run != nil || builtins[name] != nil
}

var errNoScreen = errors.New("there is no desktop to look at here")

// look returns a function that asks the desktop, off the clock of the evaluation.
func look[T any](name string, ask func(Probe, context.Context, string) (T, error)) func(*evaluation, []any) any {
	return func(e *evaluation, args []any) any {
		selector, ok := args[0].(string)
		if !ok {
			fail("%s() takes a selector, a string, not %s", name, kindOf(args[0]))
		}
		if e.probe == nil {
			panic(errNoScreen)
		}
		began := time.Now()
		found, err := ask(e.probe, e.ctx, selector)
		if err != nil {
			panic(err)
		}
		if !e.deadline.IsZero() {
			e.deadline = e.deadline.Add(time.Since(began))
		}
		return found
	}
}

func coalesce(_ *evaluation, args []any) any {
	for _, arg := range args {
		if truth(arg) {
			return arg
		}
	}
	return args[len(args)-1]
}

func contains(e *evaluation, a, b any) bool {
	if isNil(a) || isNil(b) {
		return false
	}
	switch a := a.(type) {
	case []any:
		for _, element := range a {
			if equal(e, element, b) {
				return true
			}
		}
		return false
	case map[string]any:
		return in(e, b, a)
	}
	return affix(e, a, b, strings.Contains)
}

func startsWith(e *evaluation, a, b any) bool { return affix(e, a, b, strings.HasPrefix) }

func endsWith(e *evaluation, a, b any) bool { return affix(e, a, b, strings.HasSuffix) }

// affix reports whether a relation holds between two scalars as texts. It is false if
// one is missing.
func affix(e *evaluation, a, b any, holds func(a, b string) bool) bool {
	if isNil(a) || isNil(b) {
		return false
	}
	s, aok := textOf(a)
	t, bok := textOf(b)
	switch {
	case !aok:
		fail("%s is no text to look into", kindOf(a))
	case !bok:
		fail("%s is no text to look for", kindOf(b))
	}
	e.spend(1 + len(s)>>6)
	return holds(s, t)
}

func in(e *evaluation, a, b any) bool {
	switch b := b.(type) {
	case nil:
	case []any:
		for _, element := range b {
			if same(e, a, element) {
				return true
			}
		}
	case map[string]any:
		name, ok := textOf(a)
		_, has := b[name]
		return ok && has
	default:
		fail("in looks into a list or an object, not into %s; use contains for text", kindOf(b))
	}
	return false
}
