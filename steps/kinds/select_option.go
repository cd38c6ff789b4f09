package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/observe"
)

// SelectOption chooses an option of a list or a combo box.
var SelectOption = steps.Define(steps.Kind{
	Name:       "select_option",
	Summary:    "Choose an option of a combo box or a list by its text.",
	Toolset:    steps.Core,
	Touches:    steps.Act,
	Idempotent: true,
}, SelectOptionArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(selectOption))

// SelectOptionArgs says which option to choose.
type SelectOptionArgs struct {
	aim.Target
	OptionName string `json:"option_name" jsonschema:"the option's text"`
	observe.ActionOptions
}

// SelectOptionResult says which option is chosen now.
type SelectOptionResult struct {
	Selected string           `json:"selected" jsonschema:"the text of the option that was chosen"`
	Element  *desktop.Element `json:"element,omitzero" jsonschema:"the combo box or list"`
	observe.ActionResult
}

// Validate wants the text of an option.
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
	r := SelectOptionResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		option, err := option(ctx, hand.Desktop, el, a.OptionName)
		if err != nil {
			return observe.Unchecked, err
		}
		r.Selected = selector.NameOf(option)
		if chosen(ctx, hand.Desktop, el, option) {
			return observe.YesIf(tells(el, option)), nil
		}
		return chooseAndLook(ctx, hand.Desktop, el, option)
	})
	return r, err
}

// chooseAndLook chooses an option, and looks whether it is chosen then. Where a way
// that the application accepts brings nothing about, the next is taken: in Qt an
// option can be selected in the list of a combo box that does not take it.
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
				return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s does not show %q as chosen", aim.Describe(el), selector.NameOf(option)), Next: "open the list and click the option with click_element"}
			}
			return nil
		})
		if err == nil || !first || !showsItsChoice(el, option) {
			return observe.YesIf(err == nil), err
		}
	}
}

// option finds an option of a list by its text. A combo box that shows its
// options only when it is open is opened first.
func option(ctx context.Context, d *desktop.Desktop, el *desktop.Element, name string) (*desktop.Element, error) {
	opened := false
	var option *desktop.Element
	err := aim.WaitUntil(ctx, aim.SearchTime.Std(), func(ctx context.Context) error {
		t, err := d.Tree(ctx, desktop.Scope{Root: el.Handle, Hidden: true, Full: true})
		if err != nil {
			return err
		}
		all := options(t)
		if option, err = named(all, name); err == nil || steps.CodeOf(err) == steps.Ambiguous {
			return err
		}
		if len(all) == 0 && !opened && el.Role == "combobox" {
			opened = true
			if err := d.Do(ctx, desktop.Invoke{Element: el.Handle, Action: ""}); err != nil && !errors.Is(err, desktop.ErrRefused) {
				return err
			}
		}
		return notOffered(el, name, all)
	})
	return option, err
}

// options are the elements below a list that can be chosen.
func options(t *desktop.Tree) []*desktop.Element {
	var all []*desktop.Element
	t.Walk(func(o *desktop.Element) bool {
		if o.Role.Is(desktop.Option) {
			all = append(all, o)
		}
		return true
	})
	return all
}

// named is the option with a text: exactly, else without regard to case.
func named(all []*desktop.Element, name string) (*desktop.Element, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []*desktop.Element
		for _, o := range all {
			if same(strings.TrimSpace(selector.NameOf(o)), strings.TrimSpace(name)) || same(strings.TrimSpace(o.Text), strings.TrimSpace(name)) {
				found = append(found, o)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, &steps.Error{Code: steps.Ambiguous, Err: fmt.Errorf("%d options are called %q", len(found), name), Next: "open the list and click the one that is meant, such as role:listitem && nth:0"}
		}
	}
	return nil, desktop.ErrNotFound
}

func notOffered(el *desktop.Element, name string, all []*desktop.Element) error {
	err := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%s has no option %q", aim.Describe(el), name)}
	known := make([]string, 0, len(all))
	for _, o := range all {
		known = append(known, selector.NameOf(o))
	}
	err.Next = words.DidYouMean(name, known)
	return err
}

// choose selects an option: through its container, through the combo box, or
// by the option's own action, whichever the application accepts first. What is
// selected in a menu is only highlighted, and the menu then takes all clicks.
// Selecting is left out where it brought nothing about.
func choose(ctx context.Context, d *desktop.Desktop, el, option *desktop.Element, selecting bool) error {
	if p := option.Parent; selecting && p != nil && !inMenu(el, option) {
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
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("choosing %q: %w", selector.NameOf(option), err), Next: "open the list and click the option with click_element"}
	}
	return err
}

// inMenu says whether an option is an item of a combo box's menu. What a page
// calls a menu is its list of options.
func inMenu(el, option *desktop.Element) bool {
	for p := el.Parent; p != nil; p = p.Parent {
		if p.Role == "document" {
			return false
		}
	}
	return option.Parent != nil && option.Parent.Role == "menu"
}

// chosen says whether an option is the one that is chosen now.
func chosen(ctx context.Context, d *desktop.Desktop, el, option *desktop.Element) bool {
	if now, err := d.Refresh(ctx, option.Handle); err == nil && !inMenu(el, option) && !showsItsChoice(el, option) && (now.States.Has(desktop.Selected) || now.States.Has(desktop.Checked)) {
		return true
	}
	now, err := d.Refresh(ctx, el.Handle)
	name := selector.NameOf(option)
	return err == nil && name != "" && (now.Text == name || el.Role == "combobox" && now.Name == name)
}

// showsItsChoice says whether a combo box shows one of its options as its name or
// text. Then that is what is chosen, whatever the states of the options say.
func showsItsChoice(el, option *desktop.Element) bool {
	if el.Role != "combobox" || option.Parent == nil {
		return false
	}
	for _, shown := range []string{el.Text, el.Name} {
		if _, err := named(option.Parent.Children, shown); shown != "" && err == nil {
			return true
		}
	}
	return false
}

// tells says whether it can be seen which option is chosen: a combo box with
// a menu tells it by its name or text, unless it has a name of its own.
func tells(el, option *desktop.Element) bool {
	if !inMenu(el, option) || el.Text != "" || el.Name == "" {
		return true
	}
	_, err := named(option.Parent.Children, el.Name)
	return err == nil
}
