package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// SelectOption chooses an option of a list or a combo box.
var SelectOption = steps.Define(steps.Kind{
	Name:       "select_option",
	Summary:    "Choose an option of a combo box or a list by its text.",
	Toolset:    steps.Core,
	Idempotent: true,
}, SelectOptionArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(selectOption))

// SelectOptionArgs says which option to choose.
type SelectOptionArgs struct {
	aim.Target `in:"target"`
	OptionName string `json:"option_name" jsonschema:"the option's text"`
	observe.ActionOptions
}

// SelectOptionResult says which option is chosen now.
type SelectOptionResult struct {
	Selected string           `json:"selected" jsonschema:"the text of the option that was chosen"`
	Element  *desktop.Element `json:"element,omitzero" jsonschema:"the combo box or list"`
	observe.ActionResult
}

func (a *SelectOptionArgs) Validate() error {
	if strings.TrimSpace(a.OptionName) == "" {
		return errors.New("option_name: wanted the text of the option, found none")
	}
	return a.Target.Validate()
}

func selectOption(ctx context.Context, hand *aim.Hand, a SelectOptionArgs) (SelectOptionResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Handle: true, Enabled: true, Windows: a.WindowOptions})
	if err != nil {
		return SelectOptionResult{}, err
	}
	if err := aim.BringIntoView(ctx, hand, el, a.WindowOptions); err != nil {
		return SelectOptionResult{}, err
	}
	r := SelectOptionResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		option, typed, err := option(ctx, hand, el, a.OptionName)
		if err != nil {
			return observe.Unchecked, err
		}
		r.Selected = aim.OptionText(option)
		if typed {
			return clickTyped(ctx, hand, option)
		}
		if chosen(ctx, hand.Desktop, el, option) {
			return observe.YesIf(tells(el, option)), nil
		}
		if option.Enclosing(func(p *desktop.Element) bool { return p.Handle == el.Handle }) == nil && option.Parent != nil && el.Role == "combobox" {
			return clickOption(ctx, hand, el, option)
		}
		if takesOnlyKeys(el) {
			return chooseByKeys(ctx, hand, el, option)
		}
		checked, err := chooseAndLook(ctx, hand.Desktop, el, option)
		if code := steps.CodeOf(err); el.Role == "combobox" && (code == steps.NotActionable || code == steps.Unexpected) {
			return chooseByKeys(ctx, hand, el, option)
		}
		return checked, err
	})
	return r, err
}

// takesOnlyKeys reports whether a combo box is one of GTK 4, which accepts the choice of an
// option without effect. It has a button that shows the choice.
func takesOnlyKeys(el *desktop.Element) (is bool) {
	if el.Role != "combobox" || len(el.Children) == 0 || el.Children[0].Role != "button" {
		return false
	}
	el.Children[0].Walk(func(e *desktop.Element) bool {
		is = is || e.Role == "label"
		return !is
	})
	return is
}

// chooseAndLook chooses an option and checks the choice. If a way that the application
// accepts has no effect it tries the next: in Qt an option can be selected in the list of
// a combo box that does not take it.
func chooseAndLook(ctx context.Context, d *desktop.Desktop, el, option *desktop.Element) (observe.Checked, error) {
	for first := true; ; first = false {
		if err := choose(ctx, d, el, option, first); err != nil {
			return observe.Unchecked, err
		}
		if !tells(el, option) {
			return observe.NotPossible, nil
		}
		err := aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			if !chosen(ctx, d, el, option) {
				return notChosen(el, option)
			}
			return nil
		})
		if err == nil || !first || !showsItsChoice(el, option) {
			return observe.YesIf(err == nil), err
		}
	}
}

