package expression

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Bounds of an expression's text and of its syntax tree.
const (
	maxText  = 16 << 10
	maxNodes = 2000
)

// Expr is a compiled expression. It is never changed, and can be evaluated by
// several goroutines at once.
type Expr struct {
	text    string
	program *vm.Program
	looks   bool
	always  bool
}

// Compile understands an expression. Problems are in the order of the text;
// when there is one, the expression has no value.
func Compile(text string, n *Names) (*Expr, []*Problem) {
	e := &Expr{text: strings.TrimSpace(text)}
	if n == nil {
		n = &Names{}
	}
	problems := e.compile(text, n)
	return e, inBytes(text, problems)
}

func (e *Expr) compile(text string, n *Names) (problems []*problem) {
	defer func() {
		if r := recover(); r != nil {
			problems = []*problem{{message: fmt.Sprintf("this expression cannot be understood: %v", r)}}
		}
	}()
	if len(text) > maxText {
		return []*problem{{message: fmt.Sprintf("the expression is longer than %d KiB", maxText>>10)}}
	}
	source, problems := normalise(text, n)
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
	source = renameCalls(source, tokens)
	config := newConfig()
	tree, err := parser.ParseWithConfig(source, config)
	if err != nil {
		return []*problem{syntaxProblem(err)}
	}
	return e.build(tree, tokens, config, n)
}

func newConfig() *conf.Config {
	return &conf.Config{
		Strict: true, ShortCircuit: true, MaxNodes: maxNodes,
		Functions: functionTable, Builtins: nativeTable, Disabled: map[string]bool{},
	}
}

// nativeTable are the functions of expr's own.
var nativeTable = func() conf.FunctionsTable {
	table := conf.FunctionsTable{}
	for _, f := range builtin.Builtins {
		table[f.Name] = f
	}
	return table
}()

// build checks a tree and makes a program of it.
func (e *Expr) build(tree *parser.Tree, tokens []lexer.Token, config *conf.Config, n *Names) []*problem {
	r := &reader{
		names: n, tokens: tokens, env: types.Map{},
		sources: map[string]*source{}, done: map[ast.Node]ast.Node{},
	}
	tree.Node = r.read(tree.Node)
	if len(r.problems) > 0 {
		return r.problems
	}
	e.looks, e.always = r.looks, r.always
	config.WithEnv(r.env)
	if _, err := checker.Check(tree, config); err != nil {
		return []*problem{checkProblem(err, tree.Node)}
	}
	g := &guard{sources: r.sources, done: map[ast.Node]ast.Node{}}
	tree.Node = g.node(tree.Node)
	program, err := compiler.Compile(tree, config)
	if err != nil {
		return []*problem{{message: inWords(err.Error())}}
	}
	e.program = program
	return nil
}

// callForms are the functions that expr knows only as operators, by the names
// that they get at the beginning of a call.
var callForms = map[string]string{
	hyphen + "ontains":   "contains",
	hyphen + "tartsWith": "startsWith",
	hyphen + "ndsWith":   "endsWith",
}

// renameCalls gives contains(a, b) and its kin another name of the same
// length, where they do not stand between two values.
func renameCalls(source string, tokens []lexer.Token) string {
	var runes []rune
	for i, t := range tokens {
		if !t.Is(lexer.Operator, "contains", "startsWith", "endsWith") || !tokens[i+1].Is(lexer.Bracket, "(") || afterValue(tokens[:i]) {
			continue
		}
		if runes == nil {
			runes = []rune(source)
		}
		runes[t.From] = hyphenRune
	}
	if runes == nil {
		return source
	}
	return string(runes)
}

// afterValue says whether the last token ends a value, so that an operator
// follows. In a not contains b, not is a part of the operator.
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

// Eval gives the value: nil, a bool, a float64, a string, a []any or a
// map[string]any. It may share parts with the scope, so it must not be changed.
func (e *Expr) Eval(ctx context.Context, s *Scope, p Probe) (value any, err error) {
	err = run(ctx, e, s, p, func(ev *evaluation, v any) error {
		value, err = ev.plain(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Holds evaluates a condition, by the forgiving rules of truth.
func (e *Expr) Holds(ctx context.Context, s *Scope, p Probe) (holds bool, err error) {
	err = run(ctx, e, s, p, func(_ *evaluation, v any) error {
		holds = truth(v)
		return nil
	})
	return holds && err == nil, err
}

// Looks says whether it asks the desktop.
func (e *Expr) Looks() bool { return e.looks }

// Always says whether it calls always() or failure().
func (e *Expr) Always() bool { return e.always }

// String is the text that was compiled.
func (e *Expr) String() string { return e.text }

// inBytes turns the places of problems from characters into bytes.
func inBytes(text string, problems []*problem) []*Problem {
	slices.SortStableFunc(problems, func(a, b *problem) int { return a.at.From - b.at.From })
	var found []*Problem
	for _, p := range problems {
		from, to := byteOffset(text, p.at.From), byteOffset(text, p.at.To)
		if p.at == (file.Location{}) {
			to = len(text)
		}
		found = append(found, &Problem{Offset: from, Length: max(to-from, 0), Message: p.message, Hint: p.hint})
	}
	return found
}

func byteOffset(text string, characters int) int {
	offset := 0
	for ; characters > 0 && offset < len(text); characters-- {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}
