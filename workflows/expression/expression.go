// Package expression is the language of conditions and templates: expr
// (github.com/expr-lang/expr) with more forgiving operators. An expression is compiled
// once, against the names that exist at its place, and then evaluated any number of
// times. It never acts; it reads the desktop only through a Probe.
//
// # The pipeline
//
//	normalise.go  text → text that expr can read, character for character, so
//	              that positions stay: typographic quotes become plain ones,
//	              ${{ }} becomes brackets, a hyphen in a known name a letter
//	parse.go      expr's lexer and parser make the syntax tree, expr's checker
//	              compares types, so a misspelled field is found at load
//	resolve.go    between the two, one walk over the tree binds names (names.go)
//	              and hides the types of operands that expr is stricter about
//	eval.go       walks the checked tree; walk.go has the functions over lists,
//	              functions.go and builtins.go the others, rules.go the rules
//	              below, budget.go the limits
//	problems.go   translates errors of expr into the words of the document
//
// text.go compiles strings with expressions in them.
//
// # Truth
//
// nil, false, 0, "", "false", "0", an empty list and an empty object are false. All
// else is true. This holds for conditions, operands of ?, &&, || and !, and the
// predicates of filter, any, all and the like.
//
// # Names
//
// A bare name is what the run set last under it: a field that a script returned, a value
// of set_env, or else the input. One that a step sets later has no value until then. One
// that nothing sets is an error when it is evaluated, unless the expression allows for
// that: name ?? other, coalesce(name, other), name == nil.
//
// # Equality, == and !=
//
//	written nil      true when the other side is missing
//	nil              false: a missing value equals nothing
//	boolean, string  true is "true" and "1", false is "false" and "0"
//	number, string   by value, when the string holds a number
//	others           by value, strictly, in depth; 1 is not true
//
// a != b is the opposite of a == b, so it is true for a missing value. In comparisons
// with a status, "executed_without_error" means "success".
//
// # Order, <, <=, > and >=
//
// true counts as 1, false and nil as 0, a string as the number that it holds. Only
// here a missing value counts as something, since documents rely on a counter that was
// never set being less than its limit. Two strings that do not both hold numbers are
// compared as strings. A string without a number is neither less than, greater than nor
// equal to a number. Lists and objects have no order; comparing them is an error.
//
// A date is compared with a string by the time that the string names: today, yesterday,
// 2h ago, 2026-01-31 or 2026-01-31T08:00:00Z, in the zone of the machine.
//
// # contains, startsWith, endsWith, matches, in
//
// They are false if a side is nil. Numbers and booleans count as their text. contains
// also finds an element of a list, by ==, and a key of an object. in is strict.
// contains, startsWith and endsWith can be written as calls.
//
// # Not
//
// A ! or not before a comparison negates the comparison: !a == 'x' is !(a == 'x'). In
// (!a) == 'x' it negates a.
//
// # Choosing
//
// a ?? b is b if a is missing. coalesce(a, b, …) is the first argument that is true, or
// else the last.
//
// # Limits
//
// An expression has at most 16 KiB and 2,000 parts. An evaluation makes at most 16 MiB
// of values and computes for at most a second; it ends early when its context does.
// Values have no methods: there is trim(a), but no a.trim(). Text.Eval does not quote
// values; for a shell or a script, the caller puts the result of Text.Values into
// variables.
package expression

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/google/jsonschema-go/jsonschema"
)

// Names are the names that an expression may use at one position of a document.
type Names struct {
	// Inputs are the declared inputs, by name, with the schemas of their values.
	Inputs map[string]*jsonschema.Schema
	// OpenInputs says that inputs are not declared, so any name may be one, written
	// inputs.NAME or NAME.
	OpenInputs bool
	// Set are the names that a step of the document sets, or whose word its script holds.
	Set map[string]bool
	// OpenSet says that a script may set further names, which cannot be known before.
	OpenSet   bool
	Selectors []string
	// Steps are the ids of steps, with the schemas of their results (nil: unknown).
	Steps map[string]*jsonschema.Schema
	// Loops are the loops around the expression, the innermost last.
	Loops []Loop
	// Screen allows exists() and text().
	Screen bool
	// CheckSelector returns what is wrong with a selector that an expression holds as a
	// text, and how to correct it; nil: nothing is checked before a run.
	CheckSelector func(selector string) (wrong, hint string)
	// Braces says that {{ }} around what is no expression is text, as in a script of
	// another program.
	Braces bool
}

