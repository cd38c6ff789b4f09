// Package pagecontrol sets the controls of web pages for which browsers offer no single
// value: a date consists of spin buttons, a colour has a popup, a file input opens a
// dialog of the toolkit. It sets each as a person does, in one call. Fields and lists
// with one choice are not its concern.
package pagecontrol

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// Control sets a control of a page that is no field, as a person does.
type Control struct {
	Wants string // what its value looks like
	Set   func(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, o Options) (observe.Checked, error)
}

// Options say how a control is set.
type Options struct {
	aim.WindowOptions
	// Within is how long what it opens may take to open.
	Within time.Duration
}

// Of returns how an element is set; nil if it is a field or not part of a page.
func Of(el *desktop.Element) *Control {
	attribute := el.Attributes
	switch {
	case el.Role == "calendar" && attribute["text-input-type"] != "":
		return &Control{"a " + momentForms(attribute["text-input-type"]), setMoment}
	case el.Role == "spinbutton" && attribute["xml-roles"] == "spinbutton" && attribute["placeholder"] != "":
		return &Control{"a number", setPart}
	case el.Role == "button" && attribute["tag"] == "input" && len(el.Actions) > 0 && el.Actions[0] == "click":
		return &Control{"a colour such as #ff8800", setColour}
	case el.Role == "button" && attribute["tag"] != "" && attribute["haspopup"] == "":
		return &Control{"the path of a file, if it opens a file chooser", setFile}
	case el.Role == "list" && el.States.Has(desktop.MultiSelectable):
		return &Control{"the texts of its options, one in each line", setChoices}
	}
	return nil
}

// invalidValue returns the error of a value that does not fit a control.
func invalidValue(el *desktop.Element, value string) error {
	return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s takes %s, found %q", aim.Describe(el), Of(el).Wants, value)}
}

// setChoices chooses the named options of a list, and no others.
func setChoices(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, _ Options) (observe.Checked, error) {
	t, err := hand.Desktop.Tree(ctx, desktop.Scope{Root: el.Handle, Hidden: true, Full: true})
	if err != nil {
		return observe.Unchecked, err
	}
	all, wanted := aim.Options(t), map[*desktop.Element]bool{}
	for name := range strings.Lines(value) {
		o, err := aim.OptionNamed(all, name)
		if errors.Is(err, desktop.ErrNotFound) {
			err = aim.NoOption(el, strings.TrimSpace(name), all)
		}
		if err != nil {
			return observe.Unchecked, err
		}
		wanted[o] = true
	}
	for _, o := range all {
		if o.States.Has(desktop.Selected) == wanted[o] {
			continue
		}
		if err := hand.Desktop.Do(ctx, desktop.Select{Container: o.Parent.Handle, Child: o.Index, On: wanted[o]}); err != nil {
			return observe.Unchecked, err
		}
		is := func(now *desktop.Element) bool { return now.States.Has(desktop.Selected) == wanted[o] }
		if _, err := observe.WaitUntilIs(ctx, hand, o, is); err != nil {
			return observe.No, err
		}
	}
	return observe.Yes, nil
}

// setColour types the parts of a colour into the popup of a colour well.
func setColour(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, o Options) (observe.Checked, error) {
	var rgb [3]byte
	if n, err := fmt.Sscanf(value, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); n != 3 || err != nil || len(value) != len("#rrggbb") {
		return observe.Unchecked, invalidValue(el, value)
	}
	if err := aim.BringToFront(ctx, hand, o.WindowOptions, el.Window); err != nil {
		return observe.Unchecked, err
	}
	if err := hand.Desktop.Do(ctx, desktop.Invoke{Element: el.Handle}); err != nil {
		return observe.Unchecked, err
	}
	for i, id := range []string{"rValueContainer", "gValueContainer", "bValueContainer"} {
		field, err := partOfPopup(ctx, hand, el, id)
		if err == nil {
			err = typeOver(ctx, hand, field, fmt.Sprint(rgb[i]))
		}
		if err != nil {
			return observe.Unchecked, err
		}
	}
	if err := aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{{Key: "enter"}}); err != nil {
		return observe.Unchecked, err
	}
	return observe.Yes, aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		t, err := hand.Desktop.Tree(ctx, desktop.Scope{Root: el.Handle})
		if err == nil && len(t.Roots) > 0 && len(t.Roots[0].Children) > 0 {
			err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the popup of %s did not close", aim.Describe(el)), Next: "look at the popup"}
		}
		return err
	})
}

// partOfPopup waits for an element of the popup of a control.
func partOfPopup(ctx context.Context, hand *aim.Hand, el *desktop.Element, id string) (found *desktop.Element, err error) {
	err = aim.WaitUntil(ctx, aim.SearchTime.Std(), func(ctx context.Context) error {
		t, err := hand.Desktop.Tree(ctx, desktop.Scope{Root: el.Handle, Full: true})
		if err != nil {
			return err
		}
		t.Walk(func(e *desktop.Element) bool {
			if e.ID == id {
				found = e
			}
			return found == nil
		})
		if found == nil {
			return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("%s did not open a popup with the parts of a colour", aim.Describe(el)), Next: "look at what it opened, and set it there"}
		}
		return nil
	})
	return found, err
}

// typeOver replaces the text of a field of a popup, which knows no delete key.
func typeOver(ctx context.Context, hand *aim.Hand, field *desktop.Element, text string) error {
	if err := aim.Focus(ctx, hand, field, aim.FocusOptions{Grab: true, Click: true}); err != nil {
		return err
	}
	if err := hand.Desktop.Do(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}}); err != nil {
		return err
	}
	if err := hand.Desktop.Do(ctx, desktop.Type{Text: text}); err != nil {
		return err
	}
	_, err := observe.WaitUntilIs(ctx, hand, field, func(now *desktop.Element) bool { return now.Text == text })
	return err
}
