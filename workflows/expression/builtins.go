package expression

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// deep are expr's functions that walk into their arguments, or more than once
// over them.
var deep = []string{"toJSON", "string", "flatten", "uniq", "sort", "max", "min", "mean", "median", "concat"}

// takesNil are expr's functions that make sense of a missing value.
var takesNil = []string{"type", "string", "toJSON", "first", "last", "get"}

func native(name string) func(*evaluation, []any) (any, error) {
	f := builtin.Builtins[builtin.Index[name]]
	return func(e *evaluation, args []any) (any, error) { return callBuiltin(e, f, args) }
}

// callBuiltin calls a function of expr's own within the evaluation's bounds.
func callBuiltin(e *evaluation, f *builtin.Function, args []any) (any, error) {
	for _, arg := range args {
		if isNil(arg) && !slices.Contains(takesNil, f.Name) {
			return nil, fmt.Errorf("%s() got a value that is missing; write `?? default` after it", f.Name)
		}
	}
	if err := e.chargeCall(f.Name, args); err != nil {
		return nil, err
	}
	switch {
	case f.Name == "keys" || f.Name == "values" || f.Name == "toPairs":
		return sortedParts(f.Name, args[0])
	case f.Fast != nil:
		return f.Fast(args[0]), nil
	case f.Safe != nil:
		v, _, err := f.Safe(args...)
		return v, err
	}
	return f.Func(args...)
}

// sortedParts takes an object apart in the order of its keys, so that the same
// values give the same result in every run.
func sortedParts(name string, v any) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s() takes an object, not %s", name, kindOf(v))
	}
	parts := make([]any, 0, len(object))
	for _, k := range slices.Sorted(maps.Keys(object)) {
		switch name {
		case "keys":
			parts = append(parts, k)
		case "values":
			parts = append(parts, object[k])
		default:
			parts = append(parts, []any{k, object[k]})
		}
	}
	return parts, nil
}

// chargeCall counts what a call may make out of its arguments.
func (e *evaluation) chargeCall(name string, args []any) error {
	if slices.Contains(deep, name) {
		size := 0
		for _, arg := range args {
			if err := e.measure(arg, &size); err != nil {
				return err
			}
		}
		if name == "uniq" && size > 1<<16 {
			return errors.New("uniq() takes at most a few thousand values")
		}
		return e.charge(2 * size)
	}
	size := 16
	for _, arg := range args {
		size += shallowSize(arg)
	}
	switch name {
	case "fromJSON":
		size *= 24
	case "split", "splitAfter":
		size *= 17
	case "len", "type", "first", "last", "get", "take", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf":
		size = 16
	}
	return e.charge(size)
}

func shallowSize(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		return 16 * len(v)
	case map[string]any:
		return 64 * len(v)
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return 64 * r.Len()
	}
	return 16
}