// option finds an option of a list by its text. A combo box that exposes its options only
// when it is open is opened first. typed: the field holds its text, which was typed to list it.
func option(ctx context.Context, hand *aim.Hand, el *desktop.Element, name string) (option *desktop.Element, typed bool, err error) {
	d := hand.Desktop
	opened := false
	var before desktop.Windows
	var lists map[desktop.Handle]bool // those that show before
	err = aim.WaitUntil(ctx, aim.SearchTime.Std(), func(ctx context.Context) error {
		t, err := d.Tree(ctx, desktop.Scope{Root: el.Handle, Hidden: true, Full: true})
		if err != nil {
			return err
		}
		all := aim.Options(t)
		if len(all) == 0 && opened {
			if all, err = optionsElsewhere(ctx, d, el, lists); err != nil {
				return err
			}
		}
		if option, err = aim.OptionNamed(all, name); err == nil || steps.CodeOf(err) == steps.Ambiguous {
			return err
		}
		if len(all) == 0 && !opened && el.Role == "combobox" {
			if before, err = d.Windows(ctx); err != nil {
				return err
			}
			if lists, err = listsOf(ctx, d, el); err != nil {
				return err
			}
			opened = true
			if el.States.Has(desktop.Expanded) { // its list shows already
				lists = nil
				return aim.NoOption(el, name, all)
			}
			if err := open(ctx, hand, el); err != nil {
				return err
			}
		}
		return aim.NoOption(el, name, all)
	})
	if steps.CodeOf(err) == steps.NotFound && opened && inPage(el) && el.States.Has(desktop.Editable) {
		option, err = filtered(ctx, hand, el, name, lists, err)
		typed = err == nil
	}
	if err != nil && opened {
		closeList(ctx, hand, el, before)
	}
	return option, typed, err
}

// clickTyped clicks an option whose text its field holds already: only that its list closes tells that
// it was taken.
func clickTyped(ctx context.Context, hand *aim.Hand, option *desktop.Element) (observe.Checked, error) {
	if err := aim.PressElement(ctx, hand, option, true); err != nil {
		return observe.Unchecked, err
	}
	err := aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		now, err := hand.Desktop.Refresh(ctx, option.Handle)
		if errors.Is(err, desktop.ErrNotFound) || err == nil && !now.States.Has(desktop.Showing) {
			return nil
		}
		return errors.Join(err, steps.Errorf(steps.Unexpected, "the list is still open"))
	})
	if err == nil {
		return observe.Yes, nil
	}
	return observe.NotPossible, context.Cause(ctx)
}

// filtered finds an option of a field that lists only what begins as its text does: the option is
// typed, as a person does. The field gets its text back if it does not list the option then either.
func filtered(ctx context.Context, hand *aim.Hand, el *desktop.Element, name string, lists map[desktop.Handle]bool, missing error) (option *desktop.Element, err error) {
	typing := aim.Typing{Clear: true, Focus: aim.FocusOptions{Grab: true, Click: true}}
	typed, err := aim.TypeInto(ctx, hand, el, name, typing)
	if err != nil {
		return nil, err
	}
	err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		all, err := optionsElsewhere(ctx, hand.Desktop, el, lists)
		if err == nil {
			option, err = aim.OptionNamed(all, name)
		}
		return err
	})
	if err != nil {
		_, failed := aim.TypeInto(ctx, hand, el, typed.Before, typing)
		return nil, errors.Join(missing, failed)
	}
	return option, nil
}

// In a page the list of a combo box may be anywhere: it is the one that shows once the combo
// box is open, and did not before.

// walkLists calls f for the lists that show in the window of a combo box.
func walkLists(ctx context.Context, d *desktop.Desktop, el *desktop.Element, f func(*desktop.Element)) error {
	t, err := d.Tree(ctx, desktop.Scope{Window: el.Window, Full: true})
	if err != nil {
		return err
	}
	t.Walk(func(e *desktop.Element) bool {
		if e.Role.Is(desktop.Rows) {
			f(e)
		}
		return true
	})
	return nil
}

func listsOf(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (map[desktop.Handle]bool, error) {
	lists := map[desktop.Handle]bool{}
	return lists, walkLists(ctx, d, el, func(e *desktop.Element) { lists[e.Handle] = true })
}

// optionsElsewhere returns the options of the lists that do not belong to those before.
func optionsElsewhere(ctx context.Context, d *desktop.Desktop, el *desktop.Element, before map[desktop.Handle]bool) (all []*desktop.Element, err error) {
	err = walkLists(ctx, d, el, func(e *desktop.Element) {
		if !before[e.Handle] {
			all = append(all, aim.Options(&desktop.Tree{Roots: []*desktop.Element{e}})...)
		}
	})
	return all, err
}

// clickOption clicks an option of a list that is elsewhere in the page than its combo box.
func clickOption(ctx context.Context, hand *aim.Hand, el, option *desktop.Element) (observe.Checked, error) {
	if err := aim.PressElement(ctx, hand, option, true); err != nil {
		return observe.Unchecked, err
	}
	err := aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		now, err := hand.Desktop.Refresh(ctx, el.Handle)
		if text := aim.OptionText(option); err == nil && now.Text != text && now.Name != text {
			err = notChosen(el, option)
		}
		return err
	})
	return observe.YesIf(err == nil), err
}

