package expression

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"

	"understudy/internal/words"
)

func (r *reader) isLocal(name string) bool {
	return slices.Contains(r.locals, name)
}

func (r *reader) name(n *ast.IdentifierNode) ast.Node {
	n.Value = withHyphens(n.Value)
	if r.isLocal(n.Value) {
		return n
	}
	src, typ := r.names.resolve(n.Value)
	if src == nil {
		r.wrong(n.Location(), r.nameHint(n.Value), "there is no %s here", n.Value)
		return n
	}
	r.sources[n.Value] = src
	if _, ok := r.env[n.Value]; !ok {
		r.env[n.Value] = typ
	}
	return n
}

func (r *reader) nameHint(name string) string {
	switch {
	case isNull(name):
		return "a missing value is written nil"
	case name == "index":
		return "index is known inside a loop; an input of that name is inputs.index"
	case r.isStep(name):
		return fmt.Sprintf("write %s_result or %s_status", name, name)
	case isFunction(name):
		return fmt.Sprintf("%s is a function; write %s(…)", name, name)
	}
	return words.DidYouMean(name, r.names.known())
}

func (r *reader) isStep(name string) bool {
	_, ok := r.names.Steps[name]
	return ok
}

func isFunction(name string) bool {
	_, own := ours[name]
	_, native := builtin.Index[name]
	return own || native
}

// Success is what a status says, and what some documents call it.
const (
	statusSuccess = "success"
	statusAlias   = "executed_without_error"
)

func (r *reader) statusAlias(status, literal ast.Node) {
	if s, ok := literal.(*ast.StringNode); ok && s.Value == statusAlias && r.isStatus(status) {
		s.Value = statusSuccess
	}
}

func (r *reader) statusIn(n *ast.BinaryNode) {
	if list, ok := n.Right.(*ast.ArrayNode); ok {
		for _, element := range list.Nodes {
			r.statusAlias(n.Left, element)
		}
	}
}

// isStatus says whether a node that was not yet rewritten is a step's status.
func (r *reader) isStatus(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ChainNode:
		return r.isStatus(n.Node)
	case *ast.IdentifierNode:
		src, _ := r.names.resolve(withHyphens(n.Value))
		return src.isStatus() && !r.isLocal(n.Value)
	case *ast.MemberNode:
		field, ok := n.Property.(*ast.StringNode)
		step, isMember := n.Node.(*ast.MemberNode)
		if !ok || !isMember || field.Value != "status" {
			return false
		}
		root, ok := step.Node.(*ast.IdentifierNode)
		return ok && root.Value == "steps" && !r.isLocal("steps")
	}
	return false
}

func (r *reader) member(n *ast.MemberNode) ast.Node {
	property, named := n.Property.(*ast.StringNode)
	if named {
		property.Value = withHyphens(property.Value)
	}
	n.Node = r.read(n.Node)
	n.Property = r.whole(n.Property)
	root, ok := n.Node.(*ast.IdentifierNode)
	if !ok || !named || r.isLocal(root.Value) {
		return n
	}
	src := r.sources[root.Value]
	fields, open := r.env[root.Value].(types.Map)
	if src == nil || !open {
		return n
	}
	switch src.place {
	case allInputs, allSelectors, allSteps:
		typ, known := r.names.member(src.place, property.Value)
		if typ == nil {
			r.wrong(property.Location(), words.DidYouMean(property.Value, known), "%s has no %s", root.Value, property.Value)
			typ = types.Any
		}
		fields[property.Value] = typ
	}
	return n
}

func (r *reader) let(n *ast.VariableDeclaratorNode) ast.Node {
	if src, _ := r.names.resolve(n.Name); src != nil && !r.names.OpenInputs {
		r.wrong(n.Location(), "choose another name", "%s already means something here", n.Name)
	}
	n.Value = r.read(n.Value)
	r.locals = append(r.locals, n.Name)
	n.Expr = r.read(n.Expr)
	r.locals = r.locals[:len(r.locals)-1]
	return n
}
