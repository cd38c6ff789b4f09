package steps

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// TypeIntoElement types text into an element.
var TypeIntoElement = Define(Kind{
	Name:    "type_into_element",
	Summary: "Type text into a field and check that it arrived.",
	Details: "A trailing {Enter}, {Tab} or {Escape} is pressed as a key.",
	Toolset: Core,
	Touches: Act,
	Timeout: 2 * time.Minute,
}, TypeIntoArgs{Target: aimed, Around: around, ClearBeforeTyping: true, TryFocusBefore: true, TryClickBefore: true}, typeIntoElement)

// TypeIntoArgs says what to type, and where.
type TypeIntoArgs struct {
	Target
	TextToType        string `json:"text_to_type" jsonschema:"the text"`
	ClearBeforeTyping bool   `json:"clear_before_typing,omitzero" jsonschema:"replace what the field holds; false adds to it"`
	TryFocusBefore    bool   `json:"try_focus_before,omitzero" jsonschema:"give the field the focus first"`
	TryClickBefore    bool   `json:"try_click_before,omitzero" jsonschema:"click the field when it does not take the focus otherwise"`
	Around
}

// TypeIntoResult says what the field holds now.
type TypeIntoResult struct {
	Value   *string          `json:"value,omitzero" jsonschema:"what the field holds now, when it can be read"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the field"`
	After
}

// trailing are the keys at the end of a text that are pressed, not typed.
var trailing = regexp.MustCompile(`(?i)(\{(enter|tab|escape)\})+$`)

func typeIntoElement(ctx context.Context, env *Env, a TypeIntoArgs) (TypeIntoResult, error) {
	text := trailing.ReplaceAllString(a.TextToType, "")
	var keys []desktop.Chord
	if end := a.TextToType[len(text):]; end != "" {
		var err error
		if keys, err = desktop.ParseKeys(end); err != nil {
			return TypeIntoResult{}, &Error{Code: Invalid, Err: err}
		}
	}
	el, _, err := env.aim(ctx, a.Target, need{enabled: true, windows: a.WindowOptions})
	if err != nil {
		return TypeIntoResult{}, err
	}
	if el.States.Has(desktop.ReadOnly) {
		return TypeIntoResult{}, notReady(el, "can only be read", "name another field")
	}
	if takesNoText(el) {
		return TypeIntoResult{}, notReady(el, "takes no text", fieldsBeside(el))
	}
	env.notePassword(el)
	r := TypeIntoResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		before, err := env.typeInto(ctx, el, text, typing{clear: a.ClearBeforeTyping, focus: focusOptions{grab: a.TryFocusBefore, click: a.TryClickBefore}})
		if err != nil {
			return false, err
		}
		verified, err := r.readBack(ctx, env, el, before, text, a.ClearBeforeTyping)
		if err != nil {
			return false, err
		}
		return verified, env.press(ctx, keys)
	})
	return r, err
}

// takesNoText says whether an element is of a sort into which nobody can type. To
// click it and to type all the same would type into whatever has the focus then.
func takesNoText(el *desktop.Element) bool {
	if el.Handle == "" || el.States.Has(desktop.Editable) { // a picture shows no more than its looks
		return false
	}
	switch el.Role {
	case "button", "checkbox", "checkmenuitem", "columnheader", "heading", "icon", "image", "label", "menu", "menubar", "menuitem", "pagetab",
		"progressbar", "radiobutton", "radiomenuitem", "rowheader", "scrollbar", "separator", "slider", "statusbar", "switch", "togglebutton", "toolbar", "tooltip":
		return true
	}
	return false
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
	return inWords(e)
}

// typing says how to type into a field.
type typing struct {
	clear bool // empty the field first
	focus focusOptions
}

// typeInto puts the focus into a field, empties it if that is wanted, and
// types. It returns what the field held before.
func (e *Env) typeInto(ctx context.Context, el *desktop.Element, text string, o typing) (string, error) {
	adds := !o.clear && text != "" && el.Handle != ""
	had := false
	if adds {
		var err error
		if had, err = e.focused(ctx, el); err != nil {
			return "", err
		}
	}
	if err := e.focus(ctx, el, o.focus); err != nil {
		return "", err
	}
	if el.Handle == "" {
		return "", e.typeIntoPicture(ctx, text, o.clear)
	}
	now, err := e.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return "", err
	}
	if o.clear {
		if err := e.clear(ctx, now); err != nil {
			return "", err
		}
	}
	if adds && (o.focus.grab || o.focus.click) {
		if err := e.toItsEnd(ctx, now, had); err != nil {
			return "", err
		}
	}
	if text == "" {
		return now.Text, nil
	}
	return now.Text, e.Desktop.Type(ctx, text)
}

