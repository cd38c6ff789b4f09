package workflows

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows/dialect"
)

// validator checks documents against the published schema.
func validator(t testing.TB, kinds []steps.Kind) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(kinds)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("workflow.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shape says what the parser has against a document, apart from what a schema
// cannot say: names that lead nowhere, expressions, rules between arguments.
func shape(text []byte, kinds []steps.Kind) error {
	r := &report{}
	root := read(Source{Text: text}, r)
	if root == nil {
		return r.err()
	}
	(&translator{report: r}).canonicalKeys(root)
	doc := decodeDocument(root, r)
	if doc != nil {
		u := &unit{compiler: &compiler{report: r, kinds: map[string]*steps.Kind{}}}
		for i := range kinds {
			u.kinds[kinds[i].Name] = &kinds[i]
		}
		u.shapes(doc.Steps)
		u.shapes(doc.Trouble)
		u.shapes(doc.Finally)
	}
	return r.err()
}

// canonicalKeys is the part of translate that a schema follows.
func (t *translator) canonicalKeys(root *value) {
	if root.get("tool_name") != nil {
		root = root.get("arguments")
	}
	if root == nil || root.sort != sortObject {
		return
	}
	t.keys(root, dialect.Document, documentKeys)
	var visit func(list *value)
	visit = func(list *value) {
		for _, x := range list.elements() {
			t.keys(x, dialect.Step, stepKeys)
			visit(x.get("steps"))
			visit(x.get("retry").get("before"))
		}
	}
	for _, list := range []string{"steps", "troubleshooting", "finally"} {
		visit(root.get(list))
	}
}

func (u *unit) shapes(list []*step) {
	for _, s := range list {
		if s.form() == "step" && s.ToolName != nil {
			if k := u.kind(s.ToolName); k != nil {
				args, _ := s.Arguments.plain().(map[string]any)
				bare := steps.Define[struct{}, struct{}](steps.Kind{Name: k.Name}, struct{}{}, nil).Changed(func(s *google.Schema) { *s = *written(k) })
				checkArguments(&bare, s.at, s.at.position, args, u.report)
			}
		}
		u.shapes(s.Steps)
		if s.Retry != nil {
			u.shapes(s.Retry.Before)
		}
	}
}

func agree(t *testing.T, s *jsonschema.Schema, kinds []steps.Kind, doc any) (valid bool) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	same, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	bySchema, byParser := s.Validate(same), shape(text, kinds)
	if (bySchema == nil) != (byParser == nil) {
		t.Fatalf("they disagree on %s\nschema: %v\nparser: %v", text, bySchema, byParser)
	}
	return bySchema == nil
}

// maker makes documents from the declaration, most of them nearly right.
type maker struct {
	*rand.Rand
	kinds []steps.Kind
	wrong float64 // how often something is wrong
}

var odd = []any{nil, true, "odd", -1.0, 0.5, 1e12, []any{}, []any{"x"}, map[string]any{}, map[string]any{"odd": 1.0}, "${{ inputs.x }}", ""}

func (m *maker) object(t reflect.Type, depth int, form string) map[string]any {
	o := map[string]any{}
	for _, k := range declared[t] {
		allowed := len(k.of) == 0 || slices.Contains(k.of, form)
		switch {
		case k.form != "":
			allowed = k.form == form
		case !allowed:
		case k.required && !(k.name == "steps" && o["url"] != nil):
			allowed = true
		default:
			allowed = m.Float64() < .15 && !(k.name == "steps" || o["url"] != nil && slices.Contains(insteadOfURL, k.name))
		}
		if m.Float64() < m.wrong {
			allowed = !allowed
		}
		if allowed {
			o[k.name] = m.value(t.Field(k.index).Type, k, depth)
		}
	}
	if m.Float64() < m.wrong {
		o["unheard_of"] = 1.0
	}
	return o
}

func (m *maker) value(t reflect.Type, k *key, depth int) any {
	if m.Float64() < m.wrong {
		return odd[m.IntN(len(odd))]
	}
	switch {
	case t == reflect.TypeFor[*value](), t == reflect.TypeFor[dict]():
		return m.leaf(t, k, depth)
	case t == reflect.TypeFor[*step]():
		return m.step(depth + 1)
	case t.Kind() == reflect.Pointer && t != reflect.TypeFor[*variable]():
		return m.object(t.Elem(), depth+1, "")
	case t.Kind() == reflect.Pointer:
		if depth > 3 {
			return map[string]any{}
		}
		return m.object(t.Elem(), depth+1, "")
	case t.Kind() == reflect.Slice:
		list := []any{}
		for range m.IntN(3) {
			if depth < 4 {
				list = append(list, m.value(t.Elem(), k, depth))
			}
		}
		return list
	}
	panic(t)
}

