package steps

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"understudy/steps/desktop"
)

// SetSelected checks, selects or switches an element, or the opposite.
var SetSelected = Define(Kind{
	Name:       "set_selected",
	Summary:    "Check a checkbox, choose a radio button, select an item or switch a toggle, or undo that; nothing happens when it is so already.",
	Toolset:    Desktop,
	Touches:    Act,
	Idempotent: true,
}, SetSelectedArgs{Target: aimed, Around: around}, setSelected)

// SetSelectedArgs says what to select, or not.
type SetSelectedArgs struct {
	Target
	State bool `json:"state" jsonschema:"true to select or check, false to undo it"`
	Around
}

// SetSelectedResult says how it was and how it is.
type SetSelectedResult struct {
	State   bool             `json:"state" jsonschema:"whether it is selected or checked now"`
	Changed bool             `json:"changed" jsonschema:"whether it was otherwise before"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	After
}

func setSelected(ctx context.Context, env *Env, a SetSelectedArgs) (SetSelectedResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{handle: true, enabled: true, windows: a.WindowOptions})
	if err != nil {
		return SetSelectedResult{}, err
	}
	state := switched(el)
	if state == 0 {
		return SetSelectedResult{}, notReady(el, "can be neither checked nor selected", "click it with click_element")
	}
	if (el.States&state != 0) == a.State {
		r := SetSelectedResult{State: a.State, Element: plain(el)}
		r.After, err = env.around(ctx, a.Around, el, func() (bool, error) { return true, nil })
		return r, err
	}
	if el.Role == "radiobutton" || el.Role == "radiomenuitem" {
		if !a.State {
			return SetSelectedResult{}, notReady(el, "cannot be switched off by itself", "choose another of its group")
		}
	}
	r := SetSelectedResult{State: a.State, Changed: true, Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		if err := env.turn(ctx, el, state, a.State); err != nil {
			return false, err
		}
		now, err := env.becomes(ctx, el, func(now *desktop.Element) bool { return (now.States&state != 0) == a.State })
		if now != nil {
			r.Element = plain(now)
		}
		return err == nil, err
	})
	return r, err
}

// switched are the states of which an element has one when it is on; 0 when it
// can be neither on nor off.
func switched(el *desktop.Element) desktop.States {
	switch el.Role {
	case "checkbox", "radiobutton", "checkmenuitem", "radiomenuitem", "switch":
		return desktop.Checked
	case "togglebutton": // toolkits do not agree on which
		return desktop.Checked | desktop.Pressed
	case "cell", "listitem", "treeitem": // with a checkbox in it
		if el.States.Has(desktop.Checked) || toggle(el) != "" {
			return desktop.Checked
		}
	}
	if el.States.Has(desktop.Selectable) || el.States.Has(desktop.Selected) {
		return desktop.Selected
	}
	return 0
}

// toggle is the action by which an element says that it can be checked; ""
// when it does not.
func toggle(el *desktop.Element) string {
	i := slices.IndexFunc(el.Actions, func(name string) bool { return strings.EqualFold(name, "toggle") })
	if i < 0 {
		return ""
	}
	return el.Actions[i]
}

// turning is how long an element may take to show that a click or its action
// turned it on or off. Most applications do that before they answer the next
// question; a browser hears of it from its page.
func turning(el *desktop.Element) patience {
	p := patience{looks: 4}
	if _, page := el.Attributes["tag"]; page {
		p.least = 250 * time.Millisecond
	}
	return p
}

// turned says whether an element shows that a click or its action turned it on
// or off. Of what goes away when it is chosen, such as an item of a menu, and
// of all others it knows nothing.
func (e *Env) turned(ctx context.Context, before *desktop.Element) (bool, error) {
	if before == nil {
		return false, nil
	}
	state, want := switched(before), true
	switch before.Role {
	case "radiobutton":
	case "checkbox", "switch", "togglebutton":
		want = before.States&state == 0
	default:
		return false, nil
	}
	err := e.follows(ctx, turning(before), func(ctx context.Context) error {
		now, err := e.Desktop.Refresh(ctx, before.Handle)
		if err == nil && (now.States&state != 0) != want {
			err = Errorf(Unexpected, "not yet")
		}
		return err
	})
	if ctx.Err() != nil {
		return false, err
	}
	return err == nil, nil
}

// turn switches an element on or off: through its container, by its own
// action, or by a click, whichever the application accepts first.
func (e *Env) turn(ctx context.Context, el *desktop.Element, state desktop.States, on bool) error {
	if state == desktop.Selected && el.Parent != nil {
		if err := e.Desktop.Select(ctx, el.Parent.Handle, el.Index, on); !errors.Is(err, desktop.ErrRefused) {
			return err
		}
	}
	if err := e.Desktop.Invoke(ctx, el.Handle, toggle(el)); !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	at, err := e.ready(ctx, el, time.Now(), need{enabled: true, point: middle})
	if err != nil {
		return err
	}
	return e.clickOn(ctx, el, at, desktop.Left, 1)
}
