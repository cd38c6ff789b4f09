package manual

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
)

var update = flag.Bool("update", false, "write the tables of keys again")

// tables are the places in a page where the keys of a part of a workflow stand.
var tables = regexp.MustCompile(`(?s)(<!-- keys of (\w+) -->\n).*?(<!-- end of keys -->)`)

// TestKeysAreThoseOfTheSchema holds the tables of docs/workflows.md to the types
// that the parser reads into.
func TestKeysAreThoseOfTheSchema(t *testing.T) {
	var schema struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(workflows.Schema(kinds.All()), &schema); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "workflows.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for name := range schema.Definitions {
		if !strings.HasPrefix(name, "arguments_") && name != "call" {
			left[name] = true
		}
	}
	fresh := tables.ReplaceAllFunc(text, func(found []byte) []byte {
		m := tables.FindSubmatch(found)
		name := string(m[2])
		if !left[name] {
			t.Errorf("there is no part %q of a workflow, or it stands twice", name)
		}
		delete(left, name)
		return append(append(bytes.Clone(m[1]), table(t, schema.Definitions[name])...), m[3]...)
	})
	for name := range left {
		t.Errorf("the page has no <!-- keys of %s -->", name)
	}
	if *update {
		if err := os.WriteFile(path, fresh, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(fresh), string(text)); diff != "" {
		t.Errorf("the tables are not fresh (`make golden` writes them): -want +got\n%s", diff)
	}
}

// table are the keys of a part, in the order in which they are declared.
func table(t *testing.T, definition json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| key | value | |\n|---|---|---|\n")
	var part struct {
		Required   []string        `json:"required"`
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(definition, &part); err != nil {
		t.Fatal(err)
	}
	var properties map[string]*jsonschema.Schema
	if err := json.Unmarshal(part.Properties, &properties); err != nil {
		t.Fatal(err)
	}
	for _, name := range inOrder(t, part.Properties) {
		p := properties[name]
		if p.Deprecated { // docs/migrating.md has those
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, valueOf(p), strings.ReplaceAll(p.Description, "|", `\|`))
	}
	b.WriteString("\n")
	return b.String()
}

// inOrder are the names of an object's members, as they stand.
func inOrder(t *testing.T, object json.RawMessage) (names []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(name))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// valueOf says what a key may hold. That it may also be null says the same as
// leaving it out.
func valueOf(s *jsonschema.Schema) string {
	if name, ok := strings.CutPrefix(s.Ref, "#/definitions/"); ok {
		return name
	}
	var words []string
	add := func(word string) {
		if word != "" && word != "null" && !strings.Contains(" "+strings.Join(words, " ")+" ", " "+word+" ") {
			words = append(words, word)
		}
	}
	if len(s.Enum) > 0 {
		if len(s.Enum) > len(steps.Codes()) {
			return "a kind"
		}
		for _, e := range s.Enum {
			add(fmt.Sprintf("`%v`", e))
		}
		return strings.Join(words, " ")
	}
	for _, other := range s.AnyOf {
		if other.Type != "null" {
			add(valueOf(other))
		}
	}
	for _, t := range append(s.Types, s.Type) {
		switch {
		case t == "array" && s.Items != nil && s.Items.Ref != "":
			add("list of " + valueOf(s.Items) + "s")
		case t == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Ref != "":
			add(valueOf(s.AdditionalProperties) + " by name")
		default:
			add(t)
		}
	}
	if len(words) == 0 {
		return "anything"
	}
	return strings.Join(words, ", ")
}