// closeList closes the list that a combo box has opened, which would take the next click
// for itself.
func closeList(ctx context.Context, hand *aim.Hand, el *desktop.Element, before desktop.Windows) {
	ctx, cancel := aim.ReleaseContext(ctx)
	defer cancel()
	now, err := hand.Desktop.Windows(ctx)
	box, gone := hand.Desktop.Refresh(ctx, el.Handle)
	open := gone == nil && box.States.Has(desktop.Expanded) && !el.States.Has(desktop.Expanded)
	if open && inPage(el) {
		err = errors.Join(err, aim.Focus(ctx, hand, el, aim.FocusOptions{Grab: true}))
	}
	if open || slices.ContainsFunc(now.Without(before), func(w desktop.Window) bool { return w.Popup && !w.Tooltip }) {
		err = errors.Join(err, aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{{Key: "escape"}}))
	}
	if err != nil {
		hand.Logger().WarnContext(ctx, "the list of the combo box was not closed", "error", err)
	}
}

// open opens a combo box. One of GTK 4 is clicked: after its action it sometimes keeps
// the pointer grab when it has closed, and takes the next click.
func open(ctx context.Context, hand *aim.Hand, el *desktop.Element) error {
	if !takesOnlyKeys(el) {
		if err := hand.Desktop.Do(ctx, desktop.Invoke{Element: el.Handle, Action: ""}); !errors.Is(err, desktop.ErrRefused) {
			return err
		}
	}
	return aim.PressElement(ctx, hand, el, false)
}

// chooseByKeys opens a combo box and steps down to an option. It is for combo boxes whose
// list and options do not take a choice.
func chooseByKeys(ctx context.Context, hand *aim.Hand, el, option *desktop.Element) (observe.Checked, error) {
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return observe.Unchecked, err
	}
	of, open := openSign(now, option, takesOnlyKeys(el))
	if o, err := hand.Desktop.Refresh(ctx, of.Handle); err != nil || !open(o) {
		if err := aim.PressElement(ctx, hand, el, false); err != nil {
			return observe.Unchecked, err
		}
		if _, err := observe.WaitUntilIs(ctx, hand, of, open); err != nil {
			return observe.Unchecked, err
		}
	}
	keys := slices.Concat([]desktop.Chord{{Key: "home"}}, slices.Repeat([]desktop.Chord{{Key: "down"}}, option.Index), []desktop.Chord{{Key: "enter"}})
	if err := aim.PressKeys(ctx, hand.Desktop, keys); err != nil {
		return observe.Unchecked, err
	}
	err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		t, err := hand.Desktop.Tree(ctx, desktop.Scope{Root: el.Handle, Full: true})
		if err != nil || showsAlone(t, aim.OptionText(option)) {
			return err
		}
		if o, err := hand.Desktop.Refresh(ctx, of.Handle); err == nil && of == option.Parent && !open(o) && len(t.Roots) == 1 && t.Roots[0].Name == aim.OptionText(option) {
			return nil
		}
		return notChosen(el, option)
	})
	return observe.YesIf(err == nil), err
}

// openSign returns an element that tells whether a combo box is open, and how. The options of a
// closed one may report that they show: in Qt 5 their list has no box then. That of GTK 4 has
// none in a Wayland session, where the places of popups are not known.
func openSign(el, option *desktop.Element, gtk4 bool) (of *desktop.Element, open func(*desktop.Element) bool) {
	switch list := option.Parent; {
	case el.States.Has(desktop.Collapsed):
		return el, func(e *desktop.Element) bool { return !e.States.Has(desktop.Collapsed) }
	case !gtk4 && list != nil && list.Role == "list" && list.Bounds.Empty():
		return list, func(e *desktop.Element) bool { return !e.Bounds.Empty() }
	}
	return option, func(e *desktop.Element) bool { return e.States.Has(desktop.Showing) }
}