// measure adds up the size of a value with all that is in it.
func (e *evaluation) measure(v any, size *int) error {
	*size += shallowSize(v) + 8
	if *size > maxBytes {
		return e.charge(*size)
	}
	if err := e.spend(1); err != nil {
		return err
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice:
		for i := range r.Len() {
			if err := e.measure(r.Index(i).Interface(), size); err != nil {
				return err
			}
		}
	case reflect.Map:
		for it := r.MapRange(); it.Next(); {
			*size += 2 * len(it.Key().String())
			if err := e.measure(it.Value().Interface(), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// member gives a field or an element; nil where there is none.
func member(base, key any) any {
	switch b := base.(type) {
	case nil:
		return nil
	case map[string]any:
		k, _ := key.(string)
		return b[k]
	case []any:
		if i, ok := position(key, len(b)); ok {
			return b[i]
		}
		return nil
	case string:
		if r := []rune(b); len(b) < 1<<16 {
			if i, ok := position(key, len(r)); ok {
				return string(r[i])
			}
		}
		return nil
	}
	if r := reflect.ValueOf(base); r.Kind() == reflect.Slice {
		if i, ok := position(key, r.Len()); ok {
			return r.Index(i).Interface()
		}
	}
	return nil
}

// position is an index into a list of n; a negative one counts from its end.
func position(key any, n int) (int, bool) {
	i, ok := integral(key).(int)
	if !ok {
		return 0, false
	}
	if i < 0 {
		i += n
	}
	return i, i >= 0 && i < n
}

// slice cuts a part out of a list, or characters out of a string.
func slice(e *evaluation, args []any) (any, error) {
	if isNil(args[0]) {
		return nil, nil
	}
	base := args[0]
	if s, ok := base.(string); ok {
		if err := e.charge(5 * len(s)); err != nil {
			return nil, err
		}
		base = []rune(s)
	}
	r := reflect.ValueOf(base)
	if r.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%s has no parts to cut out", kindOf(base))
	}
	from, to := 0, r.Len()
	for i, at := range []*int{&from, &to} {
		if isNil(args[i+1]) {
			continue
		}
		n, ok := integral(args[i+1]).(int)
		if !ok {
			return nil, fmt.Errorf("a part is cut at whole numbers, not at %s", kindOf(args[i+1]))
		}
		*at = n
	}
	part := runtime.Slice(base, from, to)
	if runes, ok := part.([]rune); ok {
		return string(runes), nil
	}
	return part, nil
}

// list makes sure that a value is a list, for the functions that walk one.
func list(e *evaluation, args []any) (any, error) {
	name := args[1].(string)
	if isNil(args[0]) {
		return nil, fmt.Errorf("%s() got a list that is missing; write `?? []` after it", name)
	}
	r := reflect.ValueOf(args[0])
	if r.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%s() takes a list, not %s", name, kindOf(args[0]))
	}
	return args[0], e.charge(16 * r.Len())
}

// groups makes the result of groupBy an object.
func groups(e *evaluation, args []any) (any, error) {
	object := map[string]any{}
	for it := reflect.ValueOf(args[0]).MapRange(); it.Next(); {
		name, ok := textOf(it.Key().Interface())
		if !ok {
			return nil, fmt.Errorf("groupBy() makes groups by strings, numbers and booleans, not by %s", kindOf(it.Key().Interface()))
		}
		object[name] = it.Value().Interface()
		if err := e.charge(320 + len(name)); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func add(e *evaluation, args []any) (any, error) {
	a, aok := args[0].(string)
	b, bok := args[1].(string)
	switch {
	case aok && bok:
		return a + b, e.charge(len(a) + len(b))
	case isNil(args[0]) || isNil(args[1]):
		return nil, errors.New("+ got a value that is missing; write `?? default` after it")
	case aok || bok:
		return nil, fmt.Errorf("+ cannot join %s and %s; write string(…) around the one that is no string", kindOf(args[0]), kindOf(args[1]))
	}
	return runtime.Add(args[0], args[1]), nil
}

func remainder(_ *evaluation, args []any) (any, error) {
	a, aok := integral(args[0]).(int)
	b, bok := integral(args[1]).(int)
	switch {
	case !aok || !bok:
		return nil, fmt.Errorf("%% takes whole numbers, not %s and %s", kindOf(args[0]), kindOf(args[1]))
	case b == 0:
		return nil, errors.New("% cannot divide by zero")
	}
	return a % b, nil
}

// maxRange bounds how many numbers a..b gives.
const maxRange = 100_000

func makeRange(e *evaluation, args []any) (any, error) {
	a, aok := integral(args[0]).(int)
	b, bok := integral(args[1]).(int)
	if !aok || !bok {
		return nil, fmt.Errorf(".. takes whole numbers, not %s and %s", kindOf(args[0]), kindOf(args[1]))
	}
	if b < a {
		return []any{}, nil
	}
	n := uint(b) - uint(a) + 1
	if n == 0 || n > maxRange {
		return nil, fmt.Errorf("%d..%d has more than %d numbers", a, b, maxRange)
	}
	if err := e.charge(24 * int(n)); err != nil {
		return nil, err
	}
	numbers := make([]any, n)
	for i := range numbers {
		numbers[i] = a + i
	}
	return numbers, nil
}

// in says whether a list has an element or an object a key.
func in(e *evaluation, args []any) (any, error) {
	if isNil(args[1]) {
		return false, nil
	}
	r := reflect.ValueOf(args[1])
	switch r.Kind() {
	case reflect.Slice:
		for i := range r.Len() {
			ok, err := same(e, args[0], r.Index(i).Interface())
			if ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case reflect.Map:
		name, ok := textOf(args[0])
		if !ok {
			return false, nil
		}
		return r.MapIndex(reflect.ValueOf(name)).IsValid(), nil
	}
	return nil, fmt.Errorf("in looks into a list or an object, not into %s; use contains for text", kindOf(args[1]))
}

func join(e *evaluation, args []any) (any, error) {
	glue := ""
	if len(args) == 2 {
		g, ok := args[1].(string)
		if !ok {
			return nil, fmt.Errorf("join() puts a string between, not %s", kindOf(args[1]))
		}
		glue = g
	}
	if _, err := list(e, []any{args[0], "join"}); err != nil {
		return nil, err
	}
	r := reflect.ValueOf(args[0])
	parts := make([]string, r.Len())
	size := len(glue) * len(parts)
	for i := range parts {
		part, ok := textOf(r.Index(i).Interface())
		if !ok {
			return nil, fmt.Errorf("join() joins strings, and element %d is %s", i, kindOf(r.Index(i).Interface()))
		}
		parts[i] = part
		size += len(part)
	}
	if err := e.charge(size); err != nil {
		return nil, err
	}
	return strings.Join(parts, glue), nil
}

func replace(e *evaluation, args []any) (any, error) {
	var texts [3]string
	for i := range texts {
		s, ok := args[i].(string)
		if !ok {
			return nil, fmt.Errorf("replace() takes strings, and argument %d is %s", i+1, kindOf(args[i]))
		}
		texts[i] = s
	}
	times := -1
	if len(args) == 4 {
		n, ok := integral(args[3]).(int)
		if !ok {
			return nil, fmt.Errorf("replace() takes a whole number of times, not %s", kindOf(args[3]))
		}
		times = n
	}
	count := strings.Count(texts[0], texts[1])
	if times >= 0 {
		count = min(count, times)
	}
	size := float64(len(texts[0])) + float64(count)*float64(len(texts[2]))
	if err := e.charge(int(math.Min(size, 2*maxBytes))); err != nil {
		return nil, err
	}
	return strings.Replace(texts[0], texts[1], texts[2], times), nil
}

func repeat(e *evaluation, args []any) (any, error) {
	s, ok := args[0].(string)
	n, whole := integral(args[1]).(int)
	if !ok || !whole || n < 0 {
		return nil, fmt.Errorf("repeat() takes a string and how often, not %s and %s", kindOf(args[0]), kindOf(args[1]))
	}
	if err := e.charge(int(math.Min(float64(len(s))*float64(n), 2*maxBytes))); err != nil {
		return nil, err
	}
	return strings.Repeat(s, n), nil
}

// Bounds of patterns. Matching takes time in proportion to the size of the
// pattern's program and of the text.
const (
	maxPattern     = 1000
	maxMatchEffort = 30_000_000
)

// A pattern is a compiled regular expression, and its size.
type pattern struct {
	*regexp.Regexp
	size int
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d characters", maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("the pattern is not valid: %s: %s", bad.Code, bad.Expr)
		}
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return &pattern{re, len(program.Inst)}, nil
}

func matches(e *evaluation, args []any) (any, error) {
	if isNil(args[0]) || isNil(args[1]) {
		return false, nil
	}
	text, ok := textOf(args[0])
	if !ok {
		return nil, fmt.Errorf("%s is no text to match", kindOf(args[0]))
	}
	p, ok := args[1].(*pattern)
	if !ok {
		s, isText := args[1].(string)
		if !isText {
			return nil, fmt.Errorf("a pattern is a string, not %s", kindOf(args[1]))
		}
		compiled, err := compilePattern(s)
		if err != nil {
			return nil, err
		}
		p = compiled
	}
	effort := p.size * (utf8.RuneCountInString(text) + 1)
	if effort > maxMatchEffort {
		return nil, errors.New("the text is too long for this pattern; match a part of it")
	}
	if err := e.spend(1 + effort>>4); err != nil {
		return nil, err
	}
	return p.MatchString(text), nil
}
