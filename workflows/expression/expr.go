package expression

import "context"

// Expr is a compiled expression.
type Expr struct{ text string }

// Compile understands an expression.
func Compile(text string, n *Names) (*Expr, []*Problem) { return &Expr{text}, nil }

// Eval gives the value.
func (e *Expr) Eval(ctx context.Context, s *Scope, p Probe) (any, error) { return nil, nil }

// Holds evaluates a condition, by the forgiving rules of truth.
func (e *Expr) Holds(ctx context.Context, s *Scope, p Probe) (bool, error) { return false, nil }

// Looks says whether it asks the desktop.
func (e *Expr) Looks() bool { return false }

// Always says whether it calls always() or failure().
func (e *Expr) Always() bool { return false }

// String is the text that was compiled.
func (e *Expr) String() string { return e.text }

// Text is a string with ${{ expressions }} in it.
type Text struct{}

// HasTemplate says whether a string holds an expression.
func HasTemplate(text string) bool { return false }

// CompileText understands a string with expressions in it.
func CompileText(text string, n *Names) (*Text, []*Problem) { return &Text{}, nil }

// Eval gives the string, or the value itself when the string is one whole expression.
func (t *Text) Eval(ctx context.Context, s *Scope, p Probe) (any, error) { return nil, nil }

// Whole says whether the string is one whole expression.
func (t *Text) Whole() bool { return false }

// Looks says whether it asks the desktop.
func (t *Text) Looks() bool { return false }
