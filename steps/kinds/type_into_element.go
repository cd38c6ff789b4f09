package kinds

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/observe"
)

// TypeIntoElement types text into an element.
var TypeIntoElement = steps.Define(steps.Kind{
	Name:    "type_into_element",
	Summary: "Type text into a field and check that it arrived.",
	Details: "A trailing {Enter}, {Tab} or {Escape} is pressed as a key.",
	Toolset: steps.Core,
	Touches: steps.Act,
	Timeout: 2 * time.Minute,
}, TypeIntoArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, Method: aim.Auto, ClearBeforeTyping: true, TryFocusBefore: true, TryClickBefore: true}, aim.With(typeIntoElement))

// TypeIntoArgs says what to type, and where.
type TypeIntoArgs struct {
	aim.Target
	TextToType        string     `json:"text_to_type" jsonschema:"the text"`
	ClearBeforeTyping bool       `json:"clear_before_typing,omitzero" jsonschema:"replace what the field holds; false adds to it"`
	Method            aim.Method `json:"method,omitzero" use:"rare" jsonschema:"how the text goes in: keys as a person types; text by the field's own editing; paste from the clipboard, which then gets back what it held; auto is keys, but for more than 300 characters text or else paste, if the field can be read and is no password, and no key of the text would leave it or send it"`
	TryFocusBefore    bool       `json:"try_focus_before,omitzero" use:"rare" jsonschema:"give the field the focus first"`
	TryClickBefore    bool       `json:"try_click_before,omitzero" use:"rare" jsonschema:"click the field when it does not take the focus otherwise"`
	observe.ActionOptions
}

// TypeIntoResult says what the field holds now.
type TypeIntoResult struct {
	Value   *string          `json:"value,omitzero" jsonschema:"what the field holds now, when it can be read"`
	Method  aim.Method       `json:"method,omitzero" jsonschema:"how the text went in, when it was not by keys"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the field"`
	observe.ActionResult
}

// trailing are the keys at the end of a text that are pressed, not typed.
var trailing = regexp.MustCompile(`(?i)(\{(enter|tab|escape)\})+$`)

func typeIntoElement(ctx context.Context, hand *aim.Hand, a TypeIntoArgs) (TypeIntoResult, error) {
	text := trailing.ReplaceAllString(a.TextToType, "")
	var keys []desktop.Chord
	if end := a.TextToType[len(text):]; end != "" {
		var err error
		if keys, err = desktop.ParseKeys(end); err != nil {
			return TypeIntoResult{}, &steps.Error{Code: steps.Invalid, Err: err}
		}
	}
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Enabled: true, Windows: a.WindowOptions})
	if err != nil {
		return TypeIntoResult{}, err
	}
	if el.States.Has(desktop.ReadOnly) {
		return TypeIntoResult{}, aim.NotActionable(el, "can only be read", "name another field")
	}
	if takesNoText(el) {
		return TypeIntoResult{}, aim.NotActionable(el, "takes no text", fieldsBeside(el))
	}
	observe.NotePassword(hand.Env, el)
	r := TypeIntoResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (bool, error) {
		typed, err := aim.TypeInto(ctx, hand, el, text, aim.Typing{Clear: a.ClearBeforeTyping, Focus: aim.FocusOptions{Grab: a.TryFocusBefore, Click: a.TryClickBefore}, Method: a.Method})
		defer typed.Release(ctx)
		if err != nil {
			return false, err
		}
		if typed.Method != aim.Keys {
			r.Method = typed.Method
		}
		verified, err := r.readBack(ctx, hand.Desktop, el, typed.Before, text, a.ClearBeforeTyping)
		if err != nil || len(keys) == 0 {
			return verified, err
		}
		if err := aim.PressKeys(ctx, hand.Desktop, keys); err != nil {
			return verified, err
		}
		return verified, aim.WaitUntilRead(ctx, hand.Desktop)
	})
	return r, err
}