func (m *maker) leaf(t reflect.Type, k *key, depth int) any {
	pick := func(values ...any) any { return values[m.IntN(len(values))] }
	if t == reflect.TypeFor[dict]() {
		return map[string]any{"x": m.value(reflect.TypeFor[*variable](), k, depth)}
	}
	switch k.typ {
	case "text":
		if len(k.words) > 0 {
			return k.words[m.IntN(len(k.words))]
		}
		return pick("a", "b c")
	case "boolean":
		return pick(true, false)
	case "number":
		return pick(1.0, 1.0, 2.0, 1.5, 0.0)
	case "duration":
		return pick("1s", "500ms", "1m 30s", 20.0, "20", "soon", "1.5h", -1.0)
	case "condition":
		return pick("a == b", true, 1.0)
	case "each":
		return pick("inputs.x", []any{1.0})
	case "object":
		return pick(map[string]any{}, map[string]any{"a": 1.0})
	case "list":
		return pick([]any{}, []any{"a"})
	case "pattern":
		return "^a"
	case "codes":
		return pick("timeout", []any{"not_found"}, []any{"lost"})
	case "selectors":
		return pick(map[string]any{"a": "role:button"}, `{"a": "role:button"}`)
	case "output":
		return pick("a", map[string]any{"a": "b"})
	}
	return pick("anything", 1.0)
}

func (m *maker) step(depth int) map[string]any {
	forms := []string{"step", "step", "step", "group", "foreach", "while", "workflow"}
	form := forms[m.IntN(len(forms))]
	o := m.object(reflect.TypeFor[step](), depth, form)
	if _, ok := o["tool_name"].(string); ok {
		kind := m.kinds[m.IntN(len(m.kinds))]
		o["tool_name"] = kind.Name
		if m.Float64() < m.wrong {
			o["tool_name"] = "unheard_of"
		}
		o["arguments"] = m.arguments(kind)
	}
	return o
}

func (m *maker) arguments(kind steps.Kind) map[string]any {
	args := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(kind.Args().Properties)) { // in one order, or a seed chooses nothing
		p := kind.Args().Properties[name]
		if !slices.Contains(kind.Args().Required, name) && m.Float64() > .1 || m.Float64() < m.wrong {
			continue
		}
		switch {
		case m.Float64() < m.wrong:
			args[name] = odd[m.IntN(len(odd))]
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case p.Type == "integer" || p.Type == "number":
			args[name] = float64(m.IntN(3))
		case p.Type == "boolean":
			args[name] = true
		case p.Type == "array":
			args[name] = []any{}
		case p.Type == "object":
			args[name] = map[string]any{}
		default:
			args[name] = "${{ inputs.x }}"
		}
	}
	return args
}

func TestSchemaAndParserAcceptTheSameDocuments(t *testing.T) {
	kinds := kinds.All()
	s := validator(t, kinds)
	valid := 0
	const documents = 2000
	for i := range documents {
		m := &maker{Rand: rand.New(rand.NewPCG(1, uint64(i))), kinds: kinds, wrong: []float64{0, .01, .05}[i%3]}
		doc := m.object(reflect.TypeFor[document](), 0, "")
		if i%7 == 0 {
			doc = map[string]any{"tool_name": "execute_sequence", "arguments": doc}
		}
		if agree(t, s, kinds, doc) {
			valid++
		}
	}
	if valid < documents/10 || valid > documents*9/10 {
		t.Errorf("%d of %d documents are valid, so this test shows little", valid, documents)
	}
}

func TestTheSchemaAcceptsTheExamples(t *testing.T) {
	kinds := kinds.All()
	s := validator(t, kinds)
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	more, _ := filepath.Glob("testdata/terminator/*")
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r := &report{}
		if v := read(Source{Name: f, Text: text}, r); !agree(t, s, kinds, v.plain()) {
			t.Errorf("%s is not valid", f)
		}
	}
}

func TestTheSchemaExplainsEveryKey(t *testing.T) {
	for typ, keys := range declared {
		for _, k := range keys {
			if k.doc == "" {
				t.Errorf("%s.%s is not explained", typ, k.name)
			}
		}
	}
}

func TestEveryKeyHasAType(t *testing.T) {
	for typ, keys := range declared {
		for _, k := range keys {
			_, known := fieldTypes[k.typ]
			if read := typ.Field(k.index).Type == reflect.TypeFor[*value](); known != read {
				t.Errorf("%s.%s has the type %q in Go %s", typ, k.name, k.typ, typ.Field(k.index).Type)
			}
		}
	}
}

// TestVocabularyIsSmall bounds what a person or a model has to know to write a workflow.
func TestVocabularyIsSmall(t *testing.T) {
	arguments, click := 0, 0
	for _, k := range kinds.All() {
		n := len(k.Args().Properties)
		if arguments += n; k.Name == "click_element" {
			click = n
		}
	}
	plain := 0
	for _, k := range stepKeys {
		if (k.form == "" || k.form == "step") && (k.of == nil || slices.Contains(k.of, "step")) {
			plain++
		}
	}
	for _, c := range []struct {
		say     string
		n, most int
	}{
		{"kinds of steps", len(kinds.All()), 59},
		{"arguments of all kinds", arguments, 330},
		{"arguments of click_element", click, 14},
		{"keys of a document", len(documentKeys), 26},
		{"keys of all forms of a step", len(stepKeys), 25},
		{"keys of a step that has a tool_name", plain, 18},
	} {
		t.Logf("%3d %s", c.n, c.say)
		if c.n > c.most {
			t.Errorf("%d %s, want at most %d", c.n, c.say, c.most)
		}
	}
}
