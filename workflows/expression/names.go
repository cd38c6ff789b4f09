package expression

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"
	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
)

// roots are the names with a fixed meaning. An input of such a name is written
// inputs.NAME. The last exists only inside a loop.
var roots = []string{"inputs", "env", "selectors", "steps", "run", "index"}

// A binding is the meaning of a name, or of a field of a root.
type binding struct {
	typ    types.Type         // for the checker
	load   func(s *Scope) any // returns nil for a missing value
	root   string             // the root whose fields have bindings too, or "step"
	step   string             // the id, if root is "step"
	status bool               // whether it is the status of a step
	checks bool               // whether that step only says whether something is there
	secret bool               // whether it is an input whose schema is write-only
	bytes  int                // the approximate size of an object that load makes
	unset  string             // the name, if nothing in the document sets it; then a run may lack it
	hint   string             // to the name that was meant
}

// bytesOfStep is the approximate size of an object made from a step.
const bytesOfStep = 640

// resolve returns the binding of a bare name, or nil if it has none.
func (n *Names) resolve(name string) *binding {
	switch name {
	case "inputs":
		return &binding{root: name, typ: anyField(types.Any), load: func(s *Scope) any { return orEmpty(s.Inputs) }}
	case "env":
		return &binding{root: name, typ: anyField(types.Any), load: func(s *Scope) any { return orEmpty(s.Env) }}
	case "selectors":
		return &binding{root: name, typ: anyField(types.String), load: func(s *Scope) any { return orEmpty(s.Selectors) }}
	case "steps":
		return &binding{root: name, typ: anyField(types.Any), load: allSteps, bytes: bytesOfStep}
	case "run":
		return &binding{typ: runType, load: runObject, bytes: bytesOfStep}
	case "index":
		if len(n.Loops) == 0 {
			return nil
		}
		return &binding{typ: types.Float64, load: func(s *Scope) any {
			if len(s.Loops) == 0 {
				return nil
			}
			return float64(s.Loops[len(s.Loops)-1].Index)
		}}
	}
	for _, l := range slices.Backward(n.Loops) {
		if l.As == name {
			return &binding{typ: typeOf(l.Element), load: func(s *Scope) any { return loopElement(s, name) }}
		}
	}
	return n.resolveOutcome(name)
}

func anyField(t types.Type) types.Map { return types.Map{types.Extra: t} }

// resolveOutcome is resolve for ID_result, ID_status and the inputs.
func (n *Names) resolveOutcome(name string) *binding {
	for _, field := range []string{"result", "status"} {
		if id, ok := strings.CutSuffix(name, "_"+field); ok {
			if schema, ok := n.Steps[id]; ok {
				return fieldOfStep(id, field, stepType(schema)[field], schema)
			}
		}
	}
	return n.resolveValue(name)
}

// resolveValue is resolve for inputs and for what steps set.
func (n *Names) resolveValue(name string) *binding {
	schema, declared := n.Inputs[name]
	switch {
	case declared && n.Set[name]:
		return bindValue(name, nil, schema)
	case declared:
		return bindValue(name, schema, schema)
	case n.Set[name]:
		return bindValue(name, nil, nil)
	case likelyMistaken(name) || !n.OpenInputs && !n.OpenSet:
		return nil
	}
	b := bindValue(name, nil, nil)
	b.unset = name
	if meant := words.Nearest(name, n.known()); meant != "" {
		if !n.OpenInputs { // more likely a mistake than what a script computes
			return nil
		}
		b.hint = fmt.Sprintf("did you mean %s?", meant)
	}
	return b
}

// bindValue returns the binding of a bare name whose value has a type, if it is known.
func bindValue(name string, typ, input *jsonschema.Schema) *binding {
	return &binding{typ: typeOf(typ), secret: input != nil && input.WriteOnly, load: func(s *Scope) any {
		if v, ok := s.Env[name]; ok {
			return v
		}
		return s.Inputs[name]
	}}
}

func bindInput(name string, schema *jsonschema.Schema) *binding {
	return &binding{typ: typeOf(schema), secret: schema != nil && schema.WriteOnly, load: func(s *Scope) any { return s.Inputs[name] }}
}

// likelyMistaken reports whether an undeclared name is more likely a mistake than an
// input. Otherwise mistakes would never be found where inputs are open.
func likelyMistaken(name string) bool {
	return strings.HasSuffix(name, "_result") || strings.HasSuffix(name, "_status") || isNull(name) || name == "$env" || name == "variables"
}

