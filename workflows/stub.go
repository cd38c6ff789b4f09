package workflows

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
	"understudy/workflows/expression"
)

// Template is a value in which strings hold expressions.
type Template struct{}

// Eval gives the value, with every expression replaced.
func (t *Template) Eval(ctx context.Context, s *expression.Scope, p expression.Probe) (any, error) {
	return nil, nil
}

// Looks says whether evaluating it asks the desktop.
func (t *Template) Looks() bool { return false }

// Variable is a declared input.
type Variable struct {
	Name        string
	Type        string
	Label       string
	Description string
	Default     any
	HasDefault  bool
	Required    bool
	Secret      bool
	Regex       string
	Options     []any
	Schema      *jsonschema.Schema // of its value
}

// CheckInputs says what is wrong with given inputs, and completes them with the defaults.
func (p *Program) CheckInputs(given map[string]any) (map[string]any, []steps.Problem) {
	return given, nil
}

// Missing are the required variables that have no value.
func (p *Program) Missing(given map[string]any) []Variable { return nil }

// CompileOptions say what a document is compiled against.
type CompileOptions struct {
	Kinds []steps.Kind
	Load  Loader // nil: calls of other documents are refused
}

// Compile understands a document. Its error is an *InvalidError that holds everything that is wrong.
func Compile(src Source, o CompileOptions) (*Program, error) { return nil, nil }

// Single is the program of one step, with arguments as they are.
func Single(k steps.Kind, args map[string]any) *Program { return nil }
