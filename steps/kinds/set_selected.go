package kinds

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// SetSelected checks, selects or switches an element, or the opposite.
var SetSelected = steps.Define(steps.Kind{
	Name:       "set_selected",
	Summary:    "Check a checkbox, choose a radio button, select an item or switch a toggle on.",
	Toolset:    steps.Core,
	Idempotent: true,
}, SetSelectedArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(setSelected))

// SetSelectedArgs says what to select, or not.
type SetSelectedArgs struct {
	aim.Target `in:"target"`
	State      bool `json:"state" jsonschema:"false to undo it"`
	observe.ActionOptions
}

// SetSelectedResult says how it was and how it is.
type SetSelectedResult struct {
	State   bool             `json:"state" jsonschema:"whether it is selected or checked now"`
	Changed bool             `json:"changed" jsonschema:"whether it was otherwise before"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	observe.ActionResult
}

func setSelected(ctx context.Context, hand *aim.Hand, a SetSelectedArgs) (SetSelectedResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Handle: true, Enabled: true, Windows: a.WindowOptions})
	if err != nil {
		return SetSelectedResult{}, err
	}
	state := observe.ToggleState(el)
	if state == 0 {
		return SetSelectedResult{}, aim.NotActionable(el, "can be neither checked nor selected", "click it with click_element")
	}
	is := func(now *desktop.Element) bool {
		return (now.States&state != 0) == a.State && !now.States.Has(desktop.Indeterminate)
	}
	changes := !is(el)
	if changes && !a.State && (el.Role == "radiobutton" || el.Role == "radiomenuitem") {
		return SetSelectedResult{}, aim.NotActionable(el, "cannot be switched off by itself", "choose another of its group")
	}
	r := SetSelectedResult{State: a.State, Changed: changes, Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		if !changes {
			return observe.Yes, nil
		}
		if err := aim.CheckSameRow(ctx, hand.Desktop, el); err != nil {
			return observe.Unchecked, err
		}
		for again := true; ; again = false { // one with three states may have to be turned twice
			if err := turn(ctx, hand, el, state, a.State); err != nil {
				return observe.Unchecked, err
			}
			now, err := observe.WaitUntilIs(ctx, hand, el, is)
			r.Element = cmp.Or(aim.Plain(now), r.Element)
			if err == nil || !again || now == nil || now.States == el.States || !(el.States | now.States).Has(desktop.Indeterminate) {
				return observe.YesIf(err == nil), err
			}
		}
	})
	return r, err
}

// turn switches an element on or off: through its container, by its own action, or by a
// click, whichever the application accepts first.
func turn(ctx context.Context, hand *aim.Hand, el *desktop.Element, state desktop.States, on bool) error {
	if state == desktop.Selected && el.Parent != nil {
		if err := hand.Desktop.Do(ctx, desktop.Select{Container: el.Parent.Handle, Child: el.Index, On: on}); !errors.Is(err, desktop.ErrRefused) {
			return err
		}
	}
	action := observe.ToggleAction(el)
	if state != desktop.Selected || action != "" || slices.ContainsFunc(el.Actions, selects) {
		if err := hand.Desktop.Do(ctx, desktop.Invoke{Element: el.Handle, Action: action}); !errors.Is(err, desktop.ErrRefused) {
			return err
		}
	}
	if state == desktop.Selected && !on {
		return aim.NotActionable(el, "cannot be deselected on request", "click it with click_element and the modifier ctrl")
	}
	return aim.PressElement(ctx, hand, el, true)
}

// selects reports whether an action of an item is like a click. The default action of
// others may be that of a double click, which opens what they stand for.
func selects(action string) bool {
	return slices.Contains([]string{"click", "press", "select"}, strings.ToLower(action))
}