// Loop is the name that a loop gives to its element, and the element's schema.
type Loop struct {
	As      string
	Element *jsonschema.Schema // nil: anything
}

// Scope holds the values of the names while a run is at one step.
type Scope struct {
	Inputs    map[string]any
	Env       map[string]any
	Selectors map[string]any
	Steps     map[string]StepScope // only steps with an outcome
	Run       RunScope
	Loops     []LoopScope // the innermost last
	Failing   bool        // the value of failure(); success() is its inverse
}

// StepScope is the outcome of a step, as expressions see it.
type StepScope struct {
	Result   any    // nil if it has none
	Status   string // success, error, skipped, cancelled
	Error    any    // nil, or an object with code and message
	Attempts int
}

// RunScope is the value of `run`.
type RunScope struct {
	ID       string
	Attempt  int
	Workflow string
}

// LoopScope is one round of a loop.
type LoopScope struct {
	As    string
	Value any
	Index int
}

// A Probe looks at the desktop for exists() and text().
type Probe interface {
	Exists(ctx context.Context, selector string) (bool, error)
	Text(ctx context.Context, selector string) (string, error)
}

// Problem is one thing that is wrong with an expression, and its position in it.
type Problem struct {
	Offset, Length int // in bytes of the text that was compiled
	Message        string
	Hint           string
}

// Expr is a compiled expression. It is immutable, and can be evaluated by several
// goroutines at once.
type Expr struct {
	text   string
	root   ast.Node
	bound  map[ast.Node]*binding
	allow  map[ast.Node]bool // names that may be without a value
	vain   []string          // comparisons that can never hold
	looks  bool
	always bool
}

// Compile parses and checks an expression. The problems are in the order of the text.
// An expression with problems cannot be evaluated.
func Compile(text string, n *Names) (*Expr, []*Problem) {
	x := &Expr{text: strings.TrimSpace(text)}
	return x, inBytes(text, x.compile(text, cmp.Or(n, &Names{})))
}

// Eval returns the value: nil, a bool, a float64, a string, a []any or a map[string]any.
// The value may share parts with the scope, so callers must not change it.
func (x *Expr) Eval(ctx context.Context, s *Scope, p Probe) (any, error) {
	return x.evaluate(ctx, s, p, (*evaluation).plain)
}

// Holds reports whether a condition is true, by the rules of truth.
func (x *Expr) Holds(ctx context.Context, s *Scope, p Probe) (bool, error) {
	v, err := x.evaluate(ctx, s, p, func(_ *evaluation, v any) any { return truth(v) })
	return err == nil && v.(bool), err
}

// Looks reports whether the expression asks the desktop.
func (x *Expr) Looks() bool { return x.looks }

// Always reports whether the expression calls always() or failure().
func (x *Expr) Always() bool { return x.always }

func (x *Expr) String() string { return x.text }

// A Doubt is something that the language allows, and that is likely a mistake.
type Doubt struct{ Message, Hint string }

// Doubts returns what is likely a mistake in the expression: names that nothing in the
// document sets, and comparisons that never hold.
func (x *Expr) Doubts() (found []Doubt) {
	for n, b := range x.bound {
		if b.unset != "" && !x.allow[n] {
			found = append(found, Doubt{fmt.Sprintf("nothing in this document sets %s: unless a run is given it, or a script sets it, the step fails", b.unset), b.hint})
		}
	}
	for _, comparison := range x.vain {
		found = append(found, Doubt{comparison, "a status is success, error, skipped or cancelled; that of validate_element is success or failed"})
	}
	slices.SortFunc(found, func(a, b Doubt) int { return strings.Compare(a.Message, b.Message) })
	return slices.Compact(found)
}