// showsAlone reports whether a closed combo box shows a text.
func showsAlone(t *desktop.Tree, text string) (shows bool) {
	t.Walk(func(e *desktop.Element) bool {
		if e.Role.Is(desktop.Option) || e.Role.Is(desktop.Rows) {
			shows = false
			return false
		}
		shows = shows || cmp.Or(e.Text, e.Name) == text
		return true
	})
	return shows
}

func notChosen(el, option *desktop.Element) error {
	return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s does not show %q as chosen", aim.Describe(el), aim.OptionText(option)), Next: "open the list and click the option with click_element"}
}

// choose selects an option: through its container, through the combo box, or by the
// option's own action, whichever the application accepts first. An item of a menu is not
// selected, because that only highlights it and the menu then takes all clicks. Without
// selecting only the action is tried.
func choose(ctx context.Context, d *desktop.Desktop, el, option *desktop.Element, selecting bool) error {
	// In Swing the list of a combo box takes a choice and says so, and the combo box does not.
	if p := option.Parent; selecting && p != nil && !inMenu(el, option) && option.Role != "label" {
		if err := d.Do(ctx, desktop.Select{Container: p.Handle, Child: option.Index, On: true}); !errors.Is(err, desktop.ErrRefused) {
			return err
		}
	}
	if selecting {
		if err := d.Do(ctx, desktop.Select{Container: el.Handle, Child: option.Index, On: true}); !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrNotFound) {
			return err
		}
	}
	err := d.Do(ctx, desktop.Invoke{Element: option.Handle, Action: ""})
	if errors.Is(err, desktop.ErrRefused) {
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("choosing %q: %w", aim.OptionText(option), err), Next: "open the list and click the option with click_element"}
	}
	return err
}

// inMenu reports whether an option is an item of a combo box's menu. In a page, a menu is
// the list of options.
func inMenu(el, option *desktop.Element) bool {
	return !inPage(el) && option.Parent != nil && option.Parent.Role == "menu"
}

func inPage(el *desktop.Element) bool {
	return el.Enclosing(func(p *desktop.Element) bool { return p.Role == "document" }) != nil
}

// chosen reports whether an option is chosen now.
func chosen(ctx context.Context, d *desktop.Desktop, el, option *desktop.Element) bool {
	if now, err := d.Refresh(ctx, option.Handle); err == nil && !inMenu(el, option) && !showsItsChoice(el, option) && (now.States.Has(desktop.Selected) || now.States.Has(desktop.Checked)) {
		return true
	}
	now, err := d.Refresh(ctx, el.Handle)
	if name := aim.OptionText(option); err == nil && name != "" && (now.Text == name || el.Role == "combobox" && now.Text == "" && now.Name == name) {
		return true
	}
	if el.Role != "combobox" {
		return false
	}
	t, err := d.Tree(ctx, desktop.Scope{Root: el.Handle, Full: true})
	return err == nil && showsAlone(t, aim.OptionText(option))
}

// showsItsChoice reports whether a combo box shows one of its options as its name or
// text. That is the choice, whatever the states of the options are.
func showsItsChoice(el, option *desktop.Element) bool {
	if el.Role != "combobox" || option.Parent == nil {
		return false
	}
	if slices.Contains(el.Actions, "ShowMenu") { // Qt, also when it is blank
		return true
	}
	shows := []string{el.Text, el.Name}
	el.Walk(func(e *desktop.Element) bool { // GTK 4 has a button with a label in it
		if e.Role == "label" {
			shows = append(shows, e.Name)
		}
		return !e.Role.Is(desktop.Rows)
	})
	for _, shown := range shows {
		if _, err := aim.OptionNamed(option.Parent.Children, shown); shown != "" && err == nil {
			return true
		}
	}
	return false
}

// tells reports whether an element exposes its choice: a combo box with a menu does so by
// its name or text, unless it has a name of its own.
func tells(el, option *desktop.Element) bool {
	if !inMenu(el, option) || el.Text != "" || el.Name == "" {
		return true
	}
	_, err := aim.OptionNamed(option.Parent.Children, el.Name)
	return err == nil
}
