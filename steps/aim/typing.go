package aim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/steps"
)

// Typing configures TypeInto.
type Typing struct {
	Clear  bool // empty the field first
	Focus  FocusOptions
	Method Method
	// Commit are the keys that commit the text to a cell of a spreadsheet.
	Commit []desktop.Chord
	// Found is called with the text of the field before anything is done to it.
	Found func(before string)
}

// Typed is the result of TypeInto.
type Typed struct {
	Before string // what the field held
	Method Method // how the text went in
	// Release restores what the method used, such as the clipboard. It is to be called
	// when the field holds the text.
	Release func(context.Context)
}

// TypeInto focuses a field, clears it if asked, and enters a text.
func TypeInto(ctx context.Context, hand *Hand, el *desktop.Element, text string, o Typing) (Typed, error) {
	t := Typed{Method: Keys, Release: func(context.Context) {}}
	adds := !o.Clear && text != "" && el.Handle != ""
	had := false
	if adds {
		var err error
		if had, err = HasFocus(ctx, hand.Desktop, el); err != nil {
			return t, err
		}
	}
	if err := Focus(ctx, hand, el, o.Focus); err != nil {
		return t, err
	}
	if el.Handle == "" {
		return t, typeIntoPicture(ctx, hand.Desktop, text, o)
	}
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return t, err
	}
	t.Before = now.Text
	if o.Found != nil {
		o.Found(now.Text)
	}
	if IsSheetCell(el) {
		now.Parent, now.Index = el.Parent, el.Index
		return t, t.enterCell(ctx, hand, now, text, o)
	}
	if o.Clear {
		if err := clearField(ctx, hand.Desktop, now); err != nil {
			return t, err
		}
	}
	if adds && (o.Focus.Grab || o.Focus.Click) {
		if err := caretToEnd(ctx, hand.Desktop, now, had); err != nil {
			return t, err
		}
	}
	if text == "" {
		return t, nil
	}
	return t, t.enter(ctx, hand, now, text, o.Method)
}

// IsSheetCell reports whether el is a cell of a spreadsheet.
func IsSheetCell(el *desktop.Element) bool {
	return el.Role == "cell" && el.Enclosing(func(p *desktop.Element) bool { return p.RawRole == "document spreadsheet" }) != nil
}

// enterCell types into a cell. Typing replaces its content; the keys that clear a field
// would clear the whole sheet.
func (t *Typed) enterCell(ctx context.Context, hand *Hand, el *desktop.Element, text string, o Typing) error {
	switch {
	case !o.Clear && el.Text != "":
		return NotActionable(el, "is a cell, and typing replaces its whole content", "set clear_before_typing, and type its whole new content")
	case text == "":
		return NotActionable(el, "is a cell, and is not emptied by typing", "click it and press the key delete")
	}
	if !el.States.Has(desktop.Focused) {
		if err := selectCell(ctx, hand, el); err != nil {
			return err
		}
	}
	if err := t.enter(ctx, hand, el, text, Keys); err != nil {
		return err
	}
	return PressKeys(ctx, hand.Desktop, o.Commit)
}

// selectCell puts the cursor into a cell by a click, so that no other is selected. While
// several are, the cursor of LibreOffice stays when another cell is given the focus.
func selectCell(ctx context.Context, hand *Hand, el *desktop.Element) error {
	if err := PressElement(ctx, hand, el, false); err != nil {
		return err
	}
	return WaitForEffect(ctx, UsualEffectLimit, func(ctx context.Context) error {
		now, err := hand.Desktop.Refresh(ctx, el.Handle)
		if err != nil || now.States.Has(desktop.Focused) {
			return err
		}
		return NotActionable(el, "did not take the cursor", "look at the screen")
	})
}

