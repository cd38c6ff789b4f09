package kinds

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/kinds/pagecontrol"
	"understudy/steps/observe"
)

// TypeIntoElement types text into an element.
var TypeIntoElement = steps.Define(steps.Kind{
	Name:    "type_into_element",
	Summary: "Type text into a field and check that it arrived.",
	Details: "A trailing {Enter}, {Tab} or {Escape} is a key.",
	Toolset: steps.Core,
	Timeout: 2 * time.Minute,
}, TypeIntoArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, Method: aim.Auto, ClearBeforeTyping: true, TryFocusBefore: true, TryClickBefore: true}, aim.With(typeIntoElement))

// TypeIntoArgs says what to type, and where.
type TypeIntoArgs struct {
	aim.Target        `in:"target"`
	TextToType        string     `json:"text_to_type" use:"typed" jsonschema:"the text"`
	ClearBeforeTyping bool       `json:"clear_before_typing,omitzero" jsonschema:"false adds to what it holds"`
	AcceptReformatted bool       `json:"accept_reformatted,omitzero" use:"rare" jsonschema:"accept that the field reformats the text, such as 1234 to 1,234; without it, or an expect of the step, that is an error"`
	Method            aim.Method `json:"method,omitzero" use:"rare" jsonschema:"how the text goes in: keys as a person types; text by the field's own editing; paste from the clipboard, which then gets back what it held; auto is keys, but for more than 300 characters text or else paste, if the field can be read and is no password, and no key of the text would leave it or send it"`
	TryFocusBefore    bool       `json:"try_focus_before,omitzero" use:"rare" jsonschema:"give the field the focus first"`
	TryClickBefore    bool       `json:"try_click_before,omitzero" use:"rare" jsonschema:"click the field when it does not take the focus otherwise"`
	observe.ActionOptions
}

// TypeIntoResult says what the field holds now.
type TypeIntoResult struct {
	Value       *string `json:"value,omitzero" jsonschema:"what the field holds now, when it can be read; after the keys, when there were any"`
	Reformatted bool    `json:"reformatted,omitzero" jsonschema:"the field reformatted the text, which was accepted"`
	observe.KeysResult
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
	if text == "" {
		hand.NoteTyped(false) // the keys are no secret
	}
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Enabled: true, Unfit: takesNoText, Windows: a.WindowOptions})
	if err != nil {
		return TypeIntoResult{}, err
	}
	if el.States.Has(desktop.ReadOnly) {
		return TypeIntoResult{}, aim.NotActionable(el, "can only be read", "name another field")
	}
	if c := pagecontrol.Of(el); c != nil {
		return TypeIntoResult{}, aim.NotActionable(el, "is no field", "use set_value with "+c.Wants)
	}
	if takesNoText(el) {
		return TypeIntoResult{}, aim.NotActionable(el, "takes no text", fieldsBeside(el))
	}
	if text != "" {
		observe.NoteTarget(hand.Env, el)
	}
	r := TypeIntoResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		if err := a.undo(ctx, hand, el); err != nil {
			return observe.Unchecked, err
		}
		checked, err := r.enter(ctx, hand, el, text, keys, a)
		if text != "" && (err != nil || el.Handle == "" || !a.TryFocusBefore && !a.TryClickBefore) {
			observe.NoteFocus(ctx, hand.Env) // which may be elsewhere
		}
		if err != nil || len(keys) == 0 || aim.IsSheetCell(el) {
			return checked, err
		}
		if r.KeysResult, err = observe.PressKeys(ctx, hand, el, keys); err != nil {
			return checked, err
		}
		return checked, r.readAgain(ctx, hand, el)
	})
	return r, err
}

// enter types a text into a field and reads it back.
func (r *TypeIntoResult) enter(ctx context.Context, hand *aim.Hand, el *desktop.Element, text string, keys []desktop.Chord, a TypeIntoArgs) (observe.Checked, error) {
	if len(keys) == 0 {
		keys = aim.CommitCell
	}
	o := a.typing()
	o.Clear, o.Method, o.Commit = a.ClearBeforeTyping, a.Method, keys
	o.Found = func(before string) {
		if hand.Held != nil {
			hand.Held.CompareAndSwap(nil, &before)
		}
	}
	typed, err := aim.TypeInto(ctx, hand, el, text, o)
	defer typed.Release(ctx)
	if err != nil {
		return observe.Unchecked, err
	}
	if typed.Method != aim.Keys {
		r.Method = typed.Method
	}
	if text == "" && !a.ClearBeforeTyping {
		return observe.Unchecked, nil
	}
	now, checked, err := observe.ReadBack(ctx, hand, el, observe.TypedText{
		Text: text, Before: typed.Before, Cleared: a.ClearBeforeTyping, Accept: a.AcceptReformatted || aim.IsSheetCell(el) && strings.HasPrefix(text, "="),
	})
	r.Value, r.Reformatted, r.Element = now.Value, now.Reformatted, now.Element
	return checked, err
}

// typing returns how a field gets the focus.
func (a *TypeIntoArgs) typing() aim.Typing {
	return aim.Typing{Focus: aim.FocusOptions{Grab: a.TryFocusBefore, Click: a.TryClickBefore}}
}

// undo restores what a field held before an earlier try of this step typed into it, so
// that nothing is typed twice. A field that is emptied first does not need it.
func (a *TypeIntoArgs) undo(ctx context.Context, hand *aim.Hand, el *desktop.Element) error {
	if a.ClearBeforeTyping || hand.Held == nil || el.Handle == "" {
		return nil
	}
	held := hand.Held.Load()
	if held == nil {
		return nil
	}
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil || len(now.Text) <= len(*held) {
		return err // it holds no more than then, as one that was created anew
	}
	if el.Role == "password" { // its text is unknown
		return aim.NotActionable(el, "may hold a part of what the try before typed", "set clear_before_typing, or give the step no retry")
	}
	o := a.typing()
	o.Clear = true
	_, err = aim.TypeInto(ctx, hand, el, *held, o)
	return err
}

// readAgain reads what a field holds after the keys, if it is still there.
func (r *TypeIntoResult) readAgain(ctx context.Context, hand *aim.Hand, el *desktop.Element) error {
	if el.Handle == "" || el.Role == "password" || r.Value == nil {
		return nil
	}
	now, err := hand.Reread(ctx, el)
	if err != nil {
		return context.Cause(ctx) // usually it was closed with its window
	}
	r.Value, r.Element = &now.Text, aim.Plain(now)
	return nil
}

// takesNoText reports whether text cannot be typed into an element of this sort. Typing
// after a click on it would go to whatever has the focus then.
func takesNoText(el *desktop.Element) bool {
	// A picture shows no more than its looks.
	return el.Handle != "" && !el.States.Has(desktop.Editable) && el.Role.Is(desktop.NoText)
}

// mostFields bounds the fields that a message names.
const mostFields = 5

// fieldsBeside names the fields in the window of an element.
func fieldsBeside(el *desktop.Element) string {
	top := el
	for top.Parent != nil {
		top = top.Parent
	}
	var fields []string
	top.Walk(func(e *desktop.Element) bool {
		if e.States.Has(desktop.Editable) && e.States.Has(desktop.Showing) && e.Window == el.Window && len(fields) < mostFields {
			fields = append(fields, cmp.Or(aim.UniqueSelector(e, []*desktop.Element{top}), aim.Describe(e)))
		}
		return true
	})
	if len(fields) == 0 {
		return "name a field; get_window_tree shows what there is"
	}
	return "name a field, such as " + strings.Join(fields, ", ")
}
