// Package expression is the language of conditions and templates: expr, with
// the few forgiving rules that users of other sequencers rely on. An
// expression is compiled once, against the names that exist where it stands,
// and is then evaluated any number of times. It never acts: what it asks of
// the desktop goes through a Probe.
package expression

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
)

// Names says what an expression may name at one place of a document.
type Names struct {
	// Inputs are the declared inputs, by name, with the schemas of their values.
	Inputs map[string]*jsonschema.Schema
	// OpenInputs says that inputs are not declared, so any may be named, as
	// inputs.NAME or NAME.
	OpenInputs bool
	Selectors  []string
	// Steps are the ids of steps, with the schemas of their results; nil when
	// nothing is known of the result.
	Steps map[string]*jsonschema.Schema
	// Loops are the names of the loops around the place, the innermost last,
	// with the schemas of their elements (nil: anything).
	Loops []Loop
	// Screen says that exists() and text() may be called.
	Screen bool
}

// Loop is the name that a loop gives to its element.
type Loop struct {
	As      string
	Element *jsonschema.Schema
}

// Scope is what the names stand for while a run is at one place.
type Scope struct {
	Inputs    map[string]any
	Env       map[string]any
	Selectors map[string]any
	Steps     map[string]StepScope // only of steps that have an outcome
	Run       RunScope
	Loops     []LoopScope // the innermost last
	Failing   bool        // what failure() says; success() is its inverse
}

// StepScope is the outcome of a step, as expressions see it.
type StepScope struct {
	Result   any    // nil when it has none
	Status   string // success, error, skipped, cancelled
	Error    any    // nil, or an object with code and message
	Attempts int
}

// RunScope is what `run` stands for.
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

// Problem is one thing that is wrong with an expression, and where in it.
type Problem struct {
	Offset, Length int // in bytes of the text that was compiled
	Message        string
	Hint           string
}

func (p *Problem) Error() string {
	if p.Hint != "" {
		return p.Message + "; " + p.Hint
	}
	return p.Message
}