// takesNoText says whether an element is of a sort into which nobody can type. To
// click it and to type all the same would type into whatever has the focus then.
func takesNoText(el *desktop.Element) bool {
	// A picture shows no more than its looks.
	return el.Handle != "" && !el.States.Has(desktop.Editable) && el.Role.Is(desktop.NoText)
}

// mostFields is how many fields a message names.
const mostFields = 5

// fieldsBeside names the fields of the window that an element is in.
func fieldsBeside(el *desktop.Element) string {
	top := el
	for top.Parent != nil {
		top = top.Parent
	}
	var fields []string
	top.Walk(func(e *desktop.Element) bool {
		if e.States.Has(desktop.Editable) && e.States.Has(desktop.Showing) && e.Window == el.Window && len(fields) < mostFields {
			fields = append(fields, best(e, top))
		}
		return true
	})
	if len(fields) == 0 {
		return "name a field; get_window_tree shows what there is"
	}
	return "name a field, such as " + strings.Join(fields, ", ")
}

// best is the selector that names an element best below another; in words when
// there is none.
func best(e, top *desktop.Element) string {
	for _, c := range selector.For(e, []*desktop.Element{top}) {
		if c.Matches == 1 {
			return c.Selector
		}
	}
	return aim.Describe(e)
}

// readBack waits until a field holds what was typed, and says whether it does.
// A field may change what is typed, so something else is no failure while it
// has the focus; nothing at all is.
func (r *TypeIntoResult) readBack(ctx context.Context, d *desktop.Desktop, el *desktop.Element, before, text string, cleared bool) (bool, error) {
	if text == "" && !cleared || el.Handle == "" {
		return false, nil
	}
	now, err := r.waitForText(ctx, d, el, before, func(now string) bool { return observe.Arrived(el.Role, before, now, text, cleared) })
	if el.Role != "password" && now != "" {
		r.Value = &now
	}
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, err
	case errors.Is(err, desktop.ErrNotFound):
		return false, nil // the field went away, which may be what typing was for
	case now == before && now != "" && el.Role != "password":
		return false, &steps.Error{
			Code: steps.Unexpected,
			Err:  fmt.Errorf("nothing arrived in %s: it still holds %s", aim.Describe(el), steps.Quote(now)),
			Next: "look whether something else has the focus",
		}
	}
	return false, strayed(ctx, d, el, now)
}

// waitForText waits until a field holds a text, and returns what it holds. As long as
// that changes it waits on, because a long text takes an application long.
func (r *TypeIntoResult) waitForText(ctx context.Context, d *desktop.Desktop, el *desktop.Element, before string, is func(string) bool) (now string, err error) {
	now = before
	for grows := true; grows; {
		first := true
		grows = false
		err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			e, err := d.Refresh(ctx, el.Handle)
			if err != nil {
				return err
			}
			grows = grows || !first && now != e.Text
			first, now, r.Element = false, e.Text, aim.Plain(e)
			if !is(now) {
				return steps.Errorf(steps.Unexpected, "not there yet")
			}
			return nil
		})
		grows = grows && err != nil && ctx.Err() == nil && !errors.Is(err, desktop.ErrNotFound)
	}
	return now, err
}

// strayed fails when the focus left a field that does not hold what was typed:
// what is missing went elsewhere. A field that keeps the focus may have changed
// the text on purpose.
func strayed(ctx context.Context, d *desktop.Desktop, el *desktop.Element, now string) error {
	has, err := aim.HasFocus(ctx, d, el)
	if has || err != nil {
		return err
	}
	holds := "what it holds does not show"
	if el.Role != "password" {
		holds = "it holds " + steps.Quote(now)
	}
	return &steps.Error{
		Code: steps.Unexpected,
		Err:  fmt.Errorf("the focus left %s while it was typed into: %s%s", aim.Describe(el), holds, aim.FocusedElsewhere(ctx, d)),
		Next: "look where the rest of the text went",
	}
}
