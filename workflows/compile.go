// Package workflows defines the workflow document: how it is written, parsed,
// checked and compiled. Compile turns a text into a Program, or reports everything
// that is wrong with it, each problem at its position. The keys of a document are
// declared once, in document.go; the parser, the formatter and the published schema
// are derived from that. The package runs nothing.
package workflows

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
	"understudy/workflows/expression"
)

// CompileOptions are what documents are compiled against.
type CompileOptions struct {
	Kinds []steps.Kind
	Load  Loader // nil: calls of other documents are refused
}

// Compile reads and checks a document. Its error is an *InvalidError with all
// problems of this document and of those that it calls.
func Compile(src Source, o CompileOptions) (*Program, error) {
	r := &report{root: newFile(Source{Name: src.Name}).name}
	c := &compiler{
		options: o, report: r,
		kinds: make(map[string]*steps.Kind, len(o.Kinds)),
		done:  map[string]*Program{},
	}
	for i := range o.Kinds {
		c.kinds[o.Kinds[i].Name] = &o.Kinds[i]
	}
	p := c.program(src)
	if err := r.err(); err != nil {
		return nil, err
	}
	p.Loaded, p.Notes = c.loaded, r.sortedNotes()
	return p, nil
}

// compiler holds what the documents of one Compile share.
type compiler struct {
	options CompileOptions
	report  *report
	kinds   map[string]*steps.Kind
	open    []string            // the names of the documents being compiled, each called by the one before
	done    map[string]*Program // by name; nil for one with problems
	loaded  []Loaded
	steps   int
	exprs   int
}

// unit is the compilation of one document.
type unit struct {
	*compiler
	src     Source
	doc     *document
	program *Program
	targets *targets
	results map[string]*jsonschema.Schema // of the steps, by id
	// declared are the results without the fields that only other programs ask for.
	declared map[string]*jsonschema.Schema
	inputs   map[string]*jsonschema.Schema
	names    []string        // of the selectors
	set      map[string]bool // names that the document sets
	openSet  bool            // a script may set more
	loose    bool            // name: of a selector means a part of a name too
	parser   *outputParser   // of the results of the document at url
}

func (c *compiler) program(src Source) *Program {
	root := read(src, c.report)
	t := &translator{report: c.report, kinds: c.kinds}
	t.translate(root)
	doc := decodeDocument(root, c.report)
	if doc == nil {
		return nil
	}
	u := &unit{
		compiler: c, src: src, doc: doc, results: map[string]*jsonschema.Schema{}, declared: map[string]*jsonschema.Schema{},
		loose:   t.loose,
		parser:  t.parser,
		program: &Program{Source: src, ids: map[string]*Node{}},
	}
	u.program.addHash(string(src.Text))
	depth := len(c.open)
	c.open = append(c.open, src.Name)
	defer func() { c.open = c.open[:depth] }()
	if doc.URL != nil && !u.fetch() {
		return nil
	}
	u.compile()
	return u.program
}

// decodeDocument decodes a document, or the one in a tool call. It returns nil if there
// is none.
func decodeDocument(root *value, r *report) *document {
	if root == nil {
		return nil
	}
	if root.sort != sortObject {
		r.add(root.position, "start it with: steps:", "a workflow is an object with keys, found %s", root)
		return nil
	}
	if root.get("tool_name") == nil {
		doc := &document{}
		decodeObject(root, reflect.ValueOf(doc).Elem(), r)
		return doc
	}
	wrapper := &call{}
	decodeObject(root, reflect.ValueOf(wrapper).Elem(), r)
	return wrapper.Arguments
}

// compile fills the program. It collects the ids first, because an expression or a
// jump may name one that comes later.
func (u *unit) compile() {
	u.variables()
	u.targets = targetsOf(u.doc, u.report)
	u.targets.check()
	u.countSteps()
	u.collectSet()
	for id, t := range u.targets.byID {
		u.results[id], u.declared[id] = nil, nil
		if k := u.kinds[t.step.ToolName.str()]; k != nil {
			u.results[id], u.declared[id] = u.resultOf(k), k.Result()
		}
	}
	top := u.scope(nil)
	p := u.program
	p.Name, p.Description = cmp.Or(u.doc.Name.str(), FileName(u.src.Name)), u.doc.Description.str()
	p.Inputs, _ = u.doc.Inputs.plain().(map[string]any)
	u.checkGiven()
	p.Selectors = u.selectors()
	p.Options.WindowManagement = u.doc.windowOptions()
	p.Steps = u.nodes(u.doc.Steps, "", top)
	p.Troubleshooting = u.nodes(u.doc.Trouble, "troubleshooting.", top)
	p.Finally = u.nodes(u.doc.Finally, "finally.", top)
	p.Output = u.output(top)
	p.Options = u.runOptions()
	p.Walk(func(*Node) { p.size++ })
	u.since()
}