func isNull(name string) bool { return name == "null" || name == "undefined" || name == "None" }

// field returns the binding of a field of a root. If the root has no such field, known
// lists its fields; both are nil if the root does not bind its fields.
func (n *Names) field(of *binding, name string) (b *binding, known []string) {
	switch of.root {
	case "inputs":
		schema, ok := n.Inputs[name]
		if !ok && !n.OpenInputs {
			return nil, keysOf(n.Inputs)
		}
		return bindInput(name, schema), nil
	case "env":
		return &binding{load: func(s *Scope) any {
			if _, set := s.Env[name]; name == "inputs" && !set { // as documents of other programs write it
				return orEmpty(s.Inputs)
			}
			return s.Env[name]
		}}, nil
	case "selectors":
		if !slices.Contains(n.Selectors, name) {
			return nil, append([]string{}, n.Selectors...)
		}
		return &binding{typ: types.String, load: func(s *Scope) any { return s.Selectors[name] }}, nil
	case "steps":
		schema, ok := n.Steps[name]
		if !ok {
			return nil, keysOf(n.Steps)
		}
		return &binding{root: "step", step: name, typ: stepType(schema), bytes: bytesOfStep, load: func(s *Scope) any {
			if step, ok := s.Steps[name]; ok {
				return step.object()
			}
			return nil
		}}, nil
	case "step":
		return fieldOfStep(of.step, name, nil, n.Steps[of.step]), nil
	}
	return nil, nil
}

func fieldOfStep(id, field string, typ types.Type, result *jsonschema.Schema) *binding {
	read, checked := stepFields[field], saysChecked(result)
	if read == nil {
		return nil
	}
	return &binding{typ: typ, status: field == "status", checks: result == nil || result.Properties["exists"] != nil, load: func(s *Scope) any {
		step, ok := s.Steps[id]
		if !ok {
			return nil
		}
		return read(step, checked)
	}}
}

var stepFields = map[string]func(s StepScope, checked bool) any{
	"result":   func(s StepScope, checked bool) any { return withReturned(withVerified(s.Result, checked)) },
	"status":   func(s StepScope, _ bool) any { return s.status() },
	"error":    func(s StepScope, _ bool) any { return s.Error },
	"attempts": func(s StepScope, _ bool) any { return float64(s.Attempts) },
}

func stepType(result *jsonschema.Schema) types.Map {
	typ := typeOf(result)
	if fields, ok := typ.(types.Map); ok && saysChecked(result) {
		fields["verified"] = types.Bool
	}
	return types.Map{
		"result": typ, "status": types.String, "attempts": types.Float64,
		"error": types.Map{"code": types.String, "message": types.String, types.Extra: types.Any},
	}
}

// saysChecked reports whether results have the field checked, which says whether the
// step read back its effect.
func saysChecked(result *jsonschema.Schema) bool {
	return result != nil && result.Properties["checked"] != nil
}

// withReturned adds the fields of the object that a script returned to those of its
// result, which count before them.
func withReturned(result any) any {
	m, _ := result.(map[string]any)
	returned, ok := m["result"].(map[string]any)
	if _, script := m["exit_code"]; !ok || !script {
		return result
	}
	all := maps.Clone(returned)
	maps.Copy(all, m)
	return all
}

// withVerified adds the field verified, which documents used before there was checked.
// Results that were stored then have it.
func withVerified(result any, declared bool) any {
	m, ok := result.(map[string]any)
	checked, has := m["checked"]
	_, old := m["verified"]
	if !ok || old || !has && !declared || m["$artifact"] != nil {
		return result
	}
	c := maps.Clone(m)
	c["verified"] = checked == "yes"
	return c
}

// status returns the status as expressions see it: a step that only says whether
// something is there, and found nothing, has failed, although that is no failure of the run.
func (s StepScope) status() string {
	if m, ok := s.Result.(map[string]any); ok && s.Status == "success" && m["exists"] == false {
		return "failed"
	}
	return s.Status
}

func (s StepScope) object() map[string]any {
	return map[string]any{"result": withVerified(s.Result, false), "status": s.status(), "error": s.Error, "attempts": float64(s.Attempts)}
}

