package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Page describes the kind as Markdown: what it does, how it behaves, its arguments
// and its results, all from its declaration.
func (k Kind) Page() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "## %s\n\n%s\n", k.Name, k.Summary)
	if k.Details != "" {
		b.WriteString(k.Details + "\n")
	}
	fmt.Fprintf(b, "\n%s\n", behaviour(k))
	writeTable(b, "argument", k.Args(), k.shape().groups)
	writeTable(b, "result", k.Result(), nil)
	return b.String()
}

// behaviour describes the properties of a kind in one line.
func behaviour(k Kind) string {
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
	say(k.Touches == Look, "looks at the desktop")
	say(k.Touches == Act, "acts on the desktop")
	say(k.Focus == Take, "moves the focus")
	say(k.Risk == RunsShell, "runs programs")
	say(k.Risk == RunsScripts, "runs scripts in pages")
	say(k.Risk == WritesFiles, "writes files")
	say(k.Risk == ReadsPrivate, "reads what the desktop does not show")
	say(k.Risk == Destructive, "can destroy work")
	line := strings.Join(append(words, "limit of one attempt: "+k.Timeout.String()), "; ")
	return strings.ToUpper(line[:1]) + line[1:] + "."
}

func writeTable(b *strings.Builder, what string, s *jsonschema.Schema, groups map[string]map[string]string) {
	if len(s.Properties) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | type | |\n|---|---|---|\n", what)
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		writeRow(b, name, p, slices.Contains(s.Required, name) && what == "argument")
		if groups[name] != nil {
			for _, member := range p.PropertyOrder {
				writeRow(b, name+"."+member, p.Properties[member], false)
			}
		}
	}
}

func writeRow(b *strings.Builder, name string, p *jsonschema.Schema, required bool) {
	text := p.Description
	if required {
		text += " (required)"
	}
	if len(p.Default) > 0 {
		text += fmt.Sprintf(" (default `%s`)", p.Default)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, typeName(p), strings.ReplaceAll(text, "|", "\\|"))
}

// typeName returns a schema's type in a few words.
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
