package observe

import (
	"context"
	"errors"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// ActionOptions are the arguments of every action: what to do before it and what to
// observe afterwards.
type ActionOptions struct {
	VerifyOptions         `in:"verify"`
	DiffOptions           `in:"show"`
	aim.WindowOptions     `in:"windows"`
	HighlightBeforeAction bool `json:"highlight_before_action,omitzero" in:"windows" as:"highlight" use:"rare" jsonschema:"show a frame around the element first"`
}

// DefaultActionOptions are the defaults of ActionOptions.
var DefaultActionOptions = ActionOptions{VerifyOptions: defaultVerify, DiffOptions: DiffOptions{TreeOptions: DefaultTreeOptions}, WindowOptions: aim.DefaultWindowOptions}

// AsksForMore reports whether anything besides the action is asked for that concerns
// its window.
func (a *ActionOptions) AsksForMore() bool {
	return a.VerifyElementExists != "" || a.VerifyElementNotExists != "" || a.UIDiffBeforeAfter || a.IncludeTreeAfterAction || a.IncludeWindowScreenshot
}

// DiffOptions ask for the changes of the elements of a window.
type DiffOptions struct {
	UIDiffBeforeAfter      bool `json:"ui_diff_before_after,omitzero" as:"changes" use:"rare" jsonschema:"say what the action changed in the window"`
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" as:"tree" use:"rare" jsonschema:"show the window's elements afterwards"`
	TreeOptions
}

// VerifyOptions name the elements that must, or must not, be there after an action.
type VerifyOptions struct {
	VerifyElementExists    steps.Selector `json:"verify_element_exists,omitzero" as:"exists" use:"rare" jsonschema:"an element that must be there afterwards"`
	VerifyElementNotExists steps.Selector `json:"verify_element_not_exists,omitzero" as:"gone" use:"rare" jsonschema:"an element that must be gone afterwards"`
	VerifyTimeoutMS        steps.Millis   `json:"verify_timeout_ms,omitzero" as:"timeout_ms" use:"rare" jsonschema:"how long to wait for that"`
}

var defaultVerify = VerifyOptions{VerifyTimeoutMS: 2000}

// ActionResult is what was observed after an action.
type ActionResult struct {
	Checked      Checked `json:"checked,omitzero" jsonschema:"whether the effect was verified; absent if there is none to verify"`
	HasUIChanges *bool   `json:"has_ui_changes,omitzero" jsonschema:"whether the window's elements changed, when that was asked"`
	UIDiff       string  `json:"ui_diff,omitzero" jsonschema:"which elements came, went and changed"`
	Effects
	Selector string `json:"selector,omitzero" jsonschema:"single calls only: a selector that finds the element again"`
	Seen
}

// Effects are what followed an action. They are for single calls.
type Effects struct {
	Happened string `json:"happened,omitzero" jsonschema:"single calls only: the windows that opened and closed afterwards, the focus, and what changed"`
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
	noteField(ctx, hand, el)
	var scope desktop.Scope
	var err error
	if a.AsksForMore() || hand.Effects {
		if scope, err = scopeOf(ctx, hand.Desktop, el); err != nil {
			return ActionResult{}, err
		}
	}
	var before *desktop.Tree
	if a.UIDiffBeforeAfter {
		if before, err = readTree(ctx, hand.Env, scope, a.TreeOptions); err != nil {
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
	if err != nil {
		err = after.note(ctx, err)
		return after, err
	}
	err = LookAfter(ctx, hand.Env, a, scope, before, &after)
	return after, err
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

// Verify waits until the screen is as v says. It reports false if v asks for nothing.
func Verify(ctx context.Context, hand *aim.Hand, v VerifyOptions, process string) (bool, error) {
	if v.VerifyElementExists == "" && v.VerifyElementNotExists == "" {
		return false, nil
	}
	within := aim.Within{Process: process}
	err := aim.WaitUntil(ctx, v.VerifyTimeoutMS.Std(), func(ctx context.Context) error {
		if err := checkShows(ctx, hand, within, v.VerifyElementExists, true); err != nil {
			return err
		}
		return checkShows(ctx, hand, within, v.VerifyElementNotExists, false)
	})
	if err != nil && steps.CodeOf(err) != steps.Invalid && ctx.Err() == nil {
		err = steps.Errorf(steps.Unexpected, "the action was done, but its effect was not seen: %w", err).
			WithNext("look at the screen before doing it again")
	}
	return err == nil, err
}

// checkShows returns an error unless an element is there, or is not there, as wanted.
func checkShows(ctx context.Context, hand *aim.Hand, within aim.Within, text steps.Selector, want bool) error {
	if text == "" {
		return nil
	}
	alone, err := steps.ParseSelector(text)
	if err != nil {
		return err
	}
	if alone.Scope().Process != "" { // it says itself where to look
		within = aim.Within{}
	}
	all, err := within.Inside([]steps.Selector{text})
	if err != nil {
		return err
	}
	s, err := aim.Search(ctx, hand, all, aim.SearchOptions{})
	if err != nil {
		return err
	}
	if want && len(s.Found) == 0 {
		why, _ := s.Selector.Explain(s.Roots)
		return &steps.Error{Code: steps.NotFound, Err: errors.New(why)}
	}
	if !want {
		return s.None()
	}
	return nil
}