// caretToEnd moves the caret to the end of a field whose text is to stay, because most
// toolkits select the whole text on focus. A field that had the focus before keeps its
// caret, unless text is selected.
func caretToEnd(ctx context.Context, d *desktop.Desktop, el *desktop.Element, had bool) error {
	if !el.States.Has(desktop.Editable) || el.Text == "" && el.Role != "password" {
		return nil
	}
	if had {
		now, err := d.SaveFocus(ctx)
		if err != nil || now.Element != el.Handle || now.Selection[0] == now.Selection[1] {
			return nil // an unknown caret stays where it is
		}
	}
	end := desktop.Chord{Key: "end"}
	if el.States.Has(desktop.MultiLine) || strings.Contains(el.Text, "\n") {
		end.Mods = []desktop.Key{desktop.Ctrl}
	}
	return d.Do(ctx, desktop.Press{Chord: end})
}

// typeIntoPicture types where a picture match took the focus. The field cannot be
// read, so it is cleared by keys.
func typeIntoPicture(ctx context.Context, d *desktop.Desktop, text string, o Typing) error {
	if o.Method == Text || o.Method == Paste {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("method: %s is for fields that can be read, and a picture cannot", o.Method), Next: "leave the method out, or use keys"}
	}
	if o.Clear {
		if err := PressKeys(ctx, d, clearingKeys); err != nil {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return d.Do(ctx, desktop.Type{Text: text})
}

// CommitCell is pressed after typing into a cell of a spreadsheet.
var CommitCell = []desktop.Chord{{Key: "enter"}}

// clearingKeys select all and delete.
var clearingKeys = []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}, {Key: "delete"}}

// clearField clears a field, directly where the application supports it and by keys
// elsewhere.
func clearField(ctx context.Context, d *desktop.Desktop, el *desktop.Element) error {
	if el.Text == "" && el.Role != "password" {
		return nil
	}
	err := d.Do(ctx, desktop.SetText{Element: el.Handle, Text: ""})
	if !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
		return err
	}
	if !el.States.Has(desktop.Editable) && el.Role.Is(desktop.Option|desktop.Rows|desktop.Recycled) {
		return NotActionable(el, "cannot be emptied: the keys for that would select and delete all rows", "open its editor first, such as with a double click or f2; to press keys there set clear_before_typing to false")
	}
	return PressKeys(ctx, d, clearingKeys)
}

// WaitUntilRead waits until the application has read the keys that were pressed.
func WaitUntilRead(ctx context.Context, d *desktop.Desktop) error {
	return d.Do(ctx, desktop.Type{})
}

// PressKeys presses chords in order.
func PressKeys(ctx context.Context, d *desktop.Desktop, chords []desktop.Chord) error {
	for _, c := range chords {
		if err := d.Do(ctx, desktop.Press{Chord: c}); err != nil {
			return err
		}
	}
	return nil
}

// defaultLimit bounds the wait for the default button of a dialog.
var defaultLimit = EffectLimit{Least: 2 * time.Second, Looks: 20}

// PressKeysIn presses chords in order, in an element that has the focus. An Enter waits a
// while for the default button of its dialog.
func PressKeysIn(ctx context.Context, d *desktop.Desktop, el *desktop.Element, chords []desktop.Chord) error {
	for i, c := range chords {
		if isEnter(c) {
			if err := errors.Join(PressKeys(ctx, d, chords[:i]), awaitDefault(ctx, d, el)); err != nil {
				return err
			}
			return PressKeys(ctx, d, chords[i:])
		}
	}
	return PressKeys(ctx, d, chords)
}

func isEnter(c desktop.Chord) bool { return c.Key == "enter" && len(c.Mods) == 0 }

