package workflows

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"understudy/steps"
)

// A Draft is a document that a program writes, such as the workflow of a recording.
// Its text is in the form that Canonical gives.
type Draft struct {
	Name, Description string
	Variables         []DraftVariable
	Steps             []DraftStep
	Kinds             []steps.Kind // which group arguments; nil: the arguments stay as they are
}

// A DraftVariable is an input that is a text. A secret one has no default.
type DraftVariable struct {
	Name, Default string
	Secret        bool
}

// A DraftStep is one step, with comments above it.
type DraftStep struct {
	Comments  []string
	ID, Tool  string
	Arguments []Pair
	Expect    string
	Effect    []Pair
	Retries   int
}

// A Pair is a key and its value: a string, a []string, a []Pair, which is an object that
// keeps its order, or any other JSON value.
type Pair struct {
	Key   string
	Value any
}

// YAML returns the text of the document.
func (d *Draft) YAML() ([]byte, error) {
	root := blockObject(Pair{"version", 1}, Pair{"name", d.Name})
	if d.Description != "" {
		put(root, "description", textNode(d.Description, false))
	}
	if len(d.Variables) > 0 {
		variables := blockObject()
		for _, v := range d.Variables {
			given := Pair{"default", v.Default}
			if v.Secret {
				given = Pair{"secret", true}
			}
			put(variables, v.Name, flowObject([]Pair{{"type", "string"}, given}))
		}
		put(root, "variables", variables)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if len(d.Steps) == 0 {
		list.Style = yaml.FlowStyle
	}
	for i := range d.Steps {
		list.Content = append(list.Content, d.Steps[i].node())
	}
	put(root, "steps", list)
	text, err := dumpYAML(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}})
	if err == nil && len(d.Kinds) > 0 {
		text, _, err = canonical(Source{Name: d.Name, Text: text}, d.Kinds, true)
	}
	return text, err
}

func (s *DraftStep) node() *yaml.Node {
	n := blockObject(Pair{"id", s.ID}, Pair{"tool_name", s.Tool})
	if len(s.Arguments) > 0 {
		put(n, "arguments", blockObject(s.Arguments...))
	}
	if s.Expect != "" {
		put(n, "expect", textNode(s.Expect, false))
	}
	if len(s.Effect) > 0 {
		put(n, "effect", flowObject(s.Effect))
	}
	if s.Retries > 0 {
		put(n, "retries", valueNode(s.Retries, false))
	}
	var comment []string
	for _, c := range s.Comments {
		comment = append(comment, "# "+strings.Map(printable, strings.Join(strings.Fields(c), " ")))
	}
	n.HeadComment = strings.Join(comment, "\n")
	return n
}

// blockObject returns an object with a line for each pair.
func blockObject(pairs ...Pair) *yaml.Node { return objectNode(0, pairs) }

// flowObject returns an object in one line.
func flowObject(pairs []Pair) *yaml.Node { return objectNode(yaml.FlowStyle, pairs) }

func objectNode(style yaml.Style, pairs []Pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: style}
	for _, p := range pairs {
		put(n, p.Key, valueNode(p.Value, style == yaml.FlowStyle))
	}
	return n
}

// bareKey matches keys that need no quotes anywhere in a document.
var bareKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

func put(object *yaml.Node, key string, value *yaml.Node) {
	k := &yaml.Node{Kind: yaml.ScalarNode, Value: key}
	if !bareKey.MatchString(key) {
		k = textNode(key, true)
	}
	object.Content = append(object.Content, k, value)
}

func valueNode(v any, inFlow bool) *yaml.Node {
	switch v := v.(type) {
	case string:
		return textNode(v, inFlow)
	case []string:
		return flowList(v)
	case []any:
		return flowList(v)
	case []Pair:
		return flowObject(v)
	case map[string]any:
		var pairs []Pair
		for _, k := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, Pair{k, v[k]})
		}
		return flowObject(pairs)
	}
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(text)}
}

// flowList returns a list in one line.
func flowList[T any](values []T) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range values {
		n.Content = append(n.Content, valueNode(v, true))
	}
	return n
}

var (
	// bareText matches what every reader of YAML takes for text without quotes,
	bareText = regexp.MustCompile(`^[\pL_/$(.][^#\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\x{feff}\\]*$`)
	// unless otherThanText matches too.
	otherThanText = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|y|n|~|\.inf|\.nan|[-+.0-9].*)$|: |:$|\s$|^\.\.\.`)
)

func isUnprintable(r rune) bool { return r == '\ufeff' || !unicode.IsPrint(r) }

// printable replaces a character that a comment cannot hold.
func printable(r rune) rune {
	if isUnprintable(r) {
		return '\ufffd'
	}
	return r
}

func textNode(text string, inFlow bool) *yaml.Node {
	text = strings.ToValidUTF8(text, "\ufffd") // else it would be written as binary
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	switch {
	case bareText.MatchString(text) && !otherThanText.MatchString(text) && (!inFlow || !strings.ContainsAny(text, `[]{},"'`)):
	case strings.ContainsFunc(text, isUnprintable), strings.Contains(text, "'") && !strings.ContainsAny(text, `"\`):
		n.Style = yaml.DoubleQuotedStyle
	default:
		n.Style = yaml.SingleQuotedStyle
	}
	return n
}

// UnusedName makes a name unique by a number at its end, and marks it as taken.
func UnusedName(name string, taken map[string]bool) string {
	n := name
	for i := 2; taken[n]; i++ {
		n = name + "_" + strconv.Itoa(i)
	}
	taken[n] = true
	return n
}
