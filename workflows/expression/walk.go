package expression

import (
	"sort"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// A listWalk is one call of filter, map, reduce or another function that evaluates a
// predicate for each element of a list.
type listWalk struct {
	*budget
	name   string // of the function
	item   any    // #
	index  int    // #index
	result any    // also #acc
	count  int    // the number of elements for which the predicate is true
	made   runtime.SortBy
}

func (w *listWalk) pointer(name string) any {
	switch name {
	case "index":
		return w.index
	case "acc":
		return w.result
	}
	return w.item
}

func (e *evaluation) walkList(n *ast.BuiltinNode) any {
	items := e.list(n.Name, e.eval(n.Arguments[0]))
	w := &listWalk{budget: &e.budget, name: n.Name}
	first := e.begin(w, n, items)
	outer := e.walk
	e.walk = w
	for i := first; i < len(items); i++ {
		w.index = i
		if n.Name == "findLast" || n.Name == "findLastIndex" {
			w.index = len(items) - 1 - i
		}
		w.item = normal(items[w.index])
		v := w.item
		if len(n.Arguments) > 1 {
			v = e.eval(n.Arguments[1])
		}
		if w.visit(v) {
			break
		}
	}
	e.walk = outer
	return w.end()
}

// begin sets the result before the first element, and returns the index of that
// element.
func (e *evaluation) begin(w *listWalk, n *ast.BuiltinNode, items []any) (first int) {
	switch n.Name {
	case "all", "none", "any":
		w.result = n.Name != "any"
	case "sum":
		w.result = 0
	case "groupBy":
		w.result = map[string]any{}
	case "filter", "map", "sortBy":
		w.made.Array = make([]any, 0, len(items))
	case "reduce":
		switch {
		case len(n.Arguments) == 3:
			w.result = e.eval(n.Arguments[2])
		case len(items) == 0:
			fail("reduce of empty array with no initial value")
		default:
			w.result, first = normal(items[0]), 1
		}
	}
	if n.Name == "sortBy" && len(n.Arguments) == 3 {
		w.made.Desc = descending(e.eval(n.Arguments[2]))
	}
	return first
}

func descending(direction any) bool {
	switch s, ok := direction.(string); {
	case !ok:
		fail("sortBy order argument must be a string")
	case s != "asc" && s != "desc":
		fail("unknown order, use asc or desc")
	}
	return direction == "desc"
}

// visit adds the predicate's value for one element to the result, and reports whether
// the rest of the list can be skipped.
func (w *listWalk) visit(v any) (known bool) {
	switch w.name {
	case "all", "none", "any":
		if known = truth(v) == (w.name != "all"); known {
			w.result = w.name == "any"
		}
	case "find", "findLast":
		if known = truth(v); known {
			w.result = w.item
		}
	case "findIndex", "findLastIndex":
		if known = truth(v); known {
			w.result = w.index
		}
	case "count", "one":
		if truth(v) {
			w.count++
		}
	case "filter":
		if truth(v) {
			w.made.Array = append(w.made.Array, w.item)
		}
	case "map":
		w.made.Array = append(w.made.Array, v)
	case "sum":
		w.result = runtime.Add(widened(v, w.result))
	case "reduce":
		w.result = v
	case "groupBy":
		w.group(checkKey(v))
	case "sortBy":
		w.made.Array, w.made.Values = append(w.made.Array, w.item), append(w.made.Values, checkKey(v))
	}
	return known
}

// maxKey is the maximum length of the keys of sortBy and groupBy, which are compared many
// times without a check of the clock.
const maxKey = 4 << 10

func checkKey(v any) any {
	if s, ok := v.(string); ok && len(s) > maxKey {
		fail("it sorts by a string of more than %d bytes; sort by a part of it", maxKey)
	}
	return v
}

func (w *listWalk) group(key any) {
	name, ok := textOf(key)
	if !ok {
		fail("groupBy() makes groups by strings, numbers and booleans, not by %s", kindOf(key))
	}
	groups := w.result.(map[string]any)
	group, ok := groups[name].([]any)
	if !ok {
		w.charge(320 + len(name))
	}
	groups[name] = append(group, w.item)
}

// end returns the result.
func (w *listWalk) end() any {
	switch w.name {
	case "count":
		return w.count
	case "one":
		return w.count == 1
	case "filter", "map", "sortBy":
		w.grow(len(w.made.Array))
		if w.name == "sortBy" {
			sort.Sort(&w.made)
		}
		return w.made.Array
	}
	return w.result
}

// list returns a value as the list that a function walks over.
func (e *evaluation) list(name string, v any) []any {
	items, ok := v.([]any)
	switch {
	case isNil(v):
		fail("%s() got a list that is missing; write `?? []` after it", name)
	case !ok:
		fail("%s() takes a list, not %s", name, kindOf(v))
	}
	switch name {
	case "filter", "map", "sortBy", "groupBy":
		e.charge(32 * len(items))
	default:
		e.spend(1 + len(items)>>1)
	}
	return items
}
