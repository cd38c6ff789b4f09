package observe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/aim"
)

const (
	// settlePause is the pause between two reads of the tree.
	settlePause = 50 * time.Millisecond
	// settleTimeout bounds the wait for changes that do not come.
	settleTimeout = 500 * time.Millisecond
)

// LookOptions are the arguments of kinds that only look, besides those of their own
// answer.
type LookOptions struct {
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" in:"show" as:"tree" use:"rare" jsonschema:"show the window's elements too"`
	TreeOptions            `in:"show"`
	PictureOptions         `in:"show"`
}

// DefaultLookOptions are the defaults of LookOptions.
var DefaultLookOptions = LookOptions{TreeOptions: DefaultTreeOptions}

// PictureOptions are the pictures that a kind that only looks can add to its result. It
// ignores the options of actions.
type PictureOptions struct {
	IncludeWindowScreenshot  bool `json:"include_window_screenshot,omitzero" as:"window" use:"rare" jsonschema:"keep a picture of the window too"`
	IncludeMonitorScreenshot bool `json:"include_monitor_screenshots,omitzero" as:"screen" use:"rare" jsonschema:"keep a picture of the whole screen too"`
}

// Seen is what was observed in addition to a kind's own result.
type Seen struct {
	UITree      string   `json:"ui_tree,omitzero" jsonschema:"the window's elements afterwards"`
	Screenshots []string `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
	// Shown are the areas of the screen that the pictures show.
	Shown   []desktop.Rect `json:"screenshot_areas,omitzero" jsonschema:"the area of the screen that each picture shows"`
	NotSeen string         `json:"not_seen,omitzero" jsonschema:"why something that was requested could not be read afterwards"`
}

// Look makes the observations that b asks for in addition to a kind's own result, in the
// window of el or the active one.
func Look(ctx context.Context, env *steps.Env, b LookOptions, el *desktop.Element) (Seen, error) {
	if el != nil {
		tellWindows(ctx, env, []*desktop.Element{el})
	}
	a := ActionOptions{
		DiffOptions:   DiffOptions{IncludeTreeAfterAction: b.IncludeTreeAfterAction, TreeOptions: b.TreeOptions},
		WindowOptions: aim.WindowOptions{IncludeWindowScreenshot: b.IncludeWindowScreenshot, IncludeMonitorScreenshot: b.IncludeMonitorScreenshot},
	}
	if !a.AsksForMore() && !a.IncludeMonitorScreenshot {
		return Seen{}, nil
	}
	scope, err := scopeOf(ctx, env.Desktop, el)
	if err != nil {
		return Seen{}, err
	}
	var after ActionResult
	err = LookAfter(ctx, env, a, scope, nil, &after)
	return after.Seen, err
}

// LookAfter makes the observations that a asks for after an action, and adds them to
// after. Before is the tree before the action; nil if no diff is asked for. An error other
// than the end of ctx is only noted.
func LookAfter(ctx context.Context, env *steps.Env, a ActionOptions, scope desktop.Scope, before *desktop.Tree, after *ActionResult) error {
	return after.note(ctx, after.look(ctx, env, a, scope, before))
}

// note keeps an error of an observation, such as of a window that the action closed,
// because the action is done. It returns the error if ctx has ended.
func (after *ActionResult) note(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		after.NotSeen, err = err.Error(), nil
	}
	return err
}

func (after *ActionResult) look(ctx context.Context, env *steps.Env, a ActionOptions, scope desktop.Scope, before *desktop.Tree) error {
	var tree *desktop.Tree
	var err error
	switch {
	case before != nil:
		var diff []desktop.Change
		if diff, tree, err = waitForChanges(ctx, env, before, scope, a.TreeOptions); err != nil {
			break
		}
		changed := len(diff) > 0
		after.HasUIChanges = &changed
		lines := make([]string, len(diff))
		for i, c := range diff {
			lines[i] = c.String()
			if env.Effects {
				lines[i] = withInside(c)
			}
		}
		after.UIDiff = strings.Join(lines, "\n")
	case a.IncludeTreeAfterAction:
		tree, err = ShowTree(ctx, env, scope, a.TreeOptions, nil)
	}
	if err != nil {
		return err
	}
	if a.IncludeTreeAfterAction && tree != nil {
		if after.UITree, _, err = a.TreeOptions.Write(tree); err != nil {
			return err
		}
	}
	return keepPictures(ctx, env, a.WindowOptions, scope.Window, after)
}

// waitForChanges waits until the tree differs from before and then is equal twice.
// Without any change it gives up after settleTimeout.
func waitForChanges(ctx context.Context, env *steps.Env, before *desktop.Tree, scope desktop.Scope, o TreeOptions) ([]desktop.Change, *desktop.Tree, error) {
	var last *desktop.Tree
	for start := time.Now(); ; {
		now, err := readTree(ctx, env, scope, o)
		if err != nil {
			return nil, nil, err
		}
		diff := desktop.DiffTrees(before, now)
		still := last != nil && len(desktop.DiffTrees(last, now)) == 0
		if late := time.Since(start) >= settleTimeout; len(diff) > 0 && still || late {
			if env.Trees != nil {
				env.Trees.Keep(now)
			}
			return diff, now, nil
		}
		last = now
		if err := steps.Sleep(ctx, settlePause); err != nil {
			return nil, nil, err
		}
	}
}

// dialogWithin bounds the search for a dialog.
const dialogWithin = 2 * time.Second

// NameDialog adds the open dialog or alert to the advice of a failed step, with its text
// and its buttons, unless it is there already: it is the usual reason for a failure.
func NameDialog(ctx context.Context, env *steps.Env, e *steps.Error) {
	ctx, cancel := context.WithTimeout(ctx, dialogWithin)
	defer cancel()
	if has, elsewhere := errors.AsType[*desktop.ElsewhereError](e); elsewhere {
		nameKeyWindow(ctx, env, e, has.Has)
		return
	}
	if strings.Contains(e.Next, aim.DialogIsOpen) {
		return
	}
	if open, title := openDialog(ctx, env); open != "" {
		e.Blocker = title
		e.Next = strings.TrimPrefix(e.Next+"; ", "; ") + open
	}
}

// openDialog describes the dialog that is open, and returns its title. They are "" if there is none, or if
// its application does not answer in time.
func openDialog(ctx context.Context, env *steps.Env) (hint, title string) {
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return "", ""
	}
	for _, w := range slices.Backward(windows) {
		if !w.Shows() || w.Popup || !w.Dialog && !w.Modal && !w.Active {
			continue
		}
		t, err := env.Desktop.Tree(ctx, desktop.Scope{Window: w.ID, Process: w.Process, Limit: mostElements, Full: true})
		if err != nil {
			continue
		}
		if text, title := aim.DialogHint(t.Roots); text != "" {
			env.Keyboard.Happened(w)
			return text, title
		}
	}
	return "", ""
}

// nameKeyWindow adds the window that has the keyboard, with its content, to the advice of
// a step whose keys were for another one.
func nameKeyWindow(ctx context.Context, env *steps.Env, e *steps.Error, w desktop.Window) {
	e.Next = "answer it with click_element, or name the element that should get the keys; if they are for this window, set expect_window"
	t, err := env.Desktop.Tree(ctx, desktop.Scope{Window: w.ID, Process: w.Process, Limit: mostElements, Full: true})
	if err != nil {
		return
	}
	if text, title := aim.DialogHint(t.Roots); text != "" {
		e.Blocker = title
		e.Next += "; " + text
		return
	}
	var shown []string
	t.Walk(func(el *desktop.Element) bool {
		if el.States.Has(desktop.Showing) && selector.NameOf(el) != "" {
			shown = append(shown, aim.Describe(el))
		}
		return len(shown) < mostChanges
	})
	if len(shown) > 0 {
		e.Next += "; it shows " + strings.Join(shown, ", ")
	}
}
