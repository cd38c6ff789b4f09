package expression

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// deep are functions of expr that walk into their arguments, or several times over
// them.
var deep = []string{"toJSON", "string", "flatten", "uniq", "sort", "max", "min", "mean", "median", "concat"}

// takesNil are functions of expr that accept a missing value.
var takesNil = []string{"type", "string", "toJSON", "first", "last", "get"}

// firstWhole maps functions of expr to their first argument that must be a whole number,
// as all arguments after it.
var firstWhole = map[string]int{
	"repeat": 1, "take": 1, "get": 1, "split": 2, "splitAfter": 2, "replace": 3,
	"bitand": 0, "bitor": 0, "bitxor": 0, "bitnand": 0, "bitshl": 0, "bitshr": 0, "bitushr": 0, "bitnot": 0,
}

func (e *evaluation) builtin(n *ast.BuiltinNode) any {
	f := builtins[n.Name]
	if f.Predicate {
		return e.walkList(n)
	}
	return e.callBuiltin(f, e.each(n.Arguments))
}

// callBuiltin calls a function of expr within the budget.
func (e *evaluation) callBuiltin(f *builtin.Function, args []any) any {
	if first, ok := firstWhole[f.Name]; ok {
		for i := first; i < len(args); i++ {
			args[i] = integral(args[i])
		}
	}
	if f.Name == "repeat" {
		return e.repeat(args)
	}
	for _, arg := range args {
		if isNil(arg) && !slices.Contains(takesNil, f.Name) {
			fail("%s() got a value that is missing; write `?? default` after it", f.Name)
		}
	}
	e.chargeCall(f.Name, args)
	var v any
	var err error
	switch {
	case f.Name == "keys" || f.Name == "values" || f.Name == "toPairs":
		return sortedParts(f.Name, args[0])
	case f.Name == "string":
		return e.asText(args[0])
	case f.Fast != nil:
		v = f.Fast(args[0])
	case f.Safe != nil:
		v, _, err = f.Safe(args...)
	default:
		v, err = f.Func(args...)
	}
	if err != nil {
		panic(err)
	}
	return normal(v)
}

// asText returns a value as it would stand inside a text; a missing one is "".
func (e *evaluation) asText(v any) any {
	if isNil(v) {
		return ""
	}
	text, err := written(e.plain(v))
	if err != nil {
		panic(err)
	}
	return text
}

// sortedParts evaluates keys, values and toPairs in the order of the keys, so that the
// same object gives the same result in every run.
func sortedParts(name string, v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		fail("%s() takes an object, not %s", name, kindOf(v))
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
	return parts
}

// chargeCall charges for the values that a call may make of its arguments.
func (e *evaluation) chargeCall(name string, args []any) {
	size := 16
	if slices.Contains(deep, name) {
		for _, arg := range args {
			e.measure(arg, &size)
		}
		if name == "uniq" && size > 1<<16 {
			fail("uniq() takes at most a few thousand values")
		}
		e.charge(2 * size)
		return
	}
	for _, arg := range args {
		size += shallowSize(arg)
	}
	switch name {
	case "fromJSON":
		size *= 24
	case "split", "splitAfter":
		text, _ := args[0].(string)
		separator, _ := args[1].(string)
		size += 48 * (1 + strings.Count(text, separator))
	case "len", "type", "first", "last", "get", "take", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf":
		e.spend(size >> 6)
		size = 16
	}
	e.charge(size)
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
	return 16
}

// measure adds the size of a value and of all values in it.
func (e *evaluation) measure(v any, size *int) {
	*size += shallowSize(v) + 8
	if *size > maxBytes {
		e.charge(*size)
	}
	e.spend(1)
	e.enter()
	defer e.leave()
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			e.measure(element, size)
		}
	case map[string]any:
		for key, element := range v {
			*size += 2 * len(key)
			e.measure(element, size)
		}
	}
}

func join(e *evaluation, args []any) any {
	glue := ""
	if len(args) == 2 {
		g, ok := args[1].(string)
		if !ok {
			fail("join() puts a string between, not %s", kindOf(args[1]))
		}
		glue = g
	}
	items := e.list("join", args[0])
	e.charge(16 * len(items))
	parts := make([]string, len(items))
	size := len(glue) * len(parts)
	for i, item := range items {
		part, ok := textOf(item)
		if !ok {
			fail("join() joins strings, and element %d is %s", i, kindOf(item))
		}
		parts[i] = part
		size += len(part)
	}
	e.charge(size)
	return strings.Join(parts, glue)
}

func replace(e *evaluation, args []any) any {
	var texts [3]string
	for i := range texts {
		s, ok := args[i].(string)
		if !ok {
			fail("replace() takes strings, and argument %d is %s", i+1, kindOf(args[i]))
		}
		texts[i] = s
	}
	count := strings.Count(texts[0], texts[1])
	if len(args) == 4 {
		times, ok := integral(args[3]).(int)
		if !ok {
			fail("replace() takes a whole number of times, not %s", kindOf(args[3]))
		}
		if times >= 0 {
			count = min(count, times)
		}
	}
	e.chargeCopies(len(texts[2]), count, len(texts[0]))
	return strings.Replace(texts[0], texts[1], texts[2], count)
}

func (e *evaluation) repeat(args []any) any {
	s, ok := args[0].(string)
	n, whole := args[1].(int)
	if !ok || !whole || n < 0 {
		fail("repeat() takes a string and how often, not %s and %s", kindOf(args[0]), kindOf(args[1]))
	}
	e.chargeCopies(len(s), n, 0)
	return strings.Repeat(s, n)
}

// chargeCopies charges for n copies of some bytes, and more bytes. The sum may exceed an
// int.
func (e *evaluation) chargeCopies(bytes, n, more int) {
	e.charge(int(math.Min(float64(bytes)*float64(n)+float64(more), 2*maxBytes)))
}
