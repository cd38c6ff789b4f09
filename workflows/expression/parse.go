package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/types"
)

// Limits of an expression's text and of its syntax tree.
const (
	maxText  = 16 << 10
	maxNodes = 2000
)

// compile fills in x, or returns what is wrong with the text.
func (x *Expr) compile(text string, n *Names) (problems []*problem) {
	defer func() {
		if r := recover(); r != nil {
			problems = []*problem{{message: fmt.Sprintf("this expression cannot be understood: %v", r)}}
		}
	}()
	if len(text) > maxText {
		return []*problem{{message: fmt.Sprintf("the expression is longer than %d KiB", maxText>>10)}}
	}
	problems = x.parse(text, n, false)
	if len(problems) > 0 && HasTemplate(text) {
		return x.parse(text, n, true)
	}
	return problems
}

// parse is compile for one meaning of {{: it begins an object in a predicate, or a
// template.
func (x *Expr) parse(text string, names *Names, templates bool) []*problem {
	source, problems := normalise(text, names, templates)
	if len(problems) > 0 {
		return problems
	}
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return []*problem{syntaxProblem(err)}
	}
	if strings.Trim(source, "() \n") == "" {
		return []*problem{{message: "the expression is empty"}}
	}
	config := &conf.Config{
		Strict: true, ShortCircuit: true, MaxNodes: maxNodes,
		Functions: checked, Builtins: builtins, Disabled: map[string]bool{},
	}
	tree, err := parser.ParseWithConfig(renameCalls(source, tokens), config)
	if err != nil {
		return []*problem{syntaxProblem(err)}
	}
	return x.check(tree, tokens, config, names)
}

func (x *Expr) check(tree *parser.Tree, tokens []lexer.Token, config *conf.Config, n *Names) []*problem {
	r := &resolver{
		names: n, tokens: tokens, types: types.Map{},
		bound: map[ast.Node]*binding{}, allow: map[ast.Node]bool{}, done: map[ast.Node]ast.Node{},
	}
	tree.Node = r.resolve(tree.Node)
	if len(r.problems) > 0 {
		return r.problems
	}
	config.WithEnv(r.types)
	if _, err := checker.Check(tree, config); err != nil {
		return []*problem{checkProblem(err, tree.Node)}
	}
	x.root, x.bound, x.allow, x.looks, x.always, x.vain = tree.Node, r.bound, r.allow, r.looks, r.always, r.vain
	return nil
}

// callForms maps the names that renameCalls gives to functions that expr knows only as
// operators.
var callForms = map[string]string{
	hyphen + "ontains":   "contains",
	hyphen + "tartsWith": "startsWith",
	hyphen + "ndsWith":   "endsWith",
}

// renameCalls changes the name in contains(a, b) and the like, where it does not stand
// between two values, to another of the same length.
func renameCalls(source string, tokens []lexer.Token) string {
	runes := []rune(source)
	for i, t := range tokens {
		if !t.Is(lexer.Operator, "contains", "startsWith", "endsWith") || !tokens[i+1].Is(lexer.Bracket, "(") || afterValue(tokens[:i]) {
			continue
		}
		runes[t.From] = hyphenRune
	}
	return string(runes)
}

// afterValue reports whether the last token ends a value, so that an operator follows.
// The not in "a not contains b" is part of the operator.
func afterValue(tokens []lexer.Token) bool {
	if len(tokens) == 0 {
		return false
	}
	last := tokens[len(tokens)-1]
	switch {
	case last.Is(lexer.Operator, "not"):
		return afterValue(tokens[:len(tokens)-1])
	case last.Kind == lexer.Bracket:
		return last.Value == ")" || last.Value == "]" || last.Value == "}"
	case last.Is(lexer.Operator, ".", "?."):
		return true
	}
	return last.Kind != lexer.Operator || last.Value == "#"
}
