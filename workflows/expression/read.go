package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/types"

	"understudy/internal/words"
)

// A reader makes expr's syntax tree mean what the document says: operators
// become forgiving functions, names are looked up. What it leaves is still
// typed, so that expr's checker can find what does not fit.
type reader struct {
	names    *Names
	tokens   []lexer.Token
	env      types.Map // the types of the names that occur
	sources  map[string]*source
	locals   []string // of let
	done     map[ast.Node]ast.Node
	problems []*problem
	looks    bool
	always   bool
}

// A problem is a Problem whose place is still counted in characters.
type problem struct {
	at            file.Location
	message, hint string
}

func (r *reader) wrong(at file.Location, hint, format string, args ...any) {
	r.problems = append(r.problems, &problem{at, fmt.Sprintf(format, args...), hint})
}

// read rewrites a node once, however often it stands in the tree: the middle
// of a chained comparison stands in it twice.
func (r *reader) read(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	if made, ok := r.done[n]; ok {
		return made
	}
	made := r.rewrite(n)
	r.done[n] = made
	r.done[made] = made
	return made
}

func (r *reader) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return r.name(n)
	case *ast.UnaryNode:
		n.Node = r.read(n.Node)
		if n.Operator == "!" || n.Operator == "not" {
			return call("not", n, n.Node)
		}
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.ChainNode:
		n.Node = r.read(n.Node)
	case *ast.MemberNode:
		return r.member(n)
	case *ast.SliceNode:
		n.Node = r.read(n.Node)
		n.From, n.To = r.whole(n.From), r.whole(n.To)
	case *ast.CallNode:
		return r.call(n)
	case *ast.BuiltinNode:
		return r.builtin(n)
	case *ast.PredicateNode:
		n.Node = r.read(n.Node)
	case *ast.VariableDeclaratorNode:
		return r.let(n)
	case *ast.SequenceNode:
		r.each(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = call("truth", n.Cond, r.read(n.Cond)), r.read(n.Exp1), r.read(n.Exp2)
	case *ast.ArrayNode:
		r.each(n.Nodes)
	case *ast.MapNode:
		r.each(n.Pairs)
	case *ast.PairNode:
		n.Key, n.Value = r.read(n.Key), r.read(n.Value)
	case *ast.BytesNode:
		r.wrong(n.Location(), "leave out the b", "bytes are not supported")
	}
	return n
}

func (r *reader) each(nodes []ast.Node) {
	for i := range nodes {
		nodes[i] = r.read(nodes[i])
	}
}

// call makes a call of one of our functions, at the place of another node.
func call(name string, at ast.Node, args ...ast.Node) *ast.CallNode {
	callee := &ast.IdentifierNode{Value: internal + name}
	callee.SetLocation(at.Location())
	n := &ast.CallNode{Callee: callee, Arguments: args}
	n.SetLocation(at.Location())
	return n
}

// whole makes an index a whole number: values in JSON know no others.
func (r *reader) whole(n ast.Node) ast.Node {
	switch n.(type) {
	case nil:
		return nil
	case *ast.IntegerNode, *ast.StringNode:
		return n
	}
	return call("key", n, r.read(n))
}

// comparing are the operators that a leading ! is weaker than.
var comparing = map[string]bool{
	"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "in": true,
	"matches": true, "contains": true, "startsWith": true, "endsWith": true,
}

func (r *reader) binary(n *ast.BinaryNode) ast.Node {
	if not, ok := n.Left.(*ast.UnaryNode); ok && comparing[n.Operator] && (not.Operator == "!" || not.Operator == "not") &&
		r.bare(not.Location(), n.Location()) {
		inner := &ast.BinaryNode{Operator: n.Operator, Left: not.Node, Right: n.Right}
		inner.SetLocation(n.Location())
		return call("not", not, r.read(inner))
	}
	switch n.Operator {
	case "==", "!=":
		return r.equality(n)
	case "matches":
		return r.matches(n)
	case "in":
		r.statusIn(n)
	}
	n.Left, n.Right = r.read(n.Left), r.read(n.Right)
	switch n.Operator {
	case "<", "<=", ">", ">=", "contains", "startsWith", "endsWith":
		return call(n.Operator, n, n.Left, n.Right)
	case "and", "&&", "or", "||":
		n.Left, n.Right = truthOf(n.Left), truthOf(n.Right)
	case "%", "..":
		n.Left, n.Right = r.whole(n.Left), r.whole(n.Right)
	}
	return n
}

