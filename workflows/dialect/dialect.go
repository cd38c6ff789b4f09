// Package dialect is the table of foreign spellings: how names of tools, keys, arguments
// and units that documents of other programs use are written here. It is data, one row
// for each name; package workflows passes each document through it once, so that nothing
// else knows these names. The table says nothing about values that only a run knows.
package dialect

import (
	"fmt"
	"regexp"
	"strings"
)

// Sort is what a row is about.
type Sort string

// The sorts of rows, in the order of the page.
const (
	Tool     Sort = "tool"
	Document Sort = "key of a document"
	Step     Sort = "key of a step"
	Argument Sort = "argument"
	Word     Sort = "word"
	Unit     Sort = "unit of time"
	Role     Sort = "role"
)

// Row is one foreign name. It has a canonical form (Now), or no effect (only Why), or is
// refused.
type Row struct {
	Sort Sort
	// Of is the tool of an argument, or the argument of a word; empty: all that do not
	// have one of that name themselves.
	Of   string
	Name string
	Now  string
	// With are arguments that come with the canonical name.
	With map[string]any
	// Values are the canonical values of a key by the foreign ones; without them the values
	// are the same. Nil says the same as no key.
	Values  map[string]any
	Yields  bool // the canonical key counts where both stand
	Refused bool
	Why     string // why it has no effect, what to do instead, or what changes its meaning
}

// Effect says what becomes of the name.
func (r Row) Effect() string {
	why := ""
	if r.Why != "" {
		why = ": " + r.Why
	}
	switch {
	case r.Refused:
		return "refused" + why
	case r.Now != "":
		return "becomes `" + r.Now + "`" + why
	}
	return "accepted, without effect" + why
}

// Find returns the row of a name: that of the tool or argument it belongs to, or else the
// one of all.
func Find(sort Sort, of, name string) (Row, bool) {
	var general *Row
	for i, r := range rows {
		if r.Sort != sort || r.Name != name {
			continue
		}
		if r.Of == of {
			return r, true
		}
		if r.Of == "" {
			general = &rows[i]
		}
	}
	if general == nil {
		return Row{}, false
	}
	return *general, true
}

// Rows returns all rows, in the order of the page.
func Rows() []Row { return rows }

// prefix matches what clients put before the names of an agent's tools.
var prefix = regexp.MustCompile(`^mcp_+terminator(?:-mcp-agent)?_+`)

// Plain returns the name of a tool without the prefix that a client puts before it.
func Plain(tool string) string { return prefix.ReplaceAllString(tool, "") }

// amount matches one amount of a duration.
var amount = regexp.MustCompile(`([0-9]*\.?[0-9]+)\s*([A-Za-z]+)`)

// Duration returns a duration with the units that are known here. A text with other units
// is returned as it is.
func Duration(text string) string {
	return amount.ReplaceAllStringFunc(text, func(s string) string {
		m := amount.FindStringSubmatch(s)
		if r, ok := Find(Unit, "", strings.ToLower(m[2])); ok {
			return m[1] + r.Now
		}
		return s
	})
}

// Markdown returns the table as a page shows it.
func Markdown() string {
	var b strings.Builder
	last := Sort("")
	for _, r := range Rows() {
		if r.Sort != last {
			fmt.Fprintf(&b, "\n### %s\n\n| name | what becomes of it |\n|---|---|\n", titles[r.Sort])
			last = r.Sort
		}
		of := ""
		if r.Of != "" {
			of = " of `" + r.Of + "`"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s |\n", r.Name, of, strings.ReplaceAll(r.Effect(), "|", `\|`))
	}
	return strings.TrimPrefix(b.String(), "\n")
}

var titles = map[Sort]string{
	Tool: "Tools", Document: "Keys of a document", Step: "Keys of a step",
	Argument: "Arguments", Word: "Words", Unit: "Units of time",
	Role: "Roles in selectors",
}
