package kinds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/observe"
)

// Browsers offer no single value for the controls of a form that open a picker: a date
// consists of spin buttons, a colour has a popup, a file input has a dialog of the
// toolkit. A pageControl sets one of them as a person does, at once for the caller.
type pageControl struct {
	wants string // what its value looks like
	set   func(context.Context, *aim.Hand, *desktop.Element, SetValueArgs) (observe.Checked, error)
}

// pageControlOf is how an element of a page is set that is no field; nil: it is one, or
// is nothing of a page.
func pageControlOf(el *desktop.Element) *pageControl {
	attribute := el.Attributes
	switch {
	case el.Role == "calendar" && attribute["text-input-type"] != "":
		return &pageControl{"a " + momentForms(attribute["text-input-type"]), setMoment}
	case el.Role == "spinbutton" && attribute["xml-roles"] == "spinbutton" && attribute["placeholder"] != "":
		return &pageControl{"a number", setPart}
	case el.Role == "button" && attribute["tag"] == "input" && len(el.Actions) > 0 && el.Actions[0] == "click":
		return &pageControl{"a colour such as #ff8800", setColour}
	case el.Role == "button" && attribute["tag"] != "" && attribute["haspopup"] == "":
		return &pageControl{"the path of a file, if it opens a file chooser", setFile}
	case el.Role == "list" && el.States.Has(desktop.MultiSelectable):
		return &pageControl{"the texts of its options, one in each line", setChoices}
	}
	return nil
}

// setPageControl sets a control that is no field, and reports false for all others.
func (r *ValueResult) setPageControl(ctx context.Context, hand *aim.Hand, el *desktop.Element, a SetValueArgs) (bool, error) {
	c := pageControlOf(el)
	if c == nil {
		return false, nil
	}
	var err error
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		checked, err := c.set(ctx, hand, el, a)
		if err == nil {
			value := string(a.Value)
			r.Value = &value
		}
		if now, err := hand.Desktop.Refresh(ctx, el.Handle); err == nil {
			r.Element = aim.Plain(now)
		}
		return checked, err
	})
	return true, err
}

// invalidValue is the error of a value that does not fit a control.
func invalidValue(el *desktop.Element, value steps.Value) error {
	return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s takes %s, found %q", aim.Describe(el), pageControlOf(el).wants, value)}
}

// setChoices chooses the named options of a list, and no others.
func setChoices(ctx context.Context, hand *aim.Hand, el *desktop.Element, a SetValueArgs) (observe.Checked, error) {
	t, err := hand.Desktop.Tree(ctx, desktop.Scope{Root: el.Handle, Hidden: true, Full: true})
	if err != nil {
		return observe.Unchecked, err
	}
	all, wanted := options(t), map[*desktop.Element]bool{}
	for name := range strings.Lines(string(a.Value)) {
		o, err := named(all, name)
		if errors.Is(err, desktop.ErrNotFound) {
			err = notOffered(el, strings.TrimSpace(name), all)
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
		if _, err := observe.WaitUntilIs(ctx, hand.Desktop, o, is); err != nil {
			return observe.No, err
		}
	}
	return observe.Yes, nil
}

// setColour types the parts of a colour into the popup of a colour well.
func setColour(ctx context.Context, hand *aim.Hand, el *desktop.Element, a SetValueArgs) (observe.Checked, error) {
	var rgb [3]byte
	if n, err := fmt.Sscanf(string(a.Value), "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); n != 3 || err != nil || len(a.Value) != len("#rrggbb") {
		return observe.Unchecked, invalidValue(el, a.Value)
	}
	if err := aim.BringToFront(ctx, hand, a.WindowOptions, el.Window); err != nil {
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
	_, err := observe.WaitUntilIs(ctx, hand.Desktop, field, func(now *desktop.Element) bool { return now.Text == text })
	return err
}

// chooserOpensWithin is how long a file chooser may take to open: the first loads the
// toolkit.
const chooserOpensWithin = 10 * time.Second

// setFile presses a button that opens a file chooser, and gives the chooser a file.
func setFile(ctx context.Context, hand *aim.Hand, el *desktop.Element, a SetValueArgs) (observe.Checked, error) {
	path := string(a.Value)
	if !filepath.IsAbs(path) {
		path = filepath.Join(hand.Dir, path)
	}
	if _, err := os.Stat(path); err != nil {
		return observe.Unchecked, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s takes %s: %w", aim.Describe(el), pageControlOf(el).wants, err)}
	}
	if err := aim.BringToFront(ctx, hand, a.WindowOptions, el.Window); err != nil {
		return observe.Unchecked, err
	}
	chooser, err := openChooser(ctx, hand, el)
	if err != nil {
		return observe.Unchecked, err
	}

	if err := fillChooser(ctx, hand, chooser, path); err != nil {
		return observe.No, err
	}
	if el.Attributes["tag"] != "input" {
		return observe.NotPossible, nil // what the page makes of the file is its own
	}
	_, err = observe.WaitUntilIs(ctx, hand.Desktop, el, func(now *desktop.Element) bool {
		return strings.HasSuffix(now.Name, filepath.Base(path)) || strings.HasSuffix(selector.NameOf(now), filepath.Base(path))
	})
	return observe.YesIf(err == nil), err
}

// openChooser presses a button, and waits for the dialog that it opens.
func openChooser(ctx context.Context, hand *aim.Hand, el *desktop.Element) (chooser *desktop.Window, err error) {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	// A page may open a chooser only in answer to a person, as whom an action does not count.
	if err := aim.PressElement(ctx, hand, el, false); err != nil {
		return nil, err
	}
	err = aim.WaitUntil(ctx, chooserOpensWithin, func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		for _, w := range now {
			if w.Dialog && w.PID == el.PID && before.ByID(w.ID) == nil {
				chooser = &w
				return nil
			}
		}
		return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s was pressed, and no file chooser opened", aim.Describe(el)), Next: "look at what it did; set_value with a path is for what opens a file chooser"}
	})
	return chooser, err
}

// acceptingChords accept what a file chooser has been told. GTK takes Enter for an answer,
// but the one that opens in Chromium then gives it no file; its button does.
var acceptingChords = []desktop.Chord{{Mods: []desktop.Key{desktop.Alt}, Key: "o"}, {Key: "enter"}, {Key: "enter"}}

// fillChooser types a path into the dialog of a toolkit. The dialogs of browsers have no
// elements, and all toolkits take a path that is typed. An Enter may be for the list of
// completions, and is then pressed again.
func fillChooser(ctx context.Context, hand *aim.Hand, chooser *desktop.Window, path string) error {
	if err := aim.Raise(ctx, hand.Unaccounted(), chooser.ID); err != nil {
		return err
	}
	selectAll := desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}
	if err := aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "l"}, selectAll}); err != nil {
		return err
	}
	if err := hand.Desktop.Do(ctx, desktop.Type{Text: path}); err != nil {
		return err
	}
	gone := func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err == nil && now.ByID(chooser.ID) != nil {
			err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the file chooser %q did not take %s", chooser.Title, path), Next: "look at the chooser"}
		}
		return err
	}
	var err error
	for _, chord := range acceptingChords {
		if err = aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{chord}); err != nil {
			return err
		}
		if err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, gone); err == nil {
			return nil
		}
	}
	return err
}
