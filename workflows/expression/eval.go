package expression

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// An evaluation walks the checked tree of an expression. Values are nil, bool, int,
// float64, string, []any and map[string]any; functions of expr also return time.Time,
// time.Duration and *time.Location. Failures are panics with an error, as in the
// functions of expr, from which evaluate recovers.
type evaluation struct {
	budget
	expr   *Expr
	scope  *Scope
	probe  Probe
	locals []local   // variables of let, the innermost last
	walk   *listWalk // the innermost walk over a list
}

type local struct {
	name  string
	value any
}

var noScope Scope

func (x *Expr) evaluate(ctx context.Context, s *Scope, p Probe, finish func(*evaluation, any) any) (value any, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if x.root == nil {
		return nil, x.failed(errors.New("it was not compiled"))
	}
	s = cmp.Or(s, &noScope)
	e := &evaluation{budget: budget{ctx: ctx}, expr: x, scope: s, probe: p}
	defer func() {
		if r := recover(); r != nil {
			err = x.failed(panicked(r))
		}
	}()
	return finish(e, e.eval(x.root)), nil
}

// EvalError says why an evaluation failed.
type EvalError struct {
	Expr string
	Err  error
}

func (e *EvalError) Error() string { return fmt.Sprintf("%s: %v", e.Expr, e.Err) }

func (e *EvalError) Unwrap() error { return e.Err }

// ValueError is the error for an expression without a value where one is needed.
type ValueError struct{ Expr string }

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s has no value; write `%s ?? default` to allow it", e.Expr, e.Expr)
}

// UnsetError is the error for a name that no step sets, and that is no input of the run.
type UnsetError struct{ Name, Hint string }

func (e *UnsetError) Error() string {
	message := fmt.Sprintf("%s has no value: no step set it, and it is no input of this run", e.Name)
	if e.Hint != "" {
		message += " (" + e.Hint + ")"
	}
	return fmt.Sprintf("%s; write `%s ?? false` to allow it", message, e.Name)
}

// has reports whether the run set a name, even to nothing.
func (s *Scope) has(name string) bool {
	_, set := s.Env[name]
	_, given := s.Inputs[name]
	return set || given
}

// failed adds the expression to an error, unless the error names one.
func (x *Expr) failed(err error) error {
	var missing *ValueError
	if errors.As(err, &missing) {
		return missing
	}
	return &EvalError{Expr: x.text, Err: err}
}

func (e *evaluation) eval(n ast.Node) any {
	e.spend(1)
	switch n := n.(type) {
	case *ast.ConstantNode:
		return n.Value
	case *ast.IdentifierNode:
		return e.name(n)
	case *ast.MemberNode:
		return e.member(n)
	case *ast.ChainNode:
		return e.eval(n.Node)
	case *ast.SliceNode:
		return e.slice(n)
	case *ast.CallNode:
		return e.call(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.ConditionalNode:
		if truth(e.eval(n.Cond)) {
			return e.eval(n.Exp1)
		}
		return e.eval(n.Exp2)
	case *ast.BuiltinNode:
		return e.builtin(n)
	case *ast.PredicateNode:
		return e.eval(n.Node)
	case *ast.PointerNode:
		return e.walk.pointer(n.Name)
	case *ast.VariableDeclaratorNode:
		e.locals = append(e.locals, local{n.Name, e.eval(n.Value)})
		value := e.eval(n.Expr)
		e.locals = e.locals[:len(e.locals)-1]
		return value
	case *ast.SequenceNode:
		return e.each(n.Nodes)[len(n.Nodes)-1]
	case *ast.ArrayNode:
		e.grow(len(n.Nodes))
		return e.each(n.Nodes)
	case *ast.MapNode:
		return e.object(n)
	}
	return nil // nil itself
}

// each returns the values of several nodes, in a new list.
func (e *evaluation) each(nodes []ast.Node) []any {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		values[i] = e.eval(n)
	}
	return values
}

