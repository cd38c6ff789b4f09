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
		b.WriteString("\n" + k.Page())
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
