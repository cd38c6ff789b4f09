package observe

import (
	"context"
	"errors"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
)

// ActionResult is what was observed after an action.
type ActionResult struct {
	Checked      Checked `json:"checked,omitzero" jsonschema:"whether what it was to bring about was read back and is so; absent where nothing can be"`
	HasUIChanges *bool   `json:"has_ui_changes,omitzero" jsonschema:"whether the window's elements changed, when that was asked"`
	UIDiff       string  `json:"ui_diff,omitzero" jsonschema:"which elements came, went and changed"`
	// Happened and Selector are for calls of their own.
	Happened string `json:"happened,omitzero" jsonschema:"of a call of its own: the windows that opened and closed afterwards, the focus, and what changed"`
	Selector string `json:"selector,omitzero" jsonschema:"of a call of its own: a selector that finds the element again"`
	Seen
}

// Checked says what came of reading back what an action was to bring about. What
// was read back and is not so is an error of the step, except where its result says
// what is instead, such as a window that went as near as it may.
type Checked string

func (Checked) Words() []string { return []string{"yes", "no", "not_possible"} }

// The outcomes of a check. Unchecked is for actions with nothing to read back.
const (
	Unchecked   Checked = ""
	Yes         Checked = "yes"
	No          Checked = "no"
	NotPossible Checked = "not_possible"
)

// YesIf is the outcome of a check by what it found.
func YesIf(is bool) Checked {
	if is {
		return Yes
	}
	return No
}

// highlightFor is how long the frame shows before the action.
const highlightFor = 500 * time.Millisecond

// Action runs act on el with what o asks for before and after. act reports what came
// of reading its effect back. Without an element the active window is observed.
func Action(ctx context.Context, hand *aim.Hand, a ActionOptions, el *desktop.Element, act func() (Checked, error)) (ActionResult, error) {
	if a.HighlightBeforeAction && el != nil && !el.Bounds.Empty() {
		if err := hand.Desktop.Do(ctx, desktop.Mark{Area: el.Bounds, Label: string(el.Role), For: highlightFor}); err != nil && !errors.Is(err, desktop.ErrUnavailable) {
			return ActionResult{}, err
		}
		if err := steps.Sleep(ctx, highlightFor); err != nil {
			return ActionResult{}, err
		}
	}
	var scope desktop.Scope
	var err error
	if a.AsksForMore() || hand.Effects {
		if scope, err = scopeOf(ctx, hand.Desktop, el); err != nil {
			return ActionResult{}, err
		}
	}
	var before *desktop.Tree
	if a.UIDiffBeforeAfter {
		if before, err = readTree(ctx, hand.Desktop, scope, a.TreeOptions); err != nil {
			return ActionResult{}, err
		}
	}
	var after ActionResult
	var around surroundings
	if hand.Effects {
		if around, err = look(ctx, hand.Env, scope); err != nil {
			return after, err
		}
		after.Selector = lasting(el, around.tree)
	}
	if after.Checked, err = act(); err != nil {
		return after, err
	}
	verified, err := Verify(ctx, hand, a.VerifyOptions, scope.Process)
	if verified {
		after.Checked = Yes
	}
	if err != nil {
		return after, err
	}
	if hand.Effects {
		if before != nil { // the diff tells of the elements
			around.tree = nil
		}
		err = tellWhatHappened(ctx, hand.Env, scope, el, around, &after)
	}
	if err == nil {
		err = LookAfter(ctx, hand.Env, a, scope, before, &after)
	}
	if err != nil {
		if ctx.Err() != nil {
			return after, err
		}
		after.NotSeen = err.Error()
	}
	return after, nil
}

// tellWhatHappened waits until what follows an action has settled, and says it.
func tellWhatHappened(ctx context.Context, env *steps.Env, scope desktop.Scope, el *desktop.Element, before surroundings, after *ActionResult) error {
	now, err := settled(ctx, env, before, scope)
	if err == nil {
		after.Happened = happened(ctx, env, el, before, now)
	}
	return err
}

// LookAfter observes what was asked for after an action. The action is done, so what
// cannot be observed, such as a window that it closed, is noted and is no failure.
func LookAfter(ctx context.Context, env *steps.Env, a ActionOptions, scope desktop.Scope, before *desktop.Tree, after *ActionResult) error {
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
		tree, err = ShowTree(ctx, env, scope, a.TreeOptions)
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

// scopeOf returns the window of el, or the active one.
func scopeOf(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (desktop.Scope, error) {
	if el != nil && el.Window != 0 {
		return desktop.Scope{Window: el.Window, Process: el.Process}, nil
	}
	w, err := aim.ActiveWindow(ctx, d)
	if err != nil || w == nil {
		return desktop.Scope{}, err
	}
	return desktop.Scope{Window: w.ID, Process: w.Process}, nil
}

// keepPictures takes and stores the pictures that were asked for.
func keepPictures(ctx context.Context, env *steps.Env, o aim.WindowOptions, id desktop.WindowID, after *ActionResult) error {
	var areas []desktop.Rect
	if o.IncludeWindowScreenshot {
		windows, err := env.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		if w := windows.ByID(id); w != nil {
			if err := aim.Placed(*w); err != nil {
				return err
			}
			areas = append(areas, w.Bounds)
		}
	}
	if o.IncludeMonitorScreenshot {
		areas = append(areas, desktop.Rect{})
	}
	for _, area := range areas {
		p, shown, err := Capture(ctx, env, area)
		if err != nil {
			return err
		}
		uri, err := KeepPicture(ctx, env, p)
		if err != nil {
			return err
		}
		after.Screenshots, after.Shown = append(after.Screenshots, uri), append(after.Shown, shown)
	}
	return nil
}

// ElementResult is the element that a step acted on, and what was observed afterwards.
type ElementResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element, as it was last seen"`
	ActionResult
}
