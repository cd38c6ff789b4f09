package expression

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

// truth is the forgiving truth of a value.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != "" && v != "false" && v != "0"
	case float64:
		return v != 0 && !math.IsNaN(v)
	case int:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return truthOfOther(reflect.ValueOf(v))
}

func truthOfOther(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Int64:
		return v.Int() != 0
	}
	return true
}

// number reads a value as a number, as < and > do.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		return numberIn(v)
	}
	return plainNumber(v)
}

// plainNumber is the value of a number, of whatever size.
func plainNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float32:
		return float64(v), true
	}
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid() || r.Type().PkgPath() != "":
		return 0, false
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	}
	return 0, false
}

// numberIn reads a number out of a string: digits, a sign, a point, an
// exponent; blanks around it do not matter.
func numberIn(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// equal is the forgiving ==.
func equal(e *evaluation, a, b any) (bool, error) {
	if runtime.IsNil(a) || runtime.IsNil(b) {
		return false, nil
	}
	switch x := a.(type) {
	case string:
		if _, ok := b.(string); !ok {
			return equalText(x, b), nil
		}
	default:
		if y, ok := b.(string); ok {
			return equalText(y, a), nil
		}
	}
	return same(e, a, b)
}

// equalText compares a string with a value that is none.
func equalText(s string, v any) bool {
	if v, ok := v.(bool); ok {
		if v {
			return s == "true" || s == "1"
		}
		return s == "false" || s == "0"
	}
	f, isNumber := plainNumber(v)
	g, holdsNumber := numberIn(s)
	return isNumber && holdsNumber && f == g
}

// same is strict equality, in depth.
func same(e *evaluation, a, b any) (bool, error) {
	if err := e.spend(1 + commonLength(a, b)>>6); err != nil {
		return false, err
	}
	switch x := a.(type) {
	case nil:
		return b == nil, nil
	case bool:
		y, ok := b.(bool)
		return ok && x == y, nil
	case string:
		y, ok := b.(string)
		return ok && x == y, nil
	}
	if x, ok := plainNumber(a); ok {
		y, ok := plainNumber(b)
		return ok && x == y, nil
	}
	return sameDeep(e, a, b)
}

func sameDeep(e *evaluation, a, b any) (bool, error) {
	if err := e.enter(); err != nil {
		return false, err
	}
	defer e.leave()
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case !y.IsValid() || x.Kind() != y.Kind():
		return false, nil
	case x.Kind() == reflect.Slice:
		return sameLists(e, x, y)
	case x.Kind() == reflect.Map:
		return sameObjects(e, x, y)
	}
	return runtime.Equal(a, b), nil
}

func sameLists(e *evaluation, x, y reflect.Value) (bool, error) {
	if x.Len() != y.Len() {
		return false, nil
	}
	for i := range x.Len() {
		ok, err := same(e, x.Index(i).Interface(), y.Index(i).Interface())
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func sameObjects(e *evaluation, x, y reflect.Value) (bool, error) {
	if x.Len() != y.Len() || x.Type().Key() != y.Type().Key() {
		return false, nil
	}
	for _, k := range x.MapKeys() {
		other := y.MapIndex(k)
		if !other.IsValid() {
			return false, nil
		}
		ok, err := same(e, x.MapIndex(k).Interface(), other.Interface())
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// commonLength is how much of two strings has to be compared.
func commonLength(a, b any) int {
	s, _ := a.(string)
	t, _ := b.(string)
	return min(len(s), len(t))
}

// unordered is the result of order for values of which none is the smaller.
const unordered = 2

// order compares as <, <=, > and >= do: -1, 0, 1 or unordered.
func order(a, b any) (int, error) {
	if t, ok := a.(time.Time); ok {
		if u, ok := b.(time.Time); ok {
			return t.Compare(u), nil
		}
	}
	if t, ok := a.(time.Duration); ok {
		if u, ok := b.(time.Duration); ok {
			return cmp.Compare(t, u), nil
		}
	}
	for _, v := range []any{a, b} {
		if !scalar(v) {
			return 0, fmt.Errorf("%s has no order; compare a field or len() of it", kindOf(v))
		}
	}
	x, xok := number(a)
	y, yok := number(b)
	if xok && yok {
		if math.IsNaN(x) || math.IsNaN(y) {
			return unordered, nil
		}
		return cmp.Compare(x, y), nil
	}
	s, sok := a.(string)
	t, tok := b.(string)
	if sok && tok {
		return strings.Compare(s, t), nil
	}
	return unordered, nil
}

// scalar says whether a value is nil, a boolean, a number or a string.
func scalar(v any) bool {
	switch v.(type) {
	case nil, bool, string:
		return true
	}
	_, ok := plainNumber(v)
	return ok
}

// kindOf names the kind of a value as people call it.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "a missing value"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case time.Time:
		return "a date"
	case time.Duration:
		return "a duration"
	}
	if _, ok := plainNumber(v); ok {
		return "a number"
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "an object"
	}
	return "this value"
}

// textOf is a scalar as text, for contains and its kin.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	if f, ok := plainNumber(v); ok {
		return formatNumber(f), true
	}
	return "", false
}

// formatNumber writes a number as people do: no exponent unless it is huge or
// tiny.
func formatNumber(f float64) string {
	if a := math.Abs(f); a != 0 && (a >= 1e21 || a < 1e-7) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

var errNotANumber = errors.New("the result is not a number; was something divided by zero?")
