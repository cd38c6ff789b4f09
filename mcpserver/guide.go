package mcpserver

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
)

// guide writes the instructions for models: the sheet in the description of
// execute_sequence, the pages of kinds, and one page with everything.
type guide struct {
	kinds  []steps.Kind
	policy access.Policy
}

var (
	//go:embed sheet.md
	sheetText string
	//go:embed guide.md
	guideText string
)

// sheet returns what a model must know to write a sequence.
func (g *guide) sheet() string { return sheetText + g.names() }

func (g *guide) text() string { return fmt.Sprintf(guideText, g.sheet()) }

// names lists the kinds that a sequence may use besides those that are tools for every
// client, one line for each toolset.
func (g *guide) names() string {
	lines := map[steps.Toolset][]string{}
	var order []steps.Toolset
	for _, k := range g.kinds {
		if k.Toolset == steps.Core || (access.Subject{Policy: g.policy}).May(access.Of(k)) != nil {
			continue
		}
		if lines[k.Toolset] == nil {
			order = append(order, k.Toolset)
		}
		lines[k.Toolset] = append(lines[k.Toolset], k.Name)
	}
	var b strings.Builder
	for _, toolset := range order {
		fmt.Fprintf(&b, " %s: %s\n", toolset, strings.Join(lines[toolset], ", "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// pages returns the descriptions of kinds, with all arguments and results.
func (g *guide) pages(names []string) (string, error) {
	if len(names) == 0 {
		return "", steps.Errorf(steps.Invalid, "names is empty").WithNext("name kinds of steps; the description of execute_sequence lists them")
	}
	var pages []string
	for _, name := range names {
		k, ok := steps.Find(g.kinds, name)
		if !ok {
			return "", steps.Errorf(steps.NotFound, "there is no kind %q", name).
				WithNext(cmp.Or(words.DidYouMean(name, steps.Names(g.kinds)), "the description of execute_sequence lists the kinds"))
		}
		pages = append(pages, k.Page())
	}
	return strings.Join(pages, "\n"), nil
}

type describeArgs struct {
	Names []string `json:"names"`
}

type kindPages struct {
	Text string `json:"text"`
}

func (g *guide) tool() *tool {
	return define(tool{
		Tool:    access.Tool{Name: "describe_kinds", Toolset: steps.Runs, Reads: true, Risk: steps.Normal},
		summary: "All arguments and results of kinds.", result: shallow(schemaFor[kindPages]()),
	}, func(_ context.Context, _ *call, a describeArgs) (*reply, error) {
		text, err := g.pages(a.Names)
		return textReply(kindPages{text}, words.Ours(text), err)
	})
}
