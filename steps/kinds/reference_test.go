package kinds

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
)

// reference returns the pages of the reference as Markdown, by file name: an index, and
// for each kind what it does, how it behaves, its arguments and its results, all from the
// declarations. Rows that many kinds have stand once, in the index.
func reference(kinds []steps.Kind) map[string]string {
	shared := sharedRows(kinds)
	pages := map[string]string{"README.md": writeIndex(kinds, shared)}
	for _, k := range kinds {
		pages[k.Name+".md"] = writeKind(k, shared)
	}
	return pages
}

// manyKinds is how many kinds must have a row so that it is a shared one.
const manyKinds = 10

// pageLines yields the lines of a kind's page, with the table that each is a row of:
// "argument", "result" or "".
func pageLines(k steps.Kind) iter.Seq2[string, string] {
	return func(yield func(table, line string) bool) {
		table := ""
		for line := range strings.SplitSeq(strings.TrimSpace(k.Page()), "\n") {
			if name, _, is := strings.Cut(strings.TrimPrefix(line, "| "), " | type |"); is {
				table = name
			}
			in := table
			if !strings.HasPrefix(line, "| `") {
				in = ""
			}
			if !yield(in, line) {
				return
			}
		}
	}
}

// sharedRows returns the rows that many kinds have, by their table, in the order in which
// they are met.
func sharedRows(kinds []steps.Kind) map[string][]string {
	shared, count := map[string][]string{}, map[string]int{}
	for _, k := range kinds {
		for table, line := range pageLines(k) {
			if table == "" {
				continue
			}
			if count[table+line]++; count[table+line] == manyKinds {
				shared[table] = append(shared[table], line)
			}
		}
	}
	return shared
}

// writeKind writes the page of one kind; of the shared rows it has only the names.
func writeKind(k steps.Kind, shared map[string][]string) string {
	b, left := &strings.Builder{}, map[string][]string{}
	var lines []string
	for table, line := range pageLines(k) {
		if slices.Contains(shared[table], line) {
			left[table] = append(left[table], strings.Split(line, " | ")[0][len("| "):])
			continue
		}
		lines = append(lines, line)
	}
	b.WriteString(withoutEmptyTables(strings.Join(lines, "\n"))[1:] + "\n")
	for _, table := range []string{"argument", "result"} {
		if len(left[table]) > 0 {
			fmt.Fprintf(b, "\nIt also has these [shared %ss](README.md#shared-%[1]ss): %s.\n", table, strings.Join(left[table], ", "))
		}
	}
	b.WriteString("\n[All kinds](README.md)\n")
	return b.String()
}

// emptyTable matches the head of a table without rows.
var emptyTable = regexp.MustCompile(`\n\| (argument|result) \| type \| \|\n\|---\|---\|---\|(\n\n|$)`)

func withoutEmptyTables(page string) string {
	return strings.TrimSpace(emptyTable.ReplaceAllString(page, "\n"))
}

// writeIndex lists the kinds, and what they share.
func writeIndex(kinds []steps.Kind, shared map[string][]string) string {
	b := &strings.Builder{}
	b.WriteString(referenceHead)
	for _, k := range kinds {
		fmt.Fprintf(b, "| [`%s`](%s.md) | %s | %s |\n", k.Name, k.Name, k.Toolset, k.Summary)
	}
	for _, table := range []string{"argument", "result"} {
		fmt.Fprintf(b, "\n## Shared %ss\n\nMany kinds have these; the page of a kind names those that it has.\n\n| %[1]s | type | |\n|---|---|---|\n%s\n", table, strings.Join(shared[table], "\n"))
	}
	b.WriteString("\n[Migrating](../migrating.md) lists the arguments of other programs that are accepted without effect.\n")
	return b.String()
}

const referenceHead = `# The kinds of steps

These pages are generated from the declarations; ` + "`make golden`" + ` writes them again. Every kind can be a step of a workflow
(` + "`tool_name`" + `), an MCP tool, and a command: ` + "`understudy call KIND '{\"argument\": …}'`" + `. ` + "`understudy tools KIND`" + ` prints all of a kind, the shared arguments included.

| kind | toolset | |
|---|---|---|
`

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
	}{k.Name, k.Summary, k.Toolset, k.Reads, k.Repeatable(), k.Touches, k.Focus, k.Risk, steps.Duration(k.Timeout), k.Args(), k.Result(), k.Defaults()}, "", "  ")
}
