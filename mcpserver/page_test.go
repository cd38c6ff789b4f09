package mcpserver

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
	"understudy/steps/kinds"
)

// TestToolsPage checks docs/tools.md against the tools.
func TestToolsPage(t *testing.T) {
	s := New(Options{Kinds: kinds.All(), Folder: t.TempDir(), Dir: t.TempDir(), Version: "test"})
	path := filepath.Join("..", "docs", "tools.md")
	fresh := toolsPage(s.tools.order)
	if *update {
		if err := os.WriteFile(path, []byte(fresh), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if diff := cmp.Diff(fresh, string(text)); diff != "" || err != nil {
		t.Errorf("the page is not fresh (`make golden` writes it): %v, -want +got\n%s", err, diff)
	}
}

func toolsPage(tools []*tool) string {
	var b strings.Builder
	b.WriteString(`# The tools that MCP clients see

This page is generated from the declarations; ` + "`make golden`" + ` writes it anew. A client sees the toolset core, unless ` + "`--toolsets`" + ` says otherwise; in ask
mode only what looks. [Connecting clients](clients.md) says how.

## Runs and workflows

`)
	var ofKinds []*tool
	for _, tool := range tools {
		if _, is := steps.Find(kinds.All(), tool.Name); is {
			ofKinds = append(ofKinds, tool)
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n%s\n", tool.Name, described(tool), manner(tool))
		if len(tool.args.Properties) > 0 {
			b.WriteString("\n| argument | |\n|---|---|\n")
		}
		for _, name := range slices.Sorted(maps.Keys(tool.args.Properties)) {
			text := tool.args.Properties[name].Description
			if slices.Contains(tool.args.Required, name) {
				text += " (required)"
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(text))
		}
		b.WriteString("\n")
	}
	b.WriteString("## Kinds of steps\n\nEvery kind is a tool; each call is a run of one step. Their arguments and results are in the [reference](kinds/README.md).\n\n" +
		"| tool | toolset | in ask mode | |\n|---|---|---|---|\n")
	for _, tool := range ofKinds {
		looks := ""
		if tool.Reads {
			looks = "yes"
		}
		fmt.Fprintf(&b, "| [`%s`](kinds/%[1]s.md) | %s | %s | %s |\n", tool.Name, tool.Toolset, looks, cell(tool.summary))
	}
	return b.String()
}

// described returns the description of a tool; a text of several lines is left as it is.
func described(t *tool) string {
	if strings.Contains(t.details, "\n") {
		return t.summary + "\n\n```text\n" + t.details + "\n```"
	}
	return strings.TrimSpace(t.summary + " " + t.details)
}

// manner describes the effects of a tool.
func manner(t *tool) string {
	switch {
	case t.Reads:
		return "It only looks, and is there in ask mode too."
	case t.destructive:
		return "It can do harm."
	}
	return "It changes something."
}

// cell makes a text fit into a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}
