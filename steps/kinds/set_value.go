package kinds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/kinds/pagecontrol"
	"understudy/steps/observe"
)

// SetValue sets the value of an element at once.
var SetValue = steps.Define(steps.Kind{
	Name:       "set_value",
	Summary:    "Set the text of a field or the number of a slider at once, and check it.",
	Details:    "Where an application watches keys, use type_into_element.",
	Toolset:    steps.Core,
	Idempotent: true,
}, SetValueArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(setValue))

// SetValueArgs says which value to set, and where.
type SetValueArgs struct {
	aim.Target        `in:"target"`
	Value             steps.Value `json:"value" use:"typed" jsonschema:"in web pages also a date (2006-01-02), #rrggbb, the path of a file, or options, one a line"`
	AcceptReformatted bool        `json:"accept_reformatted,omitzero" use:"rare" jsonschema:"accept that the field reformats the value, such as 1234 to 1,234; without it, or an expect of the step, that is an error"`
	observe.ActionOptions
}

// ValueResult says what the element holds now.
type ValueResult struct {
	Value       *string          `json:"value,omitzero" jsonschema:"what the element holds now, when it can be read"`
	Reformatted bool             `json:"reformatted,omitzero" jsonschema:"the field reformatted the value, which was accepted"`
	Element     *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	observe.ActionResult
}

func setValue(ctx context.Context, hand *aim.Hand, a SetValueArgs) (ValueResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Handle: true, Enabled: true, Hidden: true})
	if err != nil {
		return ValueResult{}, err
	}
	observe.NoteTarget(hand.Env, el)
	if err := aim.BringIntoView(ctx, hand, el, a.WindowOptions); err != nil {
		return ValueResult{}, err
	}
	r := ValueResult{Element: aim.Plain(el)}
	if control := pagecontrol.Of(el); control != nil {
		err := r.setControl(ctx, hand, el, control, a)
		return r, err
	}
	set, is, err := setter(hand.Desktop, el, string(a.Value))
	if err != nil {
		return ValueResult{}, err
	}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		err := set(ctx)
		if errors.Is(err, desktop.ErrRefused) && typable(el, string(a.Value)) {
			err = typeInPlace(ctx, hand, el, string(a.Value), a.WindowOptions)
		}
		if errors.Is(err, desktop.ErrRefused) {
			return observe.Unchecked, &steps.Error{Code: steps.NotActionable, Err: err, Next: "use type_into_element, or select_option for a list"}
		} else if err != nil {
			return observe.Unchecked, err
		}
		now, err := observe.WaitUntilIs(ctx, hand, el, is)
		if now != nil {
			r.Element, r.Value = aim.Plain(now), valueOf(now)
			if el.Role == "password" { // it may show its text by now, and have another role
				r.Value, r.Element.Text = nil, ""
			}
		}
		if now != nil && steps.CodeOf(err) == steps.Unexpected && pagecontrol.StepsByKeys(el) {
			if now, err = pagecontrol.StepByKeys(ctx, hand, el, string(a.Value), is, a.WindowOptions); now != nil {
				r.Element, r.Value = aim.Plain(now), valueOf(now)
			}
		}
		checked := observe.YesIf(err == nil)
		if now != nil && steps.CodeOf(err) == steps.Unexpected {
			err = r.differs(hand, el, a, err)
		}
		return checked, err
	})
	return r, err
}

// setControl sets a control of a page.
func (r *ValueResult) setControl(ctx context.Context, hand *aim.Hand, el *desktop.Element, control *pagecontrol.Control, a SetValueArgs) (err error) {
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		checked, err := control.Set(ctx, hand, el, string(a.Value), pagecontrol.Options{WindowOptions: a.WindowOptions, Within: a.SearchTime()})
		if err == nil {
			r.Value = new(string(a.Value))
		}
		if now, err := hand.Desktop.Refresh(ctx, el.Handle); err == nil {
			r.Element = aim.Plain(now)
		}
		return checked, err
	})
	return err
}

// differs returns the error of an element that holds another value than it was set to;
// nil if that is accepted.
func (r *ValueResult) differs(hand *aim.Hand, was *desktop.Element, a SetValueArgs, err error) error {
	if hand.IsSecret(string(a.Value)) { // the element may show it in another form
		r.Value, r.Element.Text = nil, ""
		return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s may not have the value that was set, and its value cannot be read", aim.Describe(was))}
	}
	if r.Value == nil {
		return err
	}
	formatted := was.Value == nil && observe.Reformatted(string(a.Value), *r.Value)
	switch {
	case a.AcceptReformatted && (formatted || *r.Value != *valueOf(was)), formatted && hand.Expects:
		r.Reformatted = true
		return nil
	case formatted:
		return &steps.Error{Code: steps.Unexpected, Err: steps.AsError(err).Err, Next: observe.AdviseAccept}
	}
	return err
}

// isNumberField reports whether an element is a field of a page for a number. Its text
// counts; its value cannot be set.
func isNumberField(el *desktop.Element) bool { return el.Attributes["text-input-type"] == "number" }

// typable reports whether a text can be typed into an element without another effect: a
// line break may send a form, and a tab leave the field.
func typable(el *desktop.Element, text string) bool {
	breaks := strings.ContainsAny(text, "\n\r")
	return (el.Value == nil || isNumberField(el)) && el.States.Has(desktop.Editable) && !el.States.Has(desktop.ReadOnly) &&
		!strings.Contains(text, "\t") && (!breaks || el.States.Has(desktop.MultiLine))
}

// typeInPlace replaces the text of a field by typing, for which it takes the focus.
func typeInPlace(ctx context.Context, hand *aim.Hand, el *desktop.Element, text string, o aim.WindowOptions) error {
	if err := aim.BringToFront(ctx, hand, o, el.Window); err != nil {
		return err
	}
	_, err := aim.TypeInto(ctx, hand, el, text, aim.Typing{Clear: true, Focus: aim.FocusOptions{Grab: true}, Method: aim.Keys, Commit: aim.CommitCell})
	return err
}

// setter returns how to set a value of an element, and how to check it.
func setter(d *desktop.Desktop, el *desktop.Element, value string) (set func(context.Context) error, is func(*desktop.Element) bool, err error) {
	if el.Value == nil || isNumberField(el) {
		set = func(ctx context.Context) error { return d.Do(ctx, desktop.SetText{Element: el.Handle, Text: value}) }
		return set, func(now *desktop.Element) bool { return observe.Arrived(now.Role, "", now.Text, value, true) }, nil
	}
	n, err := strconv.ParseFloat(value, 64)
	limited := el.Value.Min != el.Value.Max // pages often do not say
	if err != nil || math.IsNaN(n) || limited && !(n >= el.Value.Min && n <= el.Value.Max) {
		return nil, nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s holds a number from %g to %g, found %q", aim.Describe(el), el.Value.Min, el.Value.Max, value)}
	}
	near := 1e-6 * max(1, math.Abs(n)) // a spin button may have no limits
	if limited {
		near = min(near, 1e-6*(el.Value.Max-el.Value.Min))
	}
	set = func(ctx context.Context) error { return d.Do(ctx, desktop.SetNumber{Element: el.Handle, Value: n}) }
	return set, func(now *desktop.Element) bool { return now.Value != nil && math.Abs(now.Value.Now-n) <= near }, nil
}

// valueOf returns what an element holds; nil if that may not be shown.
func valueOf(el *desktop.Element) *string {
	text := el.Text
	switch {
	case el.Role == "password":
		return nil
	case el.Value != nil && !isNumberField(el):
		text = strconv.FormatFloat(el.Value.Now, 'g', -1, 64)
	}
	return &text
}