// resultOf returns the schema of the results of a kind. In documents of other programs a
// field that a result does not have is no mistake: it is missing, and so not equal to
// anything.
func (u *unit) resultOf(k *steps.Kind) *jsonschema.Schema {
	if !u.loose || k.Result() == nil {
		return k.Result()
	}
	open := *k.Result()
	open.AdditionalProperties = &jsonschema.Schema{}
	return &open
}

// countSteps adds to the number of steps of all documents, and reports when the limit is
// passed.
func (u *unit) countSteps() {
	before := u.steps
	u.compiler.steps += len(u.targets.all)
	if before <= MaxSteps && u.steps > MaxSteps {
		at := u.targets.all[MaxSteps-before].step.at.position
		u.report.add(at, "split the workflow into several runs", "there are more than %d steps, called workflows included", MaxSteps)
	}
}

// scope is what an expression may name at its place in the document.
type scope struct {
	names     *expression.Names
	loops     []expression.Loop
	arguments *value // those of the step, while they are compiled
	exposed   *value // the one of them that becomes a command line
}

// scope returns the scope inside these loops.
func (u *unit) scope(loops []expression.Loop) *scope {
	return &scope{loops: loops, names: &expression.Names{
		Inputs: u.inputs, OpenInputs: u.program.Options.InputsAreOpen, Set: u.set, OpenSet: u.openSet,
		Selectors: u.names, Steps: u.results, Loops: loops, Screen: true, CheckSelector: checkSelector,
	}}
}

// checkSelector returns what is wrong with a selector, and how to correct it.
func checkSelector(text string) (wrong, hint string) {
	if problems := steps.CheckValue(oneSelector, text); len(problems) > 0 {
		return problems[0].Message, problems[0].Hint
	}
	return "", ""
}

var oneSelector = &jsonschema.Schema{Type: "string", Format: "selector"}

func (u *unit) expr(v *value, s *scope) *expression.Expr {
	if v == nil || !u.affords(v, 1) {
		return nil
	}
	e, problems := expression.Compile(v.written(), s.names)
	if u.wrong(v, problems) {
		return nil
	}
	if u.loose {
		_, problems = expression.Compile(v.written(), u.closed(s.names))
		u.misspeltFields(v, problems)
	}
	u.doubt(v, e.Doubts())
	return e
}

// closed returns names with results that have no other fields than their kinds declare.
func (u *unit) closed(n *expression.Names) *expression.Names {
	names := *n
	names.Steps = u.declared
	return &names
}

// misspeltFields reports the problems of fields that are likely misspelt, which no
// document means.
func (u *unit) misspeltFields(v *value, problems []*expression.Problem) {
	for _, p := range problems {
		if strings.HasPrefix(p.Message, "there is no field") && strings.HasPrefix(p.Hint, "did you mean") {
			u.report.add(v.within(p.Offset, p.Length), p.Hint, "%s", p.Message)
		}
	}
}

// doubt notes what is likely a mistake in an expression.
func (u *unit) doubt(v *value, doubts []expression.Doubt) {
	for _, d := range doubts {
		u.report.note(v.position, d.Hint, "%s", d.Message)
	}
}

// affords counts n expressions of a value, and reports whether they may be compiled:
// no text of the allowed size must take long.
func (u *unit) affords(v *value, n int) bool {
	before := u.exprs
	u.compiler.exprs += n
	if before <= maxExprs && u.exprs > maxExprs {
		u.report.add(v.position, "split the workflow into several runs", "there are more than %d expressions, called workflows included", maxExprs)
	}
	if n > maxHoles {
		u.report.add(v.position, "make a list, and join it in one expression", "the text holds more than %d expressions", maxHoles)
	}
	return u.exprs <= maxExprs && n <= maxHoles && !u.report.full() &&
		!(len(u.results) > manyWords && u.report.enough(len(u.results)))
}

// written returns the text of a scalar, as an expression.
func (v *value) written() string {
	if v.sort == sortTruth {
		return strconv.FormatBool(v.truth)
	}
	return v.text
}

// wrong reports the problems of an expression, and whether there are any.
func (u *unit) wrong(v *value, problems []*expression.Problem) bool {
	for _, p := range problems {
		u.report.add(v.within(p.Offset, p.Length), p.Hint, "%s", p.Message)
	}
	return len(problems) > 0
}

func (u *unit) output(s *scope) *Output {
	switch v := u.doc.Output; {
	case v == nil:
		return nil
	case v.sort == sortObject:
		o := &Output{Named: make(map[string]*expression.Expr, len(v.entries))}
		for _, e := range v.entries {
			if isScript[e.key.text] {
				u.report.add(e.key.position, "write it under javascript_code, or name its file under javascript_file_path", "output has no script")
				return nil
			}
			o.Named[e.key.text] = u.expr(e.value, s)
		}
		return o
	default:
		return &Output{Value: u.expr(v, s)}
	}
}

// isScript holds the keys of an output that other systems run as JavaScript.
var isScript = map[string]bool{"javascript_code": true, "javascript_file_path": true, "ui_tree_source_step_id": true}
