package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// A guard makes a checked tree safe to run: names are loaded from the scope,
// a member of nothing is nil, and whatever can take long or grow large counts
// what it does.
type guard struct {
	sources map[string]*source
	locals  []string
	done    map[ast.Node]ast.Node
}

func (g *guard) node(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	if made, ok := g.done[n]; ok {
		return made
	}
	made := g.rewrite(n)
	g.done[n] = made
	return made
}

func (g *guard) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if g.isLocal(n.Value) {
			return n
		}
		return g.load(g.sources[n.Value], n)
	case *ast.UnaryNode:
		n.Node = g.node(n.Node)
	case *ast.BinaryNode:
		return g.binary(n)
	case *ast.ChainNode:
		return g.node(n.Node)
	case *ast.MemberNode:
		return g.member(n)
	case *ast.SliceNode:
		return guarded("slice", n, g.node(n.Node), g.orNil(n.From, n), g.orNil(n.To, n))
	case *ast.CallNode:
		g.each(n.Arguments)
		callee := n.Callee.(*ast.IdentifierNode)
		return guarded(callee.Value[len(internal):], n, n.Arguments...)
	case *ast.BuiltinNode:
		return g.builtin(n)
	case *ast.PredicateNode:
		return g.predicate(n)
	case *ast.VariableDeclaratorNode:
		n.Value = g.node(n.Value)
		g.locals = append(g.locals, n.Name)
		n.Expr = g.node(n.Expr)
		g.locals = g.locals[:len(g.locals)-1]
	case *ast.SequenceNode:
		g.each(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = g.node(n.Cond), g.node(n.Exp1), g.node(n.Exp2)
	case *ast.ArrayNode:
		g.each(n.Nodes)
	case *ast.MapNode:
		g.each(n.Pairs)
		return guarded("object", n, n)
	case *ast.PairNode:
		n.Key, n.Value = g.node(n.Key), g.node(n.Value)
	}
	return n
}

func (g *guard) each(nodes []ast.Node) {
	for i := range nodes {
		nodes[i] = g.node(nodes[i])
	}
}

func (g *guard) orNil(n, at ast.Node) ast.Node {
	if n != nil {
		return g.node(n)
	}
	none := &ast.NilNode{}
	none.SetLocation(at.Location())
	return none
}

func (g *guard) isLocal(name string) bool {
	return slices.Contains(g.locals, name)
}

// guarded makes a call that gets the evaluation as its first argument.
func guarded(name string, at ast.Node, args ...ast.Node) ast.Node {
	env := &ast.IdentifierNode{Value: "$env"}
	env.SetLocation(at.Location())
	return call(name, at, append([]ast.Node{env}, args...)...)
}

func constant(value any, at ast.Node) ast.Node {
	c := &ast.ConstantNode{Value: value}
	c.SetLocation(at.Location())
	return c
}

func (g *guard) load(s *source, at ast.Node) ast.Node {
	return guarded("load", at, constant(s, at))
}

func (g *guard) binary(n *ast.BinaryNode) ast.Node {
	n.Left, n.Right = g.node(n.Left), g.node(n.Right)
	switch n.Operator {
	case "+":
		return guarded("add", n, n.Left, n.Right)
	case "..":
		return guarded("range", n, n.Left, n.Right)
	case "%", "in":
		return guarded(n.Operator, n, n.Left, n.Right)
	}
	return n
}

// member reads a field. Those of the roots are looked up without making an
// object of the whole root.
func (g *guard) member(n *ast.MemberNode) ast.Node {
	if s := g.direct(n); s != nil {
		return g.load(s, n)
	}
	return guarded("member", n, g.node(n.Node), g.node(n.Property))
}

var (
	fieldsOfRoots = map[place]place{allInputs: oneInput, allEnv: oneEnv, allSelectors: oneSelector, allSteps: oneStep}
	fieldsOfSteps = map[string]place{"result": stepResult, "status": stepStatus, "error": stepError, "attempts": stepAttempts}
)

// direct is the source of a field that can be looked up at once, or nil.
func (g *guard) direct(n ast.Node) *source {
	switch n := n.(type) {
	case *ast.ChainNode:
		return g.direct(n.Node)
	case *ast.IdentifierNode:
		if !g.isLocal(n.Value) {
			return g.sources[n.Value]
		}
	case *ast.MemberNode:
		base := g.direct(n.Node)
		field, ok := n.Property.(*ast.StringNode)
		if base == nil || !ok {
			return nil
		}
		if one, ok := fieldsOfRoots[base.place]; ok {
			return &source{one, field.Value}
		}
		if part, ok := fieldsOfSteps[field.Value]; ok && base.place == oneStep {
			return &source{part, base.key}
		}
	}
	return nil
}

func (g *guard) builtin(n *ast.BuiltinNode) ast.Node {
	g.each(n.Arguments)
	f := builtin.Builtins[builtin.Index[n.Name]]
	switch {
	case n.Name == "repeat":
		return guarded("repeat", n, n.Arguments...)
	case !f.Predicate:
		return guarded("builtin", n, append([]ast.Node{constant(f, n)}, n.Arguments...)...)
	}
	if n.Name == "sortBy" || n.Name == "groupBy" {
		p := n.Arguments[1].(*ast.PredicateNode)
		p.Node = guarded("sortKey", p, p.Node)
	}
	n.Arguments[0] = guarded("list", n, n.Arguments[0], constant(n.Name, n))
	if n.Name == "groupBy" {
		return guarded("groups", n, n)
	}
	return n
}

// predicate counts each round of a loop, so that no loop outlives its time.
func (g *guard) predicate(n *ast.PredicateNode) ast.Node {
	n.Node = guarded("tick", n, g.node(n.Node))
	return n
}
