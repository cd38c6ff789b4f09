package expression

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
)

// A function is one that expr does not have, or not as we want it.
type function struct {
	shape    any // a func value whose type the arguments are checked against
	validate func(args []reflect.Type) (reflect.Type, error)
	run      func(e *evaluation, args []any) (any, error)
}

// internal marks the names of functions that cannot be written.
const internal = "·"

// ours are the functions that can be called by name.
var ours = map[string]function{
	"exists":     {shape: func(string) bool { return false }, run: exists},
	"text":       {shape: func(string) string { return "" }, run: screenText},
	"always":     {shape: func() bool { return false }, run: always},
	"success":    {shape: func() bool { return false }, run: success},
	"failure":    {shape: func() bool { return false }, run: failure},
	"coalesce":   {shape: func(any, ...any) any { return nil }, run: coalesce},
	"contains":   {shape: twoAny, run: contains},
	"startsWith": {shape: twoAny, run: affix(strings.HasPrefix)},
	"endsWith":   {shape: twoAny, run: affix(strings.HasSuffix)},
}

func oneAny(any) bool { return false }

func twoAny(any, any) bool { return false }

// rewrites are the functions that the syntax tree is rewritten to. Those
// without a shape are put in after the types were checked.
var rewrites = map[string]function{
	"truth":   {shape: oneAny, run: isTrue},
	"not":     {shape: oneAny, run: isFalsy},
	"absent":  {shape: oneAny, run: isAbsent},
	"==":      {shape: twoAny, run: isEqual},
	"!=":      {shape: twoAny, run: differs},
	"<":       {shape: twoAny, run: ordered(func(c int) bool { return c < 0 })},
	"<=":      {shape: twoAny, run: ordered(func(c int) bool { return c <= 0 })},
	">":       {shape: twoAny, run: ordered(func(c int) bool { return c > 0 })},
	">=":      {shape: twoAny, run: ordered(func(c int) bool { return c >= 0 })},
	"matches": {shape: twoAny, run: matches},
	"key":     {shape: func(any) any { return nil }, run: key},

	// expr's own have several forms each, and its checker reads their arguments
	// once per form, which takes for ever when they nest.
	"join":       {validate: takes("join", reflect.String, 1, 2, reflect.Slice, reflect.String), run: join},
	"replace":    {validate: takes("replace", reflect.String, 3, 4, reflect.String, reflect.String, reflect.String), run: replace},
	"trim":       {validate: takes("trim", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trim")},
	"trimPrefix": {validate: takes("trimPrefix", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trimPrefix")},
	"trimSuffix": {validate: takes("trimSuffix", reflect.String, 1, 2, reflect.String, reflect.String), run: native("trimSuffix")},
	"split":      {validate: takes("split", reflect.Slice, 2, 3, reflect.String, reflect.String), run: native("split")},
	"splitAfter": {validate: takes("splitAfter", reflect.Slice, 2, 3, reflect.String, reflect.String), run: native("splitAfter")},

	"load":    {run: load},
	"member":  {run: member},
	"slice":   {run: slice},
	"tick":    {run: tick},
	"list":    {run: list},
	"sortKey": {run: sortKey},
	"groups":  {run: groups},
	"object":  {run: object},
	"add":     {run: add},
	"%":       {run: remainder},
	"range":   {run: makeRange},
	"in":      {run: in},
	"repeat":  {run: repeat},
	"builtin": {run: callNative},
}

// functionTable is what the checker and the compiler look functions up in.
var functionTable = func() conf.FunctionsTable {
	table := conf.FunctionsTable{}
	for _, functions := range []map[string]function{ours, rewrites} {
		for name, f := range functions {
			entry := &builtin.Function{Name: internal + name, Validate: f.validate, Func: withEvaluation(f.run)}
			if f.shape != nil {
				entry.Types = []reflect.Type{reflect.TypeOf(f.shape)}
			}
			table[entry.Name] = entry
		}
	}
	return table
}()

func withEvaluation(run func(*evaluation, []any) (any, error)) func(...any) (any, error) {
	return func(args ...any) (any, error) { return run(args[0].(*evaluation), args[1:]) }
}

// takes checks the number and the kinds of arguments; what is past the kinds
// is a whole number.
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

func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch v.(type) {
	case string, bool, float64, int:
		return false
	}
	r := reflect.ValueOf(v)
	return (r.Kind() == reflect.Map || r.Kind() == reflect.Slice) && r.IsNil()
}

func always(*evaluation, []any) (any, error) { return true, nil }

func success(e *evaluation, _ []any) (any, error) { return !e.scope.Failing, nil }

func failure(e *evaluation, _ []any) (any, error) { return e.scope.Failing, nil }

func selectorOf(name string, v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s() takes a selector, a string, not %s", name, kindOf(v))
	}
	return s, nil
}

var errNoScreen = errors.New("there is no desktop to look at here")

func exists(e *evaluation, args []any) (found any, err error) {
	selector, err := selectorOf("exists", args[0])
	if err != nil {
		return nil, err
	}
	if e.probe == nil {
		return nil, errNoScreen
	}
	err = e.looking(func() error {
		found, err = e.probe.Exists(e.ctx, selector)
		return err
	})
	return found, err
}

func screenText(e *evaluation, args []any) (text any, err error) {
	selector, err := selectorOf("text", args[0])
	if err != nil {
		return nil, err
	}
	if e.probe == nil {
		return nil, errNoScreen
	}
	err = e.looking(func() error {
		text, err = e.probe.Text(e.ctx, selector)
		return err
	})
	return text, err
}

// coalesce gives the first argument that is true, or else the last.
func coalesce(_ *evaluation, args []any) (any, error) {
	for _, arg := range args {
		if truth(arg) {
			return arg, nil
		}
	}
	return args[len(args)-1], nil
}

func contains(e *evaluation, args []any) (any, error) {
	if isNil(args[0]) || isNil(args[1]) {
		return false, nil
	}
	v := reflect.ValueOf(args[0])
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			ok, err := equal(e, v.Index(i).Interface(), args[1])
			if ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case reflect.Map:
		return in(e, []any{args[1], args[0]})
	}
	return affix(strings.Contains)(e, args)
}

// affix compares two scalars as texts; a missing one gives false.
func affix(holds func(a, b string) bool) func(*evaluation, []any) (any, error) {
	return func(e *evaluation, args []any) (any, error) {
		if isNil(args[0]) || isNil(args[1]) {
			return false, nil
		}
		a, aok := textOf(args[0])
		b, bok := textOf(args[1])
		switch {
		case !aok:
			return nil, fmt.Errorf("%s is no text to look into", kindOf(args[0]))
		case !bok:
			return nil, fmt.Errorf("%s is no text to look for", kindOf(args[1]))
		}
		return holds(a, b), e.spend(1 + len(a)>>6)
	}
}
