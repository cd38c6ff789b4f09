package steps

import (
	"context"

	"understudy/steps/desktop"
)

// Beside is what may be asked of a kind that only looks, beside its own
// answer.
type Beside struct {
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" jsonschema:"show the window's elements too"`
	TreeOptions
	Pictured
}

// beside are the defaults of a Beside.
var beside = Beside{TreeOptions: treeOptions}

// Pictured are the pictures that may be asked of a kind that only looks, and
// what other programs' sequences give to every kind that names an element.
type Pictured struct {
	IncludeWindowScreenshot  bool `json:"include_window_screenshot,omitzero" jsonschema:"keep a picture of the window too"`
	IncludeMonitorScreenshot bool `json:"include_monitor_screenshots,omitzero" jsonschema:"keep a picture of the whole screen too"`
	Idle
}

// Idle are arguments that a kind which only looks takes and does nothing with.
type Idle struct {
	VerifyElementExists    Selector `json:"verify_element_exists,omitzero" jsonschema:"accepted and without effect: nothing is done that could bring it about"`
	VerifyElementNotExists Selector `json:"verify_element_not_exists,omitzero" jsonschema:"accepted and without effect: nothing is done that could bring it about"`
	VerifyTimeoutMS        Millis   `json:"verify_timeout_ms,omitzero" jsonschema:"accepted and without effect: nothing is verified"`
	EnableWindowManagement bool     `json:"enable_window_management,omitzero" jsonschema:"accepted and without effect: looking leaves all windows as they are"`
	BringToFront           bool     `json:"bring_to_front,omitzero" jsonschema:"accepted and without effect: looking leaves all windows as they are"`
	MaximizeTarget         bool     `json:"maximize_target,omitzero" jsonschema:"accepted and without effect: looking leaves all windows as they are"`
	MinimizeAlwaysOnTop    bool     `json:"minimize_always_on_top,omitzero" jsonschema:"accepted and without effect: looking leaves all windows as they are"`
	RestoreFocus           bool     `json:"restore_focus,omitzero" jsonschema:"accepted and without effect: looking leaves the focus where it is"`
}

// Seen is what was asked for beside what a kind does.
type Seen struct {
	UITree      string   `json:"ui_tree,omitzero" jsonschema:"the window's elements afterwards"`
	Screenshots []string `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
	// Shown are the areas of the screen that the pictures show.
	Shown   []desktop.Rect `json:"screenshot_areas,omitzero" jsonschema:"the area of the screen that each picture shows"`
	NotSeen string         `json:"not_seen,omitzero" jsonschema:"why something that was asked for could not be seen afterwards"`
}

// beside looks at what was asked for beside a kind's own answer, in the window
// of an element, or in the active one.
func (e *Env) beside(ctx context.Context, b Beside, el *desktop.Element) (Seen, error) {
	a := Around{Diff: Diff{IncludeTreeAfterAction: b.IncludeTreeAfterAction, TreeOptions: b.TreeOptions}, WindowOptions: b.Pictured.options()}
	if !a.asksForMore() && !a.IncludeMonitorScreenshot {
		return Seen{}, nil
	}
	scope, err := e.scopeOf(ctx, el)
	if err != nil {
		return Seen{}, err
	}
	var after After
	if err := e.lookAfter(ctx, a, scope, nil, &after); err != nil {
		if ctx.Err() != nil {
			return Seen{}, err
		}
		after.NotSeen = err.Error()
	}
	return after.Seen, nil
}

// options are the pictures as an action is asked for them.
func (p Pictured) options() WindowOptions {
	return WindowOptions{IncludeWindowScreenshot: p.IncludeWindowScreenshot, IncludeMonitorScreenshot: p.IncludeMonitorScreenshot}
}
