package expression

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/types"

	"understudy/internal/words"
)

// internal is the prefix of function names that cannot be written in an expression.
const internal = "·"

// Wrappers around operands, which hide their types from expr's checker.
const (
	anyOperand   = internal + "operand" // has any type
	truthOperand = internal + "truth"   // is a boolean, by the rules of truth
)

// A resolver walks a parsed tree once, before the checker. It binds names, refuses
// nodes without a meaning here, and wraps the operands of operators that accept more
// types than in expr.
type resolver struct {
	names    *Names
	tokens   []lexer.Token
	types    types.Map             // of the names in the expression
	bound    map[ast.Node]*binding // identifiers and fields
	locals   []string              // variables of let
	allow    map[ast.Node]bool     // names that may be without a value
	done     map[ast.Node]ast.Node
	problems []*problem
	vain     []string // comparisons that can never hold
	looks    bool
	always   bool
}

// A problem is a Problem whose position is still counted in characters.
type problem struct {
	at            file.Location
	message, hint string
}

func (r *resolver) wrong(at file.Location, hint, format string, args ...any) {
	r.problems = append(r.problems, &problem{at, fmt.Sprintf(format, args...), hint})
}

// resolve resolves each node once: the middle of a chained comparison is in the tree
// twice, and chains nest.
func (r *resolver) resolve(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	made, ok := r.done[n]
	if !ok {
		made = r.node(n)
		r.done[n], r.done[made] = made, made
	}
	return made
}

func (r *resolver) node(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(n.Value, n)
	case *ast.FloatNode:
		return constant(n.Value, n)
	case *ast.BoolNode:
		return constant(n.Value, n)
	case *ast.StringNode:
		return constant(n.Value, n)
	case *ast.BytesNode:
		r.wrong(n.Location(), "leave out the b", "bytes are not supported")
	case *ast.IdentifierNode:
		r.name(n)
	case *ast.UnaryNode:
		n.Node = r.resolve(n.Node)
		if n.Operator == "!" || n.Operator == "not" {
			return not(n.Node, n)
		}
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.ChainNode:
		n.Node = r.resolve(n.Node)
		r.bind(n, r.bound[n.Node])
	case *ast.MemberNode:
		r.member(n)
	case *ast.SliceNode:
		n.Node, n.From, n.To = r.resolve(n.Node), r.whole(n.From), r.whole(n.To)
	case *ast.CallNode:
		r.call(n)
	case *ast.BuiltinNode:
		return r.builtin(n)
	case *ast.PredicateNode:
		n.Node = r.resolve(n.Node)
	case *ast.VariableDeclaratorNode:
		r.let(n)
	case *ast.SequenceNode:
		r.each(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = wrap(truthOperand, r.resolve(n.Cond)), r.resolve(n.Exp1), r.resolve(n.Exp2)
	case *ast.ArrayNode:
		r.each(n.Nodes)
	case *ast.MapNode:
		r.each(n.Pairs)
	case *ast.PairNode:
		n.Key, n.Value = r.resolve(n.Key), r.resolve(n.Value)
	}
	return n
}

func (r *resolver) each(nodes []ast.Node) {
	for i := range nodes {
		nodes[i] = r.resolve(nodes[i])
	}
}

func (r *resolver) bind(n ast.Node, b *binding) {
	if b != nil {
		r.bound[n] = b
	}
}

// at sets the position of a node to that of another.
func at[N ast.Node](n N, other ast.Node) N {
	n.SetLocation(other.Location())
	return n
}

// constant returns a node that holds a literal as an interface value, which saves an
// allocation in each evaluation.
func constant(value any, n ast.Node) ast.Node { return at(&ast.ConstantNode{Value: value}, n) }

func call(name string, n ast.Node, args ...ast.Node) ast.Node {
	return at(&ast.CallNode{Callee: at(&ast.IdentifierNode{Value: internal + name}, n), Arguments: args}, n)
}

func wrap(wrapper string, n ast.Node) ast.Node { return call(wrapper[len(internal):], n, n) }

func not(operand, n ast.Node) ast.Node {
	return at(&ast.UnaryNode{Operator: "!", Node: wrap(truthOperand, operand)}, n)
}

// whole resolves an index or a count. The checker wants an integer, and numbers from
// JSON are none, so the type of anything but a literal is hidden.
func (r *resolver) whole(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	n = r.resolve(n)
	if c, ok := n.(*ast.ConstantNode); ok {
		switch c.Value.(type) {
		case int, string:
			return n
		}
	}
	return wrap(anyOperand, n)
}

// comparing reports whether a leading ! negates the operator instead of its operand.
func comparing(operator string) bool {
	return relations[operator] != nil || slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, operator)
}

