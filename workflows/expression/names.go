package expression

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"
)

// roots are the names that always mean the same; an input with one of these
// names is reached through inputs.
var roots = []string{"inputs", "env", "selectors", "steps", "run", "index"}

// keywords are the names that the language itself uses.
var keywords = []string{
	"true", "false", "nil", "not", "and", "or", "in", "let", "if", "else",
	"matches", "contains", "startsWith", "endsWith",
}

// Reserved says whether a name means something else than an input of that
// name, so that the input can only be written as inputs.NAME.
func Reserved(name string) bool {
	return slices.Contains(roots, name) || slices.Contains(keywords, name)
}

type place int

const (
	allInputs place = iota
	oneInput
	allEnv
	oneEnv
	allSelectors
	oneSelector
	allSteps
	oneStep
	stepResult
	stepStatus
	stepError
	stepAttempts
	theRun
	loopValue
	loopIndex
)

// A source says where the value of a name comes from.
type source struct {
	place place
	key   string
}

// isStatus says whether the value is the status of a step.
func (s *source) isStatus() bool { return s != nil && s.place == stepStatus }

// resolve finds what a bare name stands for; nil when it stands for nothing.
func (n *Names) resolve(name string) (*source, types.Type) {
	switch name {
	case "inputs":
		return &source{place: allInputs}, types.Map{types.Extra: types.Any}
	case "env":
		return &source{place: allEnv}, types.Map{types.Extra: types.Any}
	case "selectors":
		return &source{place: allSelectors}, types.Map{types.Extra: types.String}
	case "steps":
		return &source{place: allSteps}, types.Map{types.Extra: types.Any}
	case "run":
		return &source{place: theRun}, runType
	case "index":
		if len(n.Loops) == 0 {
			return nil, nil
		}
		return &source{place: loopIndex}, types.Float64
	}
	for i := len(n.Loops) - 1; i >= 0; i-- {
		if n.Loops[i].As == name {
			return &source{loopValue, name}, typeOf(n.Loops[i].Element)
		}
	}
	return n.resolveOutcome(name)
}

// resolveOutcome finds ID_result, ID_status and the inputs.
func (n *Names) resolveOutcome(name string) (*source, types.Type) {
	if id, ok := strings.CutSuffix(name, "_result"); ok {
		if schema, ok := n.Steps[id]; ok {
			return &source{stepResult, id}, typeOf(schema)
		}
	}
	if id, ok := strings.CutSuffix(name, "_status"); ok {
		if _, ok := n.Steps[id]; ok {
			return &source{stepStatus, id}, types.String
		}
	}
	if schema, ok := n.Inputs[name]; ok {
		return &source{oneInput, name}, typeOf(schema)
	}
	if n.OpenInputs && !likelyMistaken(name) {
		return &source{oneInput, name}, types.Any
	}
	return nil, nil
}

// likelyMistaken says whether a name that nobody declared is more likely a
// slip than an input: where inputs are open, slips would never be found.
func likelyMistaken(name string) bool {
	return strings.HasSuffix(name, "_result") || strings.HasSuffix(name, "_status") || isNull(name) || name == "$env"
}

func isNull(name string) bool { return name == "null" || name == "undefined" || name == "None" }

var runType = types.Map{"id": types.String, "attempt": types.Float64, "workflow": types.String}

// member finds what a field of one of the roots stands for. The second result
// lists what may be written there; it is nil when anything may.
func (n *Names) member(root place, field string) (types.Type, []string) {
	switch root {
	case allInputs:
		if schema, ok := n.Inputs[field]; ok {
			return typeOf(schema), nil
		}
		if !n.OpenInputs {
			return nil, keysOf(n.Inputs)
		}
	case allSelectors:
		if !slices.Contains(n.Selectors, field) {
			return nil, append([]string{}, n.Selectors...)
		}
		return types.String, nil
	case allSteps:
		schema, ok := n.Steps[field]
		if !ok {
			return nil, keysOf(n.Steps)
		}
		return stepType(typeOf(schema)), nil
	}
	return types.Any, nil
}

func stepType(result types.Type) types.Type {
	return types.Map{
		"result": result, "status": types.String, "attempts": types.Float64,
		"error": types.Map{"code": types.String, "message": types.String, types.Extra: types.Any},
	}
}

// known lists every bare name, to find the nearest to one that is unknown.
func (n *Names) known() []string {
	all := append([]string{}, roots[:len(roots)-1]...)
	for _, l := range n.Loops {
		all = append(all, l.As)
	}
	if len(n.Loops) > 0 {
		all = append(all, "index")
	}
	for id := range n.Steps {
		all = append(all, id+"_result", id+"_status")
	}
	return append(all, keysOf(n.Inputs)...)
}

// hyphened says whether a word with hyphens is a name, so that it is not read
// as a subtraction.
func (n *Names) hyphened(word string, member bool) bool {
	if _, ok := n.Inputs[word]; ok {
		return true
	}
	if member {
		_, ok := n.Steps[word]
		return ok || slices.Contains(n.Selectors, word)
	}
	for _, l := range n.Loops {
		if l.As == word {
			return true
		}
	}
	for _, suffix := range []string{"_result", "_status"} {
		if id, ok := strings.CutSuffix(word, suffix); ok {
			if _, ok := n.Steps[id]; ok {
				return true
			}
		}
	}
	return false
}

// functionNames lists what can be called.
func functionNames() []string {
	all := keysOf(ours)
	for name := range builtin.Index {
		all = append(all, name)
	}
	return all
}

func keysOf[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