// toItsEnd brings the caret to the end of a field whose text is to stay. Most
// toolkits select a field's whole text when it gets the focus, and what is
// typed then would replace it. In a field that had the focus before, the caret
// stays where it was, unless some text is selected.
func (e *Env) toItsEnd(ctx context.Context, el *desktop.Element, had bool) error {
	if !el.States.Has(desktop.Editable) || el.Text == "" && el.Role != "password" {
		return nil
	}
	if had {
		now, err := e.Desktop.SaveFocus(ctx)
		if err != nil || now.Element != el.Handle || now.Selection[0] == now.Selection[1] {
			return nil // a caret that cannot be asked for stays where it is
		}
	}
	end := desktop.Chord{Key: "end"}
	if el.States.Has(desktop.MultiLine) || strings.Contains(el.Text, "\n") {
		end.Mods = []desktop.Key{desktop.Ctrl}
	}
	return e.Desktop.Press(ctx, end)
}

// typeIntoPicture types where a picture took the focus. What is there cannot be
// asked, so it is emptied by keys.
func (e *Env) typeIntoPicture(ctx context.Context, text string, clear bool) error {
	if clear {
		if err := e.press(ctx, clearing); err != nil {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return e.Desktop.Type(ctx, text)
}

// clearing are the keys that empty a field.
var clearing = []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}, {Key: "delete"}}

// clear empties a field: at once where the application can, else by keys.
func (e *Env) clear(ctx context.Context, el *desktop.Element) error {
	if el.Text == "" && el.Role != "password" {
		return nil
	}
	err := e.Desktop.SetText(ctx, el.Handle, "")
	if !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
		return err
	}
	return e.press(ctx, clearing)
}

// press presses chords one after the other.
func (e *Env) press(ctx context.Context, chords []desktop.Chord) error {
	for _, c := range chords {
		if err := e.Desktop.Press(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// readBack waits until a field holds what was typed, and says whether it does.
// A field may change what is typed, so something else is no failure while it
// has the focus; nothing at all is.
func (r *TypeIntoResult) readBack(ctx context.Context, env *Env, el *desktop.Element, before, text string, cleared bool) (bool, error) {
	if text == "" && !cleared || el.Handle == "" {
		return false, nil
	}
	now := before
	err := env.follows(ctx, arrival, func(ctx context.Context) error {
		e, err := env.Desktop.Refresh(ctx, el.Handle)
		if err != nil {
			return err
		}
		now, r.Element = e.Text, plain(e)
		if !arrived(el.Role, before, now, text, cleared) {
			return Errorf(Unexpected, "not there yet")
		}
		return nil
	})
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
		return false, &Error{
			Code: Unexpected,
			Err:  fmt.Errorf("nothing arrived in %s: it still holds %s", inWords(el), quoted(now)),
			Next: "look whether something else has the focus",
		}
	}
	return false, env.strayed(ctx, el, now)
}

// strayed fails when the focus left a field that does not hold what was typed:
// what is missing went elsewhere. A field that keeps the focus may have changed
// the text on purpose.
func (e *Env) strayed(ctx context.Context, el *desktop.Element, now string) error {
	has, err := e.focused(ctx, el)
	if has || err != nil {
		return err
	}
	holds := "what it holds does not show"
	if el.Role != "password" {
		holds = "it holds " + quoted(now)
	}
	return &Error{
		Code: Unexpected,
		Err:  fmt.Errorf("the focus left %s while it was typed into: %s%s", inWords(el), holds, e.inTheWay(ctx)),
		Next: "look where the rest of the text went",
	}
}

// arrival is how long typed text, and what else an action does, may take to
// show.
var arrival = patience{least: time.Second, looks: 20}

// arrived says whether a field holds what was typed. Of a password only the
// length shows.
func arrived(role desktop.Role, before, now, text string, cleared bool) bool {
	if role == "password" {
		before, now = strings.Repeat("x", len([]rune(before))), strings.Repeat("x", len([]rune(now)))
		text = strings.Repeat("x", len([]rune(text)))
	}
	if cleared {
		return now == text
	}
	return len(now) == len(before)+len(text) && strings.Contains(now, text)
}
