package observe

import (
	"context"
	"errors"
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
	Effects
	Selector string `json:"selector,omitzero" jsonschema:"of a call of its own: a selector that finds the element again"`
	Seen
}

// Effects are what followed an action. They are for single calls.
type Effects struct {
	Happened string `json:"happened,omitzero" jsonschema:"of a call of its own: the windows that opened and closed afterwards, the focus, and what changed"`
}

// Checked is the outcome of reading back the intended effect of an action. If the effect
// is missing, the step fails, unless its result tells what is the case instead, such as
// a window that moved as far as it may.
type Checked string

func (Checked) Words() []string { return []string{"yes", "no", "not_possible"} }

// The outcomes of a check. Unchecked is for actions with nothing to read back.
const (
	Unchecked   Checked = ""
	Yes         Checked = "yes"
	No          Checked = "no"
	NotPossible Checked = "not_possible"
)

// YesIf returns Yes or No.
func YesIf(is bool) Checked {
	if is {
		return Yes
	}
	return No
}

// highlightFor is how long the frame shows before the action.
const highlightFor = 500 * time.Millisecond

// Action runs act on el, with the observations before and after it that a asks for. act
// returns the outcome of reading its effect back. Without an element the active window is
// observed.
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
		if el != nil && around.tree != nil {
			after.Selector = aim.UniqueSelector(el, around.tree.Roots)
		}
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
		if before != nil { // the diff reports the elements
			around.tree = nil
		}
		var now surroundings
		if now, err = settled(ctx, hand.Env, around, scope); err == nil {
			after.Happened = happened(ctx, hand.Env, el, around, now)
		}
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

// ElementResult is the element that a step acted on, and what was observed afterwards.
type ElementResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element, as it was last seen"`
	ActionResult
}