func (e *evaluation) name(n *ast.IdentifierNode) any {
	if b, ok := e.expr.bound[n]; ok {
		v := e.load(b)
		if v == nil && b.unset != "" && !e.expr.allow[n] && !e.scope.has(b.unset) {
			panic(&UnsetError{Name: b.unset, Hint: b.hint})
		}
		return v
	}
	for _, l := range slices.Backward(e.locals) {
		if l.name == n.Value {
			return l.value
		}
	}
	return nil
}

func (e *evaluation) load(b *binding) any {
	switch {
	case b.root == "steps":
		e.charge(b.bytes * (1 + len(e.scope.Steps)))
	case b.bytes > 0:
		e.charge(b.bytes)
	}
	return normal(b.load(e.scope))
}

func (e *evaluation) object(n *ast.MapNode) any {
	e.grow(len(n.Pairs))
	object := make(map[string]any, len(n.Pairs))
	for _, p := range n.Pairs {
		pair := p.(*ast.PairNode)
		key, value := e.eval(pair.Key).(string), e.eval(pair.Value)
		if _, ok := object[key]; !ok { // the first of equal keys counts
			object[key] = value
		}
	}
	e.charge(320 + 64*len(object))
	return object
}

func (e *evaluation) call(n *ast.CallNode) any {
	name := n.Callee.(*ast.IdentifierNode).Value
	switch name {
	case anyOperand:
		return e.eval(n.Arguments[0])
	case truthOperand:
		return truth(e.eval(n.Arguments[0]))
	}
	return functions[name].run(e, e.each(n.Arguments))
}

// member returns a field or an element, or nil if there is none.
func (e *evaluation) member(n *ast.MemberNode) any {
	if b, ok := e.expr.bound[n]; ok {
		return e.load(b)
	}
	base := e.eval(n.Node)
	if field, ok := n.Property.(*ast.StringNode); ok {
		object, _ := base.(map[string]any)
		return normal(object[field.Value])
	}
	key := e.eval(n.Property)
	switch base := base.(type) {
	case map[string]any:
		name, _ := key.(string)
		return normal(base[name])
	case []any:
		if i, ok := position(key, len(base)); ok {
			return normal(base[i])
		}
	case string:
		e.charge(4 * len(base))
		characters := []rune(base)
		if i, ok := position(key, len(characters)); ok {
			return string(characters[i])
		}
	}
	return nil
}

// position returns the index that a key means in a list of n. A negative key counts
// from the end.
func position(key any, n int) (int, bool) {
	i, ok := integral(key).(int)
	if ok && i < 0 {
		i += n
	}
	return i, ok && i >= 0 && i < n
}

// slice returns a part of a list, or of the characters of a string.
func (e *evaluation) slice(n *ast.SliceNode) any {
	base, from, to := e.eval(n.Node), e.eval(n.From), e.eval(n.To)
	if isNil(base) {
		return nil
	}
	switch base := base.(type) {
	case []any:
		return runtime.Slice(base, cut(from, 0), cut(to, len(base)))
	case string:
		e.charge(5 * len(base))
		characters := []rune(base)
		return string(runtime.Slice(characters, cut(from, 0), cut(to, len(characters))).([]rune))
	}
	fail("%s has no parts to cut out", kindOf(base))
	return nil
}

func cut(at any, missing int) int {
	if isNil(at) {
		return missing
	}
	i, ok := integral(at).(int)
	if !ok {
		fail("a part is cut at whole numbers, not at %s", numberOrKind(at))
	}
	return i
}

func (e *evaluation) unary(n *ast.UnaryNode) any {
	v := e.eval(n.Node)
	switch n.Operator {
	case "!":
		return !truth(v)
	case "-":
		if isNil(v) {
			fail(missingOperand, n.Operator)
		}
		return runtime.Negate(v)
	}
	return v
}

func (e *evaluation) binary(n *ast.BinaryNode) any {
	a := e.eval(n.Left)
	switch n.Operator {
	case "&&", "and":
		return truth(a) && truth(e.eval(n.Right))
	case "||", "or":
		return truth(a) || truth(e.eval(n.Right))
	case "??":
		if isNil(a) {
			return e.eval(n.Right)
		}
		return a
	}
	b := e.eval(n.Right)
	switch n.Operator {
	case "==":
		return e.equality(n, a, b)
	case "!=":
		return !e.equality(n, a, b)
	case "<", "<=", ">", ">=":
		return e.ordered(n.Operator, a, b)
	}
	if f, ok := relations[n.Operator]; ok {
		return f(e, a, b)
	}
	return e.arithmetic(n.Operator, a, b)
}

