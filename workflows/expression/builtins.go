package expression

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"
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
	case f.Name == "string":
		return e.asText(args[0])
	case f.Fast != nil:
		return f.Fast(args[0]), nil
	case f.Safe != nil:
		v, _, err := f.Safe(args...)
		return v, err
	}
	return f.Func(args...)
}

// asText is a value as it would stand inside a text; nothing is "".
func (e *evaluation) asText(v any) (any, error) {
	if isNil(v) {
		return "", nil
	}
	p, err := e.plain(v)
	if err != nil {
		return nil, err
	}
	return written(p)
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
		if err := e.spend(size >> 6); err != nil {
			return err
		}
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
	if err := errors.Join(e.spend(1), e.enter()); err != nil {
		return err
	}
	defer e.leave()
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
	if err := e.charge(16 * r.Len()); err != nil {
		return nil, err
	}
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
