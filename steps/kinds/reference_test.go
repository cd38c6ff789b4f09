package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
)

// writeReference writes the reference of kinds as Markdown: for each what it does,
// how it behaves, its arguments and its results, all from the declarations.
func writeReference(kinds []steps.Kind) string {
	b := &strings.Builder{}
	b.WriteString(referenceHead)
	for _, k := range kinds {
		fmt.Fprintf(b, "| [`%s`](#%s) | %s | %s |\n", k.Name, k.Name, k.Toolset, k.Summary)
	}
	for _, k := range kinds {
		writeKind(b, k)
	}
	writeIgnored(b, kinds)
	return b.String()
}

const referenceHead = `# The kinds of steps

This page is generated from the declarations; ` + "`make golden`" + ` writes it anew. Every kind can be a step of a workflow
(` + "`tool_name`" + `), an MCP tool, and a command: ` + "`understudy call KIND '{\"argument\": …}'`" + `.

| kind | toolset | |
|---|---|---|
`

func writeKind(b *strings.Builder, k steps.Kind) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", k.Name, k.Summary)
	if k.Details != "" {
		b.WriteString(k.Details + "\n")
	}
	fmt.Fprintf(b, "\n%s\n", behaviour(k))
	writeTable(b, "argument", k.Args)
	writeTable(b, "result", k.Result)
}

// behaviour says in one line what the properties of a kind mean.
func behaviour(k steps.Kind) string {
	var words []string
	say := func(is bool, text string) {
		if is {
			words = append(words, text)
		}
	}
	say(k.Reads, "changes nothing outside the run")
	say(!k.Reads && k.Idempotent, "may be repeated")
	say(!k.Repeatable(), "is not repeated by itself when it was cut short")
	say(k.Asks, "waits for a person")
	say(k.Touches == steps.Look, "looks at the desktop")
	say(k.Touches == steps.Act, "acts on the desktop")
	say(k.Focus == steps.Take, "moves the focus")
	say(k.Risk == steps.RunsShell, "runs programs")
	say(k.Risk == steps.WritesFiles, "writes files")
	say(k.Risk == steps.ReadsPrivate, "reads what the desktop does not show")
	say(k.Risk == steps.Destructive, "can destroy work")
	line := strings.Join(append(words, "limit of one attempt: "+k.Timeout.String()), "; ")
	return strings.ToUpper(line[:1]) + line[1:] + "."
}

// writeIgnored lists the arguments that are let pass and do nothing, once for all
// kinds.
func writeIgnored(b *strings.Builder, kinds []steps.Kind) {
	b.WriteString("\n## Arguments that do nothing\n\nSequences of other programs give these; they are let pass.\n\n| argument | why it does nothing | kinds |\n|---|---|---|\n")
	why, by := map[string]string{}, map[string][]string{}
	for _, k := range kinds {
		for name, text := range k.Ignored() {
			why[name], by[name] = text, append(by[name], "`"+k.Name+"`")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, why[name], strings.Join(by[name], ", "))
	}
}

func writeTable(b *strings.Builder, what string, s *jsonschema.Schema) {
	if len(s.Properties) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | type | |\n|---|---|---|\n", what)
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		text := p.Description
		if slices.Contains(s.Required, name) && what == "argument" {
			text += " (needed)"
		}
		if len(p.Default) > 0 {
			text += fmt.Sprintf(" (default `%s`)", p.Default)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, typeName(p), strings.ReplaceAll(text, "|", "\\|"))
	}
}

// typeName is a schema's type in a few words.
func typeName(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprintf("`%v`", e)
		}
		return strings.Join(words, ", ")
	}
	if s.Format != "" {
		return s.Format
	}
	types := slices.DeleteFunc(append(slices.Clone(s.Types), s.Type), func(t string) bool { return t == "" || t == "null" })
	if len(types) == 0 {
		return "anything"
	}
	return strings.Join(types, " or ")
}

// schema is everything that is derived from a declaration, for tools and
// golden files.
func schema(k steps.Kind) ([]byte, error) {
	return json.MarshalIndent(struct {
		Name     string             `json:"name"`
		Summary  string             `json:"summary"`
		Toolset  steps.Toolset      `json:"toolset"`
		Reads    bool               `json:"reads"`
		Repeats  bool               `json:"repeatable"`
		Touches  steps.Touch        `json:"touches"`
		Focus    steps.Focus        `json:"focus"`
		Risk     steps.Risk         `json:"risk"`
		Timeout  steps.Duration     `json:"timeout"`
		Args     *jsonschema.Schema `json:"arguments"`
		Result   *jsonschema.Schema `json:"result"`
		Defaults map[string]any     `json:"defaults"`
	}{k.Name, k.Summary, k.Toolset, k.Reads, k.Repeatable(), k.Touches, k.Focus, k.Risk, steps.Duration(k.Timeout), k.Args, k.Result, k.Defaults}, "", "  ")
}
