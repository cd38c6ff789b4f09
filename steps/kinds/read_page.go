package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/browse"
)

// ReadPage reads a page as text.
var ReadPage = steps.Define(steps.Kind{
	Name:    "read_page",
	Summary: "Read the page of a connected browser as text, also what is scrolled out of view.",
	Details: "A heading begins with #, a [link] is in brackets, a row of a table is one line, and a control is its role, its name and its value: act on it by these, as role:button && name:Save.",
	Toolset: steps.Browser,
	Reads:   true,
}, ReadPageArgs{MaxChars: 4000}, readPage)

// ReadPageArgs says which page to read, and what of it.
type ReadPageArgs struct {
	TabArgs
	Frame    string `json:"frame,omitzero" jsonschema:"read this frame of the page: its name, or a part of its address"`
	Contains string `json:"contains,omitzero" jsonschema:"only lines with this text, in any case, each with its number"`
	Offset   int    `json:"offset,omitzero" jsonschema:"the number of the line to begin with, counted from 0"`
	MaxChars int    `json:"max_chars,omitzero" jsonschema:"how many characters to return at most"`
}

func (a *ReadPageArgs) Validate() error {
	if a.Offset < 0 || a.MaxChars < 1 {
		return errors.New("wanted an offset from 0 and max_chars from 1")
	}
	return nil
}

// ReadPageResult is a part of a page.
type ReadPageResult struct {
	Title string `json:"title" jsonschema:"of the page"`
	URL   string `json:"url" jsonschema:"its address"`
	Text  string `json:"text" jsonschema:"the lines"`
	Lines int    `json:"lines" jsonschema:"how many lines the page has"`
	Next  int    `json:"next_offset,omitzero" jsonschema:"where the rest begins; missing at the end"`
	Tab   string `json:"tab" jsonschema:"the id of the tab"`
}

// Say returns the lines, and where the rest begins.
func (r ReadPageResult) Say() string {
	text := fmt.Sprintf("%s\n%s\n\n%s", r.Title, r.URL, r.Text)
	if r.Next > 0 {
		text += fmt.Sprintf("\n… %d of %d lines; offset %d shows more", r.Next, r.Lines, r.Next)
	}
	return text
}

func readPage(ctx context.Context, env *steps.Env, a ReadPageArgs) (r ReadPageResult, err error) {
	_, err = onTab(ctx, env, a.TabArgs, func(link *browse.Link, tab browse.Tab) error {
		page, err := link.Attach(ctx, tab)
		if err != nil {
			return err
		}
		defer page.Detach()
		w, err := page.Read(ctx, a.Frame)
		r = ReadPageResult{Title: w.Title, URL: w.URL, Lines: len(w.Lines), Tab: tab.ID}
		r.Text, r.Next = a.part(w.Lines)
		return err
	})
	return r, err
}

// part returns the lines that are wanted, and where the rest begins; 0 if there is none. A line
// that is longer than all that is wanted is cut.
func (a *ReadPageArgs) part(lines []string) (text string, next int) {
	var b strings.Builder
	wanted := strings.ToLower(a.Contains)
	for i, line := range slices.All(lines) {
		if i < a.Offset || !strings.Contains(strings.ToLower(line), wanted) {
			continue
		}
		if a.Contains != "" {
			line = fmt.Sprintf("%d: %s", i, line)
		}
		if b.Len()+len(line) > a.MaxChars {
			if b.Len() > 0 {
				return strings.TrimSuffix(b.String(), "\n"), i
			}
			line = strings.ToValidUTF8(line[:a.MaxChars], "") + "…"
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), 0
}
