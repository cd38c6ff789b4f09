package expression

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"understudy/internal/words"
)

// normal converts a list or an object of another Go type to []any or map[string]any.
// Elements are converted when they are read.
func normal(v any) any {
	switch v.(type) {
	case nil, bool, string, float64, int, []any, map[string]any:
		return v
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice:
		if _, ok := v.([]byte); ok {
			return v
		}
		list := make([]any, r.Len())
		for i := range list {
			list[i] = r.Index(i).Interface()
		}
		return list
	case reflect.Map:
		object := make(map[string]any, r.Len())
		for it := r.MapRange(); it.Next(); {
			object[fmt.Sprint(it.Key().Interface())] = it.Value().Interface()
		}
		return object
	}
	return v
}

func isNil(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return v == nil
	case map[string]any:
		return v == nil
	}
	return false
}

// plain converts a value to one that JSON has. It does not copy what is plain already.
func (e *evaluation) plain(v any) any {
	p, _ := e.plainOf(v)
	return p
}

// plainOf is plain, and reports whether the value was changed.
func (e *evaluation) plainOf(v any) (p any, changed bool) {
	e.charge(1)
	switch v := v.(type) {
	case nil, bool, string:
		return v, false
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			fail("the result is not a number; was something divided by zero?")
		}
		return v, false
	case []any:
		return e.plainList(v)
	case map[string]any:
		return e.plainObject(v)
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	case fmt.Stringer:
		return v.String(), true
	case []byte:
		return string(v), true
	}
	if f, ok := plainNumber(v); ok {
		return f, true
	}
	switch n := normal(v).(type) {
	case []any, map[string]any:
		return e.plain(n), true
	}
	fail("its value, %s, cannot be written down", kindOf(v))
	return nil, false
}

func (e *evaluation) plainList(list []any) (_ any, changed bool) {
	if list == nil {
		return nil, true
	}
	e.enter()
	defer e.leave()
	made := list
	for i, v := range list {
		if p, different := e.plainOf(v); different {
			if !changed {
				made, changed = slices.Clone(list), true
			}
			made[i] = p
		}
	}
	return made, changed
}

func (e *evaluation) plainObject(object map[string]any) (_ any, changed bool) {
	if object == nil {
		return nil, true
	}
	e.enter()
	defer e.leave()
	made := object
	for k, v := range object {
		if p, different := e.plainOf(v); different {
			if !changed {
				made, changed = maps.Clone(object), true
			}
			made[k] = p
		}
	}
	return made, changed
}

// written returns a plain value as text, as it stands inside a string.
func written(v any) (string, error) {
	if s, ok := textOf(v); ok {
		return s, nil
	}
	return words.JSON(v, "")
}

// ValueSize is what a value is counted with besides its text.
const ValueSize = 16

// Size returns about how many bytes a value takes in memory.
func Size(v any) int {
	n := ValueSize
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, x := range v {
			n += Size(x)
		}
	case map[string]any:
		for k, x := range v {
			n += ValueSize + len(k) + Size(x)
		}
	}
	return n
}
