// Package expression is the language of conditions and templates: expr, with
// the few forgiving rules that users of other sequencers rely on. An
// expression is compiled once, against the names that exist where it stands,
// and is then evaluated any number of times. It never acts: what it asks of
// the desktop goes through a Probe.
//
// # How it is read
//
// The text is normalised character for character, so that every place keeps
// its number: typographic quotes that delimit a string become plain ones,
// unusual blanks become blanks, ${{ }} around an expression becomes brackets,
// and a hyphen in a known name becomes a letter. Then expr parses it. The tree
// is read twice. First operators become forgiving functions, names are looked
// up, and expr's checker compares types, so a misspelled field is found at
// load. Then members become calls that give nil where there is nothing, and
// whatever can take long or grow large becomes a call that counts.
//
// # Truth
//
// nil, false, 0, "", "false", "0", an empty list and an empty object are
// false. All else is true. So it is in conditions, before ?, beside && and ||,
// after !, and in the predicates of filter, any, all and their kin.
//
// # Equality, == and !=
//
//	written nil      true when the other side is missing
//	nil              false: a value that is missing equals nothing
//	boolean, string  true is "true" and "1", false is "false" and "0"
//	number, string   by value, when the string holds a number
//	others           by value, strictly, in depth; 1 is not true
//
// a != b is the opposite of a == b, so it is true of a value that is missing.
// A status that is compared with "executed_without_error" is compared with
// "success".
//
// # Order, <, <=, > and >=
//
// true counts as 1, false and nil as 0, a string as the number that it holds.
// Here, and only here, a missing value counts as something, since documents
// rely on a counter that was never set being less than its limit. Two strings
// that do not both hold numbers are compared as strings. A string without a
// number is neither less than, more than nor equal to a number. Lists and
// objects have no order; to compare them is an error.
//
// # contains, startsWith, endsWith, matches, in
//
// They are false when a side is nil. Numbers and booleans count as their text.
// contains also finds an element of a list, by ==, and a key of an object. in
// is strict. contains, startsWith and endsWith can be written as calls.
//
// # Not
//
// A ! or not in front of a comparison negates the comparison: !a == 'x' is
// !(a == 'x'). (!a) == 'x' is what it says.
//
// # Choosing
//
// a ?? b is b when a is missing. coalesce(a, b, …) is the first that is true,
// or else the last.
//
// # Limits
//
// An expression has at most 16 KiB and 2,000 parts. An evaluation makes at
// most 16 MiB of values and computes for at most a second; it ends early when
// its context does. A value has no functions of its own: there is trim(a), but
// no a.trim(). Values are not quoted for whatever reads a Text, unless its
// caller does it with EvalQuoted.
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
