package aim

import (
	"context"
	"errors"
	"strings"

	"understudy/steps/desktop"
)

// Typing says how to type into a field.
type Typing struct {
	Clear bool // empty the field first
	Focus FocusOptions
}

// TypeInto focuses a field, clears it if asked, and types. It returns what the field
// held before.
func TypeInto(ctx context.Context, hand *Hand, el *desktop.Element, text string, o Typing) (string, error) {
	adds := !o.Clear && text != "" && el.Handle != ""
	had := false
	if adds {
		var err error
		if had, err = HasFocus(ctx, hand.Desktop, el); err != nil {
			return "", err
		}
	}
	if err := Focus(ctx, hand, el, o.Focus); err != nil {
		return "", err
	}
	if el.Handle == "" {
		return "", typeIntoPicture(ctx, hand.Desktop, text, o.Clear)
	}
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return "", err
	}
	if o.Clear {
		if err := clearField(ctx, hand.Desktop, now); err != nil {
			return "", err
		}
	}
	if adds && (o.Focus.Grab || o.Focus.Click) {
		if err := caretToEnd(ctx, hand.Desktop, now, had); err != nil {
			return "", err
		}
	}
	if text == "" {
		return now.Text, nil
	}
	return now.Text, hand.Desktop.Do(ctx, desktop.Type{Text: text})
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
			return nil // a caret that cannot be asked for stays where it is
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
func typeIntoPicture(ctx context.Context, d *desktop.Desktop, text string, clear bool) error {
	if clear {
		if err := PressKeys(ctx, d, ClearingKeys); err != nil {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return d.Do(ctx, desktop.Type{Text: text})
}

// ClearingKeys select all and delete.
var ClearingKeys = []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}, {Key: "delete"}}

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
	return PressKeys(ctx, d, ClearingKeys)
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