// awaitDefault waits until the default button of a dialog is enabled before Enter is
// pressed in one of its fields. A dialog that still examines what was typed, as one for
// files does, ignores an Enter. A button that stays disabled is no error: the field may
// take the key itself.
func awaitDefault(ctx context.Context, d *desktop.Desktop, el *desktop.Element) error {
	if el == nil || el.Handle == "" || !el.States.Has(desktop.Editable) || el.States.Has(desktop.MultiLine) || IsSheetCell(el) {
		return nil
	}
	windows, err := d.Windows(ctx)
	w := windows.ByID(el.Window)
	if err != nil || w == nil || !w.Dialog && !w.Modal {
		return context.Cause(ctx)
	}
	_ = WaitForEffect(ctx, defaultLimit, func(ctx context.Context) error {
		t, err := d.Tree(ctx, desktop.Scope{Window: w.ID, PID: w.PID})
		if err != nil {
			return nil // it is not known to be disabled
		}
		t.Walk(func(e *desktop.Element) bool {
			if e.Default && e.States.Has(desktop.Showing) && !e.States.Has(desktop.Enabled) {
				err = NotActionable(e, "is disabled", "look at the screen")
			}
			return err == nil
		})
		return err
	})
	return context.Cause(ctx)
}

// Method is how text gets into a field.
type Method string

func (Method) Words() []string { return []string{"auto", "keys", "text", "paste"} }

// The methods. Auto presses keys, except for a long text where another method has
// the same effect and takes less time; see methodsFor.
const (
	Auto  Method = "auto"
	Keys  Method = "keys"  // as a person types
	Text  Method = "text"  // by the field's own editing, without keys
	Paste Method = "paste" // from the clipboard, which gets back what it held
)

// longText is the number of characters from which typing takes so long that another
// method is preferred.
const longText = 300

// methodsFor returns the methods to try, in order. A text is put in at once only
// where that does what its keys would do: into a field that can be read, that is
// not a password, and in which no key of the text would leave the field or send it.
// The secrets of a run never go over the clipboard, which others may keep.
func methodsFor(el *desktop.Element, text string, asked Method, secret bool) []Method {
	if asked != "" && asked != Auto {
		return []Method{asked}
	}
	oneLine := !el.States.Has(desktop.MultiLine)
	if utf8.RuneCountInString(text) <= longText || el.Role == "password" || !el.States.Has(desktop.Editable) ||
		strings.Contains(text, "\t") || oneLine && strings.ContainsAny(text, "\n\r") {
		return []Method{Keys}
	}
	if secret {
		return []Method{Text, Keys}
	}
	return []Method{Text, Paste, Keys}
}

// enter puts text into a field that has the focus, by the first method that works.
func (t *Typed) enter(ctx context.Context, hand *Hand, el *desktop.Element, text string, asked Method) (err error) {
	for _, t.Method = range methodsFor(el, text, asked, hand.IsSecret(text)) {
		switch t.Method {
		case Text:
			err = hand.Desktop.Do(ctx, desktop.InsertText{Element: el.Handle, Text: text})
		case Paste:
			err = t.paste(ctx, hand, text)
		default:
			err = hand.Desktop.Do(ctx, desktop.Type{Text: text})
		}
		if !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
			return err
		}
	}
	if asked == Text || asked == Paste {
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("method: %s takes no text by the method %s: %w", Describe(el), asked, err), Next: "leave the method out, or use keys"}
	}
	return err
}

// releaseWithin bounds giving back the clipboard.
const releaseWithin = 5 * time.Second

// paste puts text on the clipboard and presses ctrl+v. A clipboard that holds
// something that is not text is left alone, because it could not be given back.
func (t *Typed) paste(ctx context.Context, hand *Hand, text string) error {
	d := hand.Unaccounted()
	held, err := d.ReadClipboard(ctx)
	if err != nil {
		return fmt.Errorf("%w: the clipboard is not free: %w", desktop.ErrRefused, err)
	}
	if err := d.Do(ctx, desktop.WriteClipboard{Text: text}); err != nil {
		return err
	}
	t.Release = func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
		defer cancel()
		if err := d.Do(ctx, desktop.WriteClipboard{Text: held}); err != nil {
			hand.Logger().WarnContext(ctx, "the clipboard could not be given back", "error", err)
		}
	}
	return PressKeys(ctx, hand.Desktop, []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "v"}})
}