// bare says whether no bracket closes between a ! and the operator after its
// operand: in !a == b none does, in (!a) == b one does. The not of "not in" is
// no such !.
func (r *reader) bare(not, operator file.Location) bool {
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

func truthOf(n ast.Node) ast.Node {
	if c, ok := n.(*ast.CallNode); ok {
		if id, ok := c.Callee.(*ast.IdentifierNode); ok && id.Value == internal+"truth" {
			return n
		}
	}
	return call("truth", n, n)
}

// equality makes == and != forgiving. Only with a written nil do they ask
// whether a value is missing.
func (r *reader) equality(n *ast.BinaryNode) ast.Node {
	r.statusAlias(n.Left, n.Right)
	r.statusAlias(n.Right, n.Left)
	left, right := r.read(n.Left), r.read(n.Right)
	_, leftNil := left.(*ast.NilNode)
	_, rightNil := right.(*ast.NilNode)
	var absent ast.Node
	switch {
	case rightNil:
		absent = call("absent", n, left)
	case leftNil:
		absent = call("absent", n, right)
	default:
		return call(n.Operator, n, left, right)
	}
	if n.Operator == "!=" {
		return call("not", n, absent)
	}
	return absent
}

// matches compiles a written pattern once, at load.
func (r *reader) matches(n *ast.BinaryNode) ast.Node {
	left, right := r.read(n.Left), r.read(n.Right)
	if s, ok := right.(*ast.StringNode); ok {
		p, err := compilePattern(s.Value)
		if err != nil {
			r.wrong(s.Location(), "", "%v", err)
			return n
		}
		constant := &ast.ConstantNode{Value: p}
		constant.SetLocation(s.Location())
		right = constant
	}
	return call("matches", n, left, right)
}

func (r *reader) call(n *ast.CallNode) ast.Node {
	r.each(n.Arguments)
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		r.method(n)
		return n
	}
	name := id.Value
	if full, ok := callForms[name]; ok {
		name = full
	}
	if _, ok := ours[name]; !ok {
		r.wrong(n.Location(), words.DidYouMean(name, functionNames()), "there is no function %s()", name)
		return n
	}
	switch name {
	case "exists", "text":
		r.looks = true
		if !r.names.Screen {
			r.wrong(n.Location(), "use it in if, expect, while or jumps", "%s() cannot look at the desktop here", name)
		}
	case "always", "failure":
		r.always = true
	}
	return call(name, n, n.Arguments...)
}

// method refuses the call of a member, and says how it is written.
func (r *reader) method(n *ast.CallNode) {
	m, _ := n.Callee.(*ast.MemberNode)
	if m != nil {
		if name, ok := m.Property.(*ast.StringNode); ok {
			hint := ""
			if isFunction(name.Value) {
				hint = fmt.Sprintf("write %s(value, …)", name.Value)
			}
			r.wrong(n.Location(), hint, "values have no function %s()", name.Value)
			return
		}
	}
	r.wrong(n.Location(), "", "only a function can be called")
}

// wholeArgument is the first argument of expr's functions that must be a whole
// number.
var wholeArgument = map[string]int{
	"repeat": 1, "take": 1, "get": 1, "split": 2, "splitAfter": 2, "replace": 3,
	"bitand": 0, "bitor": 0, "bitxor": 0, "bitnand": 0, "bitshl": 0, "bitshr": 0, "bitushr": 0, "bitnot": 0,
}

func (r *reader) builtin(n *ast.BuiltinNode) ast.Node {
	r.each(n.Arguments)
	if first, ok := wholeArgument[n.Name]; ok {
		for i := first; i < len(n.Arguments); i++ {
			n.Arguments[i] = r.whole(n.Arguments[i])
		}
	}
	switch n.Name {
	case "all", "none", "any", "one", "filter", "find", "findIndex", "findLast", "findLastIndex", "count":
		r.condition(n)
	case "join", "replace", "trim", "trimPrefix", "trimSuffix", "split", "splitAfter":
		return call(n.Name, n, n.Arguments...)
	}
	return n
}

// condition makes a predicate's value a boolean by the forgiving rules.
func (r *reader) condition(n *ast.BuiltinNode) {
	if len(n.Arguments) == 1 && n.Name == "count" {
		element := &ast.PointerNode{}
		element.SetLocation(n.Location())
		body := &ast.PredicateNode{Node: element}
		body.SetLocation(n.Location())
		n.Arguments = append(n.Arguments, body)
	}
	for _, arg := range n.Arguments {
		if p, ok := arg.(*ast.PredicateNode); ok {
			p.Node = truthOf(p.Node)
		}
	}
}
