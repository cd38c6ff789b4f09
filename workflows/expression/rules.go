package expression

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

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
	if d, ok := v.(time.Duration); ok {
		return d != 0
	}
	f, isNumber := plainNumber(v)
	return !isNumber || f != 0
}

// number converts a value to a number, as < and > do.
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

// numberIn parses a string as a decimal number, with or without sign, fraction and
// exponent. It ignores white space around the number.
func numberIn(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func equal(e *evaluation, a, b any) bool {
	if isNil(a) || isNil(b) {
		return false
	}
	s, aok := a.(string)
	t, bok := b.(string)
	switch {
	case aok && !bok:
		return equalText(s, b)
	case bok && !aok:
		return equalText(t, a)
	}
	return same(e, a, b)
}

// equalText reports whether a string equals a value that is not a string.
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

// same reports strict equality, in depth.
func same(e *evaluation, a, b any) bool {
	e.spend(1 + commonLength(a, b)>>6)
	switch x := a.(type) {
	case nil, bool, string:
		return a == b
	case []any:
		y, ok := normal(b).([]any)
		e.enter()
		defer e.leave()
		return ok && slices.EqualFunc(x, y, func(v, w any) bool { return same(e, normal(v), w) })
	case map[string]any:
		y, ok := normal(b).(map[string]any)
		e.enter()
		defer e.leave()
		return ok && maps.EqualFunc(x, y, func(v, w any) bool { return same(e, normal(v), w) })
	}
	if x, ok := plainNumber(a); ok {
		y, ok := plainNumber(b)
		return ok && x == y
	}
	return runtime.Equal(a, b)
}

// commonLength returns how many bytes of two strings may have to be compared.
func commonLength(a, b any) int {
	s, _ := a.(string)
	t, _ := b.(string)
	return min(len(s), len(t))
}

// unordered is the result of order for values that have no order.
const unordered = 2

// order compares two values as <, <=, > and >= do. It returns -1, 0, 1 or unordered.
func order(a, b any) int {
	if t, ok := b.(string); ok && isTime(a) {
		b = moment(t, time.Now())
	} else if t, ok := a.(string); ok && isTime(b) {
		a = moment(t, time.Now())
	}
	switch x := a.(type) {
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return cmp.Compare(x, y)
		}
	}
	for _, v := range []any{a, b} {
		if !scalar(v) {
			fail("%s has no order; compare a field or len() of it", kindOf(v))
		}
	}
	x, xok := number(a)
	y, yok := number(b)
	if xok && yok {
		if math.IsNaN(x) || math.IsNaN(y) {
			return unordered
		}
		return cmp.Compare(x, y)
	}
	s, sok := a.(string)
	t, tok := b.(string)
	if sok && tok {
		return strings.Compare(s, t)
	}
	return unordered
}

func isTime(v any) bool {
	_, ok := v.(time.Time)
	return ok
}

// scalar reports whether a value is nil, a boolean, a number or a string.
func scalar(v any) bool {
	switch v.(type) {
	case nil, bool, string:
		return true
	}
	_, ok := plainNumber(v)
	return ok
}

// kindOf returns the kind of a value, for messages.
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
	switch normal(v).(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "this value"
}

// numberOrKind returns a number as text, or the kind of another value, for messages.
func numberOrKind(v any) string {
	if f, ok := plainNumber(v); ok {
		return formatNumber(f)
	}
	return kindOf(v)
}

// integral converts a whole number to an int, for use as an index or a count.
func integral(v any) any {
	if f, ok := v.(float64); ok && f == float64(int(f)) {
		return int(f)
	}
	return v
}

// textOf returns the text of a boolean, a number or a string.
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

// formatNumber formats a number without an exponent, unless it is huge or tiny.
func formatNumber(f float64) string {
	if a := math.Abs(f); a != 0 && (a >= 1e21 || a < 1e-7) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