var relations = map[string]func(e *evaluation, a, b any) bool{
	"contains": contains, "startsWith": startsWith, "endsWith": endsWith, "matches": matches, "in": in,
}

// equality is equal, but beside a written nil it reports whether the value is missing.
func (e *evaluation) equality(n *ast.BinaryNode, a, b any) bool {
	if _, ok := n.Right.(*ast.NilNode); ok {
		return isNil(a)
	}
	if _, ok := n.Left.(*ast.NilNode); ok {
		return isNil(b)
	}
	return equal(e, a, b)
}

// ordered evaluates <, <=, > and >=.
func (e *evaluation) ordered(operator string, a, b any) bool {
	e.spend(1 + commonLength(a, b)>>6)
	c := order(a, b)
	if c == 0 {
		return len(operator) == 2
	}
	return c != unordered && (c < 0) == (operator[0] == '<')
}

// missingOperand is the format of the error of an operator that got no value.
const missingOperand = "%s got a value that is missing; write `?? default` after it"

func (e *evaluation) arithmetic(operator string, a, b any) any {
	switch operator {
	case "%":
		return remainder(a, b)
	case "..":
		return e.numbers(a, b)
	}
	switch {
	case isNil(a) || isNil(b):
		fail(missingOperand, operator)
	case operator != "+" && !(computes(a) && computes(b)):
		fail("%s computes with numbers, not with %s and %s; write float(…) around a string that holds one", operator, kindOf(a), kindOf(b))
	}
	switch operator {
	case "+":
		return e.add(widened(a, b))
	case "-":
		return runtime.Subtract(widened(a, b))
	case "*":
		return runtime.Multiply(widened(a, b))
	case "/":
		return runtime.Divide(a, b)
	}
	return runtime.Exponent(a, b) // ** and ^
}

// computes reports whether a value is a number, a date or a duration.
func computes(v any) bool {
	switch v.(type) {
	case time.Time, time.Duration:
		return true
	}
	_, ok := plainNumber(v)
	return ok
}

// widened converts two whole numbers whose sum or product may exceed an int.
func widened(a, b any) (any, any) {
	const safe = 1 << 31
	x, xok := a.(int)
	y, yok := b.(int)
	if xok && yok && (x >= safe || x <= -safe || y >= safe || y <= -safe) {
		return float64(x), float64(y)
	}
	return a, b
}

func (e *evaluation) add(a, b any) any {
	s, aok := a.(string)
	t, bok := b.(string)
	switch {
	case aok && bok:
		e.charge(len(s) + len(t))
		return s + t
	case aok || bok:
		fail("+ cannot join %s and %s; write string(…) around the one that is no string", kindOf(a), kindOf(b))
	}
	return runtime.Add(a, b)
}

func remainder(a, b any) int {
	x, aok := integral(a).(int)
	y, bok := integral(b).(int)
	switch {
	case !aok || !bok:
		fail("%% takes whole numbers, not %s and %s", numberOrKind(a), numberOrKind(b))
	case y == 0:
		fail("%% cannot divide by zero")
	}
	return x % y
}

// maxRange is the maximum length of the list a..b.
const maxRange = 100_000

func (e *evaluation) numbers(a, b any) []any {
	from, aok := integral(a).(int)
	to, bok := integral(b).(int)
	switch n := uint(to) - uint(from) + 1; {
	case !aok || !bok:
		fail(".. takes whole numbers, not %s and %s", numberOrKind(a), numberOrKind(b))
	case to < from:
		return []any{}
	case n == 0 || n > maxRange:
		fail("%d..%d has more than %d numbers", from, to, maxRange)
	}
	e.charge(24 * (to - from + 1))
	numbers := make([]any, to-from+1)
	for i := range numbers {
		numbers[i] = from + i
	}
	return numbers
}
