package workflows

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/workflows/expression"
)

const (
	maxCalls = 16      // nested calls of documents
	maxSize  = 100_000 // steps of all documents, those of a called one counted at each call
)

// Loaded is a document that another one named. A Program keeps all that it loaded, so
// that a run can be compiled again after the files have changed.
type Loaded struct {
	From   string `json:"from"` // the name of the document that names it
	Ref    string `json:"ref"`  // as it names it
	Source Source `json:"source"`
}

// LoaderOf returns a loader of documents that were loaded before, and of no others.
func LoaderOf(loaded []Loaded) Loader {
	return func(ref string, from Source) (Source, error) {
		for _, l := range loaded {
			if l.From == from.Name && l.Ref == ref {
				return l.Source, nil
			}
		}
		return Source{}, fmt.Errorf("%q was not part of the stored document", ref)
	}
}

// isProgram matches the names of workflows that are programs.
var isProgram = regexp.MustCompile(`\.(?:ts|tsx|js|mjs|cjs)$`)

// load loads the document that ref names, or reports why it cannot be loaded.
func (u *unit) load(ref *value) (src Source, ok bool) {
	refuse := func(hint, format string, args ...any) (Source, bool) {
		u.report.add(ref.position, hint, format, args...)
		return Source{}, false
	}
	switch {
	case ref == nil: // reported when it was read
		return Source{}, false
	case u.options.Load == nil:
		return refuse("write its steps here", "this document cannot call others")
	case isProgram.MatchString(ref.str()):
		return refuse("write the workflow as YAML or JSON: each createStep becomes a step with tool_name and arguments, or with tool_name: run_command and its code under engine: javascript; docs/migrating.md shows it", "workflows in TypeScript are not read here")
	case expression.HasTemplate(ref.str()):
		return refuse("write a name or a path", "the name of a workflow cannot hold expressions")
	}
	src, err := u.options.Load(ref.str(), u.src)
	if err != nil {
		return refuse("", "the workflow %q cannot be loaded: %v", words.Shorten(ref.str(), 100), err)
	}
	if i := slices.Index(u.open, src.Name); i >= 0 {
		chain := append(slices.Clone(u.open[i:]), src.Name)
		return refuse("a workflow that repeats steps uses while or jumps", "the workflow calls itself: %s", strings.Join(chain, " → "))
	}
	if len(u.open) >= maxCalls {
		return refuse("", "calls of workflows are nested more than %d deep", maxCalls)
	}
	l := Loaded{From: u.src.Name, Ref: ref.str(), Source: src}
	if !slices.ContainsFunc(u.loaded, func(x Loaded) bool { return x.From == l.From && x.Ref == l.Ref }) {
		u.compiler.loaded = append(u.compiler.loaded, l)
	}
	return src, true
}

// callNode compiles the call of another document. A document that is called several
// times is compiled once.
func (u *unit) callNode(n *Node, x *step, s *scope) {
	n.Type = CallNode
	n.Inputs = &Template{constant{map[string]any{}}}
	if src, ok := u.load(x.Workflow); ok {
		if _, known := u.done[src.Name]; !known {
			u.done[src.Name] = u.compiler.program(src)
		}
		n.Call = u.done[src.Name]
	}
	var schema *jsonschema.Schema
	if n.Call != nil {
		u.grow(n.Call.size, x.Workflow.position)
		schema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
		for _, v := range n.Call.Variables {
			schema.Properties[v.Name] = v.Schema
		}
		u.program.addHash(n.Call.Hash)
		n.Call.checkCall(x, u.report)
	}
	if x.Inputs != nil {
		n.Inputs = &Template{u.part(x.Inputs, schema, "inputs", s)}
	}
}

// grow adds to the number of steps, and reports when the limit is passed.
func (u *unit) grow(by int, at position) {
	before := u.program.size
	u.program.size = min(u.program.size+by, maxSize+1)
	if before <= maxSize && u.program.size > maxSize {
		u.report.add(at, "repeat a call in a loop, which counts once", "there are more than %d steps, those of each call included", maxSize)
	}
}

// addHash extends the hash of the program by more text.
func (p *Program) addHash(text string) {
	sum := sha256.Sum256([]byte(p.Hash + text))
	p.Hash = hex.EncodeToString(sum[:])
}

// checkCall checks the inputs of a call against the variables of the program.
func (p *Program) checkCall(x *step, r *report) {
	if x.Inputs != nil {
		p.checkInputs(x.Inputs, r)
	}
	for _, v := range p.Missing(nil) {
		if in := x.Inputs.get(v.Name); in == nil || in.sort == sortNull {
			r.add(x.Workflow.position, fmt.Sprintf("add inputs: {%s: …}", v.Name), "the workflow %q needs the input %s", words.Shorten(x.Workflow.str(), 60), v.Name)
		}
	}
}

// fetch loads the document that url names. Its keys stand for those that this
// document does not have.
func (u *unit) fetch() bool {
	ref := u.doc.URL
	if scheme, _, ok := strings.Cut(ref.str(), "://"); ok && scheme != "file" {
		u.report.add(ref.position, "use file://…, or the name of a saved workflow", "workflows are not fetched from %s", words.Shorten(scheme, 20))
		return false
	}
	if len(u.doc.besideURL()) > 0 {
		return false // reported when it was read
	}
	src, ok := u.load(ref)
	if !ok {
		return false
	}
	root := read(src, u.report)
	t := &translator{report: u.report, kinds: u.kinds, parser: u.parser}
	t.translate(root)
	other := decodeDocument(root, u.report)
	if other == nil {
		return false
	}
	if other.URL != nil {
		u.report.add(other.URL.position, "name the last document directly", "the document at a url has a url itself")
		return false
	}
	u.overlay(other)
	u.loose = t.loose
	u.program.addHash(string(src.Text))
	u.src = src
	u.open = append(u.open, src.Name)
	return true
}

// overlay takes the keys that this document does not have from the other.
func (u *unit) overlay(other *document) {
	supplement(reflect.ValueOf(u.doc).Elem(), reflect.ValueOf(other).Elem())
	u.doc.Inputs = union(u.doc.Inputs, other.Inputs)
	u.doc.Selectors = union(u.doc.Selectors, other.Selectors)
}

// supplement sets the fields of a declared type that are empty, also those inside its groups.
func supplement(mine, its reflect.Value) {
	for _, k := range declared[mine.Type()] {
		f, other := mine.Field(k.index), its.Field(k.index)
		switch {
		case f.IsZero():
			f.Set(other)
		case f.Kind() == reflect.Pointer && declared[f.Type().Elem()] != nil && !other.IsZero():
			supplement(f.Elem(), other.Elem())
		}
	}
}

func union(a, b *value) *value {
	if a == nil || b == nil || a == b {
		return cmp.Or(a, b)
	}
	all := *a
	all.entries = slices.Clone(a.entries)
	for _, e := range b.entries {
		if a.get(e.key.text) == nil {
			all.entries = append(all.entries, e)
		}
	}
	return &all
}