func allSteps(s *Scope) any {
	all := make(map[string]any, len(s.Steps))
	for id, step := range s.Steps {
		all[id] = step.object()
	}
	return all
}

var runType = types.Map{"id": types.String, "attempt": types.Float64, "workflow": types.String}

func runObject(s *Scope) any {
	return map[string]any{"id": s.Run.ID, "attempt": float64(s.Run.Attempt), "workflow": s.Run.Workflow}
}

func loopElement(s *Scope, as string) any {
	for _, l := range slices.Backward(s.Loops) {
		if l.As == as {
			return l.Value
		}
	}
	return nil
}

// Values returns every bare name that has a value, with that value: the selectors, the
// inputs, what the run set since, the results and statuses of steps as ID_result and
// ID_status, and the elements of the loops. It is what scripts see, and what a bare name
// of an expression means; where two have one name, the later of this list counts.
func (s *Scope) Values() map[string]any {
	all := map[string]any{}
	if len(s.Selectors) > 0 {
		all["selectors"] = s.Selectors
	}
	maps.Copy(all, s.Inputs)
	maps.Copy(all, s.Env)
	for id, step := range s.Steps {
		all[id+"_status"] = step.status()
		if step.Result != nil {
			all[id+"_result"] = withReturned(withVerified(step.Result, false))
		}
	}
	for _, l := range s.Loops {
		if all["index"] = float64(l.Index); l.As != "" {
			all[l.As] = l.Value
		}
	}
	return all
}

func orEmpty(object map[string]any) map[string]any {
	if object == nil {
		return map[string]any{}
	}
	return object
}

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
	return append(append(all, keysOf(n.Inputs)...), keysOf(n.Set)...)
}

// hyphened holds the names with hyphens, which are no subtractions.
type hyphened struct {
	bare   map[string]bool
	fields map[string]bool // of the roots
}

func (n *Names) hyphened() *hyphened {
	h := &hyphened{map[string]bool{}, map[string]bool{}}
	add := func(to map[string]bool, name string) {
		if strings.Contains(name, "-") {
			to[name] = true
		}
	}
	for name := range n.Inputs {
		add(h.bare, name)
		add(h.fields, name)
	}
	for name := range n.Set {
		add(h.bare, name)
		add(h.fields, name)
	}
	for id := range n.Steps {
		add(h.bare, id+"_result")
		add(h.bare, id+"_status")
		add(h.fields, id)
	}
	for _, l := range n.Loops {
		add(h.bare, l.As)
	}
	for _, s := range n.Selectors {
		add(h.fields, s)
	}
	return h
}

func functionNames() []string { return append(ours(), builtin.Names...) }

func keysOf[V any](m map[string]V) []string {
	return slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
}

// maxSchemaDepth is the depth to which fields are checked at load. Deeper ones may have
// any type.
const maxSchemaDepth = 12

// typeOf returns the type of a schema's values for expr's checker: any type for a schema
// that it does not understand, so that nothing valid is refused.
func typeOf(s *jsonschema.Schema) types.Type { return typeAt(s, 0) }

func typeAt(s *jsonschema.Schema, depth int) types.Type {
	if s == nil || depth > maxSchemaDepth {
		return types.Any
	}
	switch soleType(s) {
	case "string":
		return types.String
	case "number", "integer":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		return types.Array(typeAt(s.Items, depth+1))
	case "object":
		return objectType(s, depth)
	}
	return types.Any
}

// soleType returns the type of a schema that has one apart from null, or "".
func soleType(s *jsonschema.Schema) string {
	if s.Type != "" {
		return s.Type
	}
	found := ""
	for _, t := range s.Types {
		switch {
		case t == "null":
		case found != "":
			return ""
		default:
			found = t
		}
	}
	return found
}

// objectType returns the type of an object. One that declares fields has no others,
// unless its schema describes those.
func objectType(s *jsonschema.Schema, depth int) types.Type {
	fields := types.Map{}
	for name, p := range s.Properties {
		fields[name] = typeAt(p, depth+1)
	}
	refusesMore := s.AdditionalProperties != nil && reflect.DeepEqual(s.AdditionalProperties.Not, &jsonschema.Schema{})
	declared := len(s.Properties) > 0 && s.AdditionalProperties == nil && len(s.PatternProperties) == 0
	if !refusesMore && !declared {
		fields[types.Extra] = types.Any
	}
	return fields
}
