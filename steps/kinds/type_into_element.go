package kinds

import (
	"context"
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
	TextToType        string     `json:"text_to_type" use:"typed" jsonschema:"the text"`
	ClearBeforeTyping bool       `json:"clear_before_typing,omitzero" jsonschema:"replace what it holds; false adds to it"`
	AcceptReformatted bool       `json:"accept_reformatted,omitzero" use:"rare" jsonschema:"let the field make something else of the text, such as 1,234 of 1234; without it, or an expect of the step, that is an error"`
	Method            aim.Method `json:"method,omitzero" use:"rare" jsonschema:"how the text goes in: keys as a person types; text by the field's own editing; paste from the clipboard, which then gets back what it held; auto is keys, but for more than 300 characters text or else paste, if the field can be read and is no password, and no key of the text would leave it or send it"`
	TryFocusBefore    bool       `json:"try_focus_before,omitzero" use:"rare" jsonschema:"give the field the focus first"`
	TryClickBefore    bool       `json:"try_click_before,omitzero" use:"rare" jsonschema:"click the field when it does not take the focus otherwise"`
	observe.ActionOptions
}

// TypeIntoResult says what the field holds now.
type TypeIntoResult struct {
	Value       *string `json:"value,omitzero" jsonschema:"what the field holds now, when it can be read; after the keys, when there were any"`
	Reformatted bool    `json:"reformatted,omitzero" jsonschema:"the field made something else of the text, which was accepted"`
	KeysResult
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
	if c := pageControlOf(el); c != nil {
		return TypeIntoResult{}, aim.NotActionable(el, "is no field", "use set_value with "+c.wants)
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
		return checked, r.press(ctx, hand, el, keys)
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
