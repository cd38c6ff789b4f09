package expression

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

func isTrue(e *evaluation, args []any) (any, error) { return truth(args[0]), e.spend(1) }

func isFalsy(_ *evaluation, args []any) (any, error) { return !truth(args[0]), nil }

func isAbsent(_ *evaluation, args []any) (any, error) { return isNil(args[0]), nil }

func isEqual(e *evaluation, args []any) (any, error) { return equal(e, args[0], args[1]) }

func differs(e *evaluation, args []any) (any, error) {
	ok, err := equal(e, args[0], args[1])
	return !ok, err
}

func ordered(holds func(int) bool) func(*evaluation, []any) (any, error) {
	return func(e *evaluation, args []any) (any, error) {
		c, err := order(args[0], args[1])
		if err == nil {
			err = e.spend(1 + commonLength(args[0], args[1])>>6)
		}
		return c != unordered && holds(c), err
	}
}

// integral makes a whole number an int, as indexes and counts must be.
func integral(v any) any {
	if f, ok := v.(float64); ok && f == float64(int(f)) {
		return int(f)
	}
	return v
}

func key(_ *evaluation, args []any) (any, error) { return integral(args[0]), nil }

func load(e *evaluation, args []any) (any, error) { return e.fetch(args[0].(*source)) }

// tick counts a round of a loop.
func tick(e *evaluation, args []any) (any, error) { return args[0], e.spend(1) }

// object counts an object that the expression wrote.
func object(e *evaluation, args []any) (any, error) {
	return args[0], e.charge(320 + 64*len(args[0].(map[string]any)))
}

func callNative(e *evaluation, args []any) (any, error) {
	return callBuiltin(e, args[0].(*builtin.Function), args[1:])
}

// member gives a field or an element; nil where there is none.
func member(e *evaluation, args []any) (any, error) {
	switch base := args[0].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		name, _ := args[1].(string)
		return base[name], nil
	case []any:
		if i, ok := position(args[1], len(base)); ok {
			return base[i], nil
		}
		return nil, nil
	case string:
		return character(e, base, args[1])
	}
	if r := reflect.ValueOf(args[0]); r.Kind() == reflect.Slice {
		if i, ok := position(args[1], r.Len()); ok {
			return r.Index(i).Interface(), nil
		}
	}
	return nil, nil
}

func character(e *evaluation, s string, at any) (any, error) {
	if err := e.charge(4 * len(s)); err != nil {
		return nil, err
	}
	characters := []rune(s)
	if i, ok := position(at, len(characters)); ok {
		return string(characters[i]), nil
	}
	return nil, nil
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
	switch name {
	case "filter", "map", "sortBy", "groupBy":
		return args[0], e.charge(32 * r.Len())
	}
	return args[0], e.spend(1 + r.Len()>>1)
}

// maxKey bounds the length of what is sorted and grouped by: keys are compared
// many times, out of sight of the clock.
const maxKey = 4 << 10

func sortKey(e *evaluation, args []any) (any, error) {
	if s, ok := args[0].(string); ok && len(s) > maxKey {
		return nil, fmt.Errorf("it sorts by a string of more than %d bytes; sort by a part of it", maxKey)
	}
	return args[0], e.spend(1)
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
