package browse

import (
	"context"
	"fmt"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
)

// A thingAway is what a page has out of view: a table or a list, a heading, or controls or
// paragraphs. Under is the heading before one without a name.
type thingAway struct {
	What, Name, Under string
	Count, Rows       int
	Above             bool
}

func (t thingAway) String() string {
	name := ""
	if text := strings.TrimSpace(t.Name); text != "" {
		name = fmt.Sprintf(" %q", desktop.Shown(text))
	} else if text := strings.TrimSpace(t.Under); text != "" {
		name = fmt.Sprintf(" under %q", desktop.Shown(text))
	}
	switch {
	case t.What == "table":
		return fmt.Sprintf("table%s (%s)", name, counted(t.Rows, "row"))
	case t.What == "list":
		return fmt.Sprintf("list%s (%s)", name, counted(t.Rows, "item"))
	case t.What == "heading":
		return "heading" + name
	}
	return counted(t.Count, t.What)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// mostAway bounds what is told of one side of the view.
const mostAway = 6

// Away describes what the page that shows below a document has out of view, such as
// "below the view: table "Sales" (201 rows), 3 links"; "" if there is nothing, or if its browser is
// not connected.
func Away(ctx context.Context, env *steps.Env, document *desktop.Element) string {
	inside := *document // a witness is one for what is inside a document
	inside.Parent, inside.Attributes = document, map[string]string{"tag": "body"}
	w, err := WitnessOf(ctx, env, &inside)
	if err != nil || w == nil {
		return ""
	}
	defer w.Close()
	world, err := w.world(ctx)
	if err != nil {
		return ""
	}
	var all []thingAway
	if err := w.ask(ctx, world, "away", document, desktop.Point{}, &all); err != nil {
		return ""
	}
	return strings.TrimPrefix(listAway("above the view", all, true)+listAway("below the view", all, false), "; ")
}

// listAway lists what is on one side of the view.
func listAway(where string, all []thingAway, above bool) string {
	var parts []string
	for _, t := range all {
		if t.Above == above {
			parts = append(parts, t.String())
		}
	}
	if more := len(parts) - mostAway; more > 0 {
		parts = append(parts[:mostAway], fmt.Sprintf("%d more", more))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + where + ": " + strings.Join(parts, ", ")
}
