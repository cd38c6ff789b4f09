package observe

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Seen is what was observed besides a kind's own answer.
type Seen struct {
	UITree      string   `json:"ui_tree,omitzero" jsonschema:"the window's elements afterwards"`
	Screenshots []string `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
	// Shown are the areas of the screen that the pictures show.
	Shown   []desktop.Rect `json:"screenshot_areas,omitzero" jsonschema:"the area of the screen that each picture shows"`
	NotSeen string         `json:"not_seen,omitzero" jsonschema:"why something that was asked for could not be seen afterwards"`
}

// Look observes what b asks for besides a kind's own answer, in the window of el or
// the active one.
func Look(ctx context.Context, env *steps.Env, b LookOptions, el *desktop.Element) (Seen, error) {
	a := ActionOptions{DiffOptions: DiffOptions{IncludeTreeAfterAction: b.IncludeTreeAfterAction, TreeOptions: b.TreeOptions}, WindowOptions: b.PictureOptions.options()}
	if !a.AsksForMore() && !a.IncludeMonitorScreenshot {
		return Seen{}, nil
	}
	scope, err := scopeOf(ctx, env.Desktop, el)
	if err != nil {
		return Seen{}, err
	}
	var after ActionResult
	if err := LookAfter(ctx, env, a, scope, nil, &after); err != nil {
		if ctx.Err() != nil {
			return Seen{}, err
		}
		after.NotSeen = err.Error()
	}
	return after.Seen, nil
}
