package steps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"understudy/steps/desktop"
)

// SetValue sets the value of an element at once.
var SetValue = Define(Kind{
	Name:       "set_value",
	Summary:    "Set the text of a field, or the number of a slider, at once and check it.",
	Details:    "Does not press keys, so an application that watches typing may not notice; then use type_into_element. A web page is typed into.",
	Toolset:    Core,
	Touches:    Act,
	Idempotent: true,
}, SetValueArgs{Target: aimed, Around: around}, setValue)

// SetValueArgs says which value to set, and where.
type SetValueArgs struct {
	Target
	Value Value `json:"value" jsonschema:"the text or the number"`
	Around
}

// Value is a text or a number in an argument.
type Value string

// UnmarshalJSON reads a text or a number.
func (v *Value) UnmarshalJSON(b []byte) error {
	text, err := textOf(b)
	*v = Value(text)
	return err
}

// ValueResult says what the element holds now.
type ValueResult struct {
	Value   *string          `json:"value,omitzero" jsonschema:"what the element holds now, when it can be read"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	After
}

func setValue(ctx context.Context, env *Env, a SetValueArgs) (ValueResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{handle: true, enabled: true, hidden: true})
	if err != nil {
		return ValueResult{}, err
	}
	set, is, err := env.setter(el, string(a.Value))
	if err != nil {
		return ValueResult{}, err
	}
	env.notePassword(el)
	r := ValueResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		err := set(ctx)
		if errors.Is(err, desktop.ErrRefused) && typable(el, string(a.Value)) {
			err = env.typeInPlace(ctx, el, string(a.Value), a.WindowOptions)
		}
		if errors.Is(err, desktop.ErrRefused) {
			return false, &Error{Code: NotActionable, Err: err, Next: "use type_into_element, or select_option for a list"}
		} else if err != nil {
			return false, err
		}
		now, err := env.becomes(ctx, el, is)
		if now != nil {
			r.Element, r.Value = plain(now), valueOf(now)
		}
		return err == nil, err
	})
	return r, err
}

// typable says whether a text can be typed into an element, and does nothing
// else there: a line end may send a form, and a tab leave the field.
func typable(el *desktop.Element, text string) bool {
	breaks := strings.ContainsAny(text, "\n\r")
	return el.Value == nil && el.States.Has(desktop.Editable) && !el.States.Has(desktop.ReadOnly) &&
		!strings.Contains(text, "\t") && (!breaks || el.States.Has(desktop.MultiLine))
}

// typeInPlace types a text in place of what a field holds. It takes the focus,
// without which keys go elsewhere.
func (e *Env) typeInPlace(ctx context.Context, el *desktop.Element, text string, o WindowOptions) error {
	if err := e.front(ctx, o, el.Window); err != nil {
		return err
	}
	_, err := e.typeInto(ctx, el, text, typing{clear: true, focus: focusOptions{grab: true}})
	return err
}

// setter is what sets a value of an element, and what says that it is so.
func (e *Env) setter(el *desktop.Element, value string) (set func(context.Context) error, is func(*desktop.Element) bool, err error) {
	if el.Value == nil {
		set = func(ctx context.Context) error { return e.Desktop.SetText(ctx, el.Handle, value) }
		return set, func(now *desktop.Element) bool { return arrived(now.Role, "", now.Text, value, true) }, nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, nil, &Error{Code: Invalid, Err: fmt.Errorf("value: %s holds a number from %g to %g, found %q", inWords(el), el.Value.Min, el.Value.Max, value)}
	}
	if n < el.Value.Min || n > el.Value.Max {
		return nil, nil, &Error{Code: Invalid, Err: fmt.Errorf("value: %s holds a number from %g to %g, found %g", inWords(el), el.Value.Min, el.Value.Max, n)}
	}
	near := (el.Value.Max - el.Value.Min) * 1e-6
	set = func(ctx context.Context) error { return e.Desktop.SetNumber(ctx, el.Handle, n) }
	return set, func(now *desktop.Element) bool { return now.Value != nil && math.Abs(now.Value.Now-n) <= near }, nil
}

// becomes waits until an element is as an action was to make it.
func (e *Env) becomes(ctx context.Context, el *desktop.Element, is func(*desktop.Element) bool) (now *desktop.Element, err error) {
	err = e.follows(ctx, arrival, func(ctx context.Context) error {
		n, err := e.Desktop.Refresh(ctx, el.Handle)
		if err != nil {
			return err
		}
		if now = n; !is(n) {
			return &Error{Code: Unexpected, Err: fmt.Errorf("%s did not become what it was set to", inWords(el)), Next: "look at the screen before doing it again"}
		}
		return nil
	})
	return now, err
}

// valueOf is what an element holds, when that may be shown.
func valueOf(el *desktop.Element) *string {
	text := el.Text
	switch {
	case el.Role == "password":
		return nil
	case el.Value != nil:
		text = strconv.FormatFloat(el.Value.Now, 'g', -1, 64)
	}
	return &text
}