func (r *resolver) binary(n *ast.BinaryNode) ast.Node {
	if operand, ok := n.Left.(*ast.UnaryNode); ok && comparing(n.Operator) && (operand.Operator == "!" || operand.Operator == "not") &&
		r.bare(operand.Location(), n.Location()) {
		inner := at(&ast.BinaryNode{Operator: n.Operator, Left: operand.Node, Right: n.Right}, n)
		return not(r.resolve(inner), operand)
	}
	pattern, written := n.Right.(*ast.StringNode)
	n.Left, n.Right = r.resolve(n.Left), r.resolve(n.Right)
	switch n.Operator {
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok {
			for _, element := range list.Nodes {
				r.statusAlias(n.Left, element)
			}
		}
	case "??":
		r.mayLack(n.Left)
	case "==", "!=":
		r.mayLackBesideNil(n)
		r.statusAlias(n.Left, n.Right)
		r.statusAlias(n.Right, n.Left)
		n.Left, n.Right = unlessNil(n.Left), unlessNil(n.Right)
	case "matches":
		if written {
			n.Right = r.pattern(pattern)
		}
		fallthrough
	case "<", "<=", ">", ">=", "contains", "startsWith", "endsWith":
		n.Left, n.Right = wrap(anyOperand, n.Left), wrap(anyOperand, n.Right)
	case "%", "..":
		n.Left, n.Right = r.whole(n.Left), r.whole(n.Right)
	case "and", "&&", "or", "||":
		n.Left, n.Right = wrap(truthOperand, n.Left), wrap(truthOperand, n.Right)
	}
	return n
}

// mayLack allows a name to be without a value.
func (r *resolver) mayLack(n ast.Node) {
	switch x := n.(type) {
	case *ast.IdentifierNode:
		r.allow[x] = true
	case *ast.MemberNode:
		r.mayLack(x.Node)
	case *ast.ChainNode:
		r.mayLack(x.Node)
	}
}

func (r *resolver) mayLackBesideNil(n *ast.BinaryNode) {
	_, left := n.Left.(*ast.NilNode)
	_, right := n.Right.(*ast.NilNode)
	if left || right {
		r.mayLack(n.Left)
		r.mayLack(n.Right)
	}
}

// unlessNil wraps an operand of == or != unless it is a written nil, which has a meaning
// of its own there.
func unlessNil(n ast.Node) ast.Node {
	if _, ok := n.(*ast.NilNode); ok {
		return n
	}
	return wrap(anyOperand, n)
}

// bare reports whether no bracket closes between a ! and the operator after its operand,
// as in !a == b but not in (!a) == b. It is false for the not of "not in".
func (r *resolver) bare(not, operator file.Location) bool {
	depth := 0
	for _, t := range r.tokens {
		if t.From == not.From && t.Value != "!" && t.Value != "not" {
			return false
		}
		if t.From < not.From || t.Kind != lexer.Bracket {
			continue
		}
		if t.From >= operator.From {
			break
		}
		if t.Value == "(" || t.Value == "[" || t.Value == "{" {
			depth++
		} else if depth--; depth < 0 {
			return false
		}
	}
	return true
}

// pattern compiles a literal pattern once, at load.
func (r *resolver) pattern(n *ast.StringNode) ast.Node {
	p, err := compilePattern(n.Value)
	if err != nil {
		r.wrong(n.Location(), "", "%v", err)
		return n
	}
	return constant(p, n)
}

// statusWords maps the words with which documents compare a status to the status.
var statusWords = map[string]string{
	"success": "success", "executed_without_error": "success",
	"error": "error", "executed_with_error": "error",
	"skipped": "skipped", "cancelled": "cancelled", "failed": "failed",
}

// statusAlias replaces the word that a status is compared with, and notes one that no
// status is.
func (r *resolver) statusAlias(status, literal ast.Node) {
	b := r.bound[status]
	c, ok := literal.(*ast.ConstantNode)
	if !ok || b == nil || !b.status {
		return
	}
	word, ok := c.Value.(string)
	known := statusWords[word]
	switch {
	case !ok:
	case known == "failed" && !b.checks:
		c.Value = "error"
	case known == "":
		r.vain = append(r.vain, fmt.Sprintf("this never holds: no status is %q", words.Shorten(word, 40)))
	default:
		c.Value = known
	}
}

func (r *resolver) name(n *ast.IdentifierNode) {
	n.Value = withHyphens(n.Value)
	if slices.Contains(r.locals, n.Value) {
		return
	}
	b := r.names.resolve(n.Value)
	if b == nil {
		r.wrong(n.Location(), r.nameHint(n.Value), "there is no %s here", n.Value)
		return
	}
	r.bound[n] = b
	if _, ok := r.types[n.Value]; !ok {
		r.types[n.Value] = b.typ
	}
}

func (r *resolver) nameHint(name string) string {
	_, isStep := r.names.Steps[name]
	switch {
	case isNull(name):
		return "a missing value is written nil"
	case name == "variables":
		return "the values of variables are named inputs.NAME, or NAME"
	case name == "index":
		return "index is known inside a loop; an input of that name is inputs.index"
	case isStep:
		return fmt.Sprintf("write %s_result or %s_status", name, name)
	case isFunction(name):
		return fmt.Sprintf("%s is a function; write %s(…)", name, name)
	}
	return words.DidYouMean(name, r.names.known())
}

func (r *resolver) member(n *ast.MemberNode) {
	n.Node = r.resolve(n.Node)
	property, named := n.Property.(*ast.StringNode)
	if !named {
		n.Property = r.whole(n.Property)
		return
	}
	property.Value = withHyphens(property.Value)
	root := r.bound[n.Node]
	if root == nil {
		return
	}
	b, known := r.names.field(root, property.Value)
	if known != nil {
		r.wrong(property.Location(), words.DidYouMean(property.Value, known), "%s has no %s", root.root, property.Value)
		return
	}
	if b != nil && b.typ != nil {
		r.types[root.root].(types.Map)[property.Value] = b.typ
	}
	r.bind(n, b)
}

func (r *resolver) let(n *ast.VariableDeclaratorNode) {
	if !r.names.OpenInputs && r.names.resolve(n.Name) != nil {
		r.wrong(n.Location(), "choose another name", "%s already means something here", n.Name)
	}
	n.Value = r.resolve(n.Value)
	r.locals = append(r.locals, n.Name)
	n.Expr = r.resolve(n.Expr)
	r.locals = r.locals[:len(r.locals)-1]
}

func (r *resolver) call(n *ast.CallNode) {
	id, ok := n.Callee.(*ast.IdentifierNode)
	if ok && (id.Value == "exists" || id.Value == "text") {
		r.selector(id.Value, n.Arguments)
	}
	r.each(n.Arguments)
	if !ok {
		r.method(n)
		return
	}
	if full, ok := callForms[id.Value]; ok {
		id.Value = full
	}
	name := id.Value
	if !slices.Contains(ours(), name) {
		r.wrong(n.Location(), words.DidYouMean(name, functionNames()), "there is no function %s()", name)
		return
	}
	switch name {
	case "exists", "text":
		r.looks = true
		if !r.names.Screen {
			r.wrong(n.Location(), "use it in if, expect, while or jumps", "%s() cannot look at the desktop here", name)
		}
	case "always", "failure":
		r.always = true
	case "coalesce":
		for _, arg := range n.Arguments {
			r.mayLack(arg)
		}
	}
	id.Value = internal + name
}

// selector checks the selector of a function, if it is written out.
func (r *resolver) selector(function string, args []ast.Node) {
	if len(args) == 0 || r.names.CheckSelector == nil {
		return
	}
	if text, ok := args[0].(*ast.StringNode); ok {
		if wrong, hint := r.names.CheckSelector(text.Value); wrong != "" {
			r.wrong(text.Location(), hint, "%s(): %s", function, wrong)
		}
	}
}

// method reports the call of a member, with a hint how to write it.
func (r *resolver) method(n *ast.CallNode) {
	var property ast.Node
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		property = m.Property
	}
	name, ok := property.(*ast.StringNode)
	if !ok {
		r.wrong(n.Location(), "", "only a function can be called")
		return
	}
	hint := ""
	if isFunction(name.Value) {
		hint = fmt.Sprintf("write %s(value, …)", name.Value)
	}
	r.wrong(n.Location(), hint, "values have no function %s()", name.Value)
}

func (r *resolver) builtin(n *ast.BuiltinNode) ast.Node {
	first, counts := firstWhole[n.Name]
	for i, arg := range n.Arguments {
		if counts && i >= first {
			n.Arguments[i] = r.whole(arg)
		} else {
			n.Arguments[i] = r.resolve(arg)
		}
	}
	if _, ok := functions[internal+n.Name]; ok {
		return call(n.Name, n, n.Arguments...)
	}
	switch n.Name {
	case "all", "none", "any", "one", "filter", "find", "findIndex", "findLast", "findLastIndex", "count":
		for _, arg := range n.Arguments[1:] {
			p := arg.(*ast.PredicateNode)
			p.Node = wrap(truthOperand, p.Node)
		}
	}
	return n
}
