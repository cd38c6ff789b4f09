package observe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// ChangeWindow changes a window unless it is so already, and reports whether the change
// was seen.
func ChangeWindow(ctx context.Context, env *steps.Env, a aim.WindowTarget, c desktop.Manage, is func(desktop.Window) bool) (WindowResult, error) {
	d := env.Desktop
	w, err := aim.FindWindow(ctx, d, a)
	if err != nil {
		return WindowResult{}, err
	}
	if c.Do == desktop.Activate {
		defer func() { env.Keyboard.Name(w) }()
	}
	if is(w) {
		return WindowResult{Window: w, Checked: Yes}, nil
	}
	if c.Do == desktop.Maximize && w.Minimized { // it would be large and not show
		if err := aim.Raise(ctx, d, w.ID); err != nil {
			return WindowResult{}, err
		}
	}
	c.Window = w.ID
	if err := d.Do(ctx, c); err != nil {
		return WindowResult{}, err
	}
	r := WindowResult{Window: w}
	err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		now, err := aim.FindWindow(ctx, d, aim.WindowTarget{ID: w.ID})
		if err != nil {
			return err
		}
		if r.Window = now; !is(now) {
			return steps.Errorf(steps.Unexpected, "not yet")
		}
		return nil
	})
	if err != nil && (ctx.Err() != nil || steps.CodeOf(err) != steps.Unexpected) {
		return r, err
	}
	r.Checked = YesIf(err == nil)
	if err != nil && c.Do != desktop.Place {
		return r, &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the window %q was asked to %s and did not", w.Title, c.Do), Next: "check whether something blocks it, such as a dialog"}
	}
	return r, nil
}

// ToggleState returns the states that an element may have when it is on; 0 if it
// cannot be on or off.
func ToggleState(el *desktop.Element) desktop.States {
	switch role := el.Role; {
	case role.Is(desktop.Toggle):
		return desktop.Checked
	case role == "togglebutton": // toolkits do not agree on which
		return desktop.Checked | desktop.Pressed
	case role == "cell", role == "listitem", role == "treeitem":
		selects := el.States.Has(desktop.Selectable) && len(el.Actions) == 1 // in Qt, also one with a checkbox
		if el.States.Has(desktop.Checked) || ToggleAction(el) != "" && !selects {
			return desktop.Checked
		}
	}
	if el.States.Has(desktop.Selectable) || el.States.Has(desktop.Selected) {
		return desktop.Selected
	}
	return 0
}

// ToggleAction returns the action by which an element offers to be toggled, or "".
func ToggleAction(el *desktop.Element) string {
	i := slices.IndexFunc(el.Actions, func(name string) bool { return strings.EqualFold(name, "toggle") })
	if i < 0 {
		return ""
	}
	return el.Actions[i]
}

// TogglePatience returns how long el may take to show that it was toggled. Most
// applications show it before they answer the next query; a browser waits for its page.
func TogglePatience(el *desktop.Element) aim.EffectLimit {
	p := aim.EffectLimit{Looks: 4}
	if _, page := el.Attributes["tag"]; page {
		p.Least = 250 * time.Millisecond
	}
	return p
}

// WaitForToggle waits until el shows that it was toggled by a click or by its action.
// A checkbox that did not change is an error. Other elements have nothing to read back;
// a toggle button may be pressed only for a moment, as the keys of a calculator are.
func WaitForToggle(ctx context.Context, d *desktop.Desktop, before *desktop.Element) (Checked, error) {
	if before == nil {
		return Unchecked, nil
	}
	state, want, patience := ToggleState(before), true, aim.UsualEffectLimit
	switch before.Role {
	case "radiobutton":
	case "togglebutton":
		patience = TogglePatience(before)
		fallthrough
	case "checkbox", "switch":
		want = before.States&state == 0
	default:
		return Unchecked, nil
	}
	err := aim.WaitForEffect(ctx, patience, func(ctx context.Context) error {
		now, err := d.Refresh(ctx, before.Handle)
		if err == nil && (now.States&state != 0) != want && !(now.States ^ before.States).Has(desktop.Indeterminate) {
			err = steps.Errorf(steps.Unexpected, "%s did not change: it is still %s", aim.Describe(before), map[bool]string{true: "off", false: "on"}[want]).
				WithNext("look at the screen: the application may refuse it, or ask first")
		}
		return err
	})
	switch {
	case err == nil:
		return Yes, nil
	case ctx.Err() != nil:
		return No, err
	case before.Role == "togglebutton":
		return Unchecked, nil
	case steps.CodeOf(err) != steps.Unexpected:
		return NotPossible, nil // the click closed it, or it does not answer
	}
	return No, err
}

// WaitUntilIs waits until el is as an action was to make it.
func WaitUntilIs(ctx context.Context, hand *aim.Hand, el *desktop.Element, is func(*desktop.Element) bool) (now *desktop.Element, err error) {
	err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		n, err := hand.Reread(ctx, el)
		if err != nil {
			return err
		}
		if now = n; !is(n) {
			return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s does not have the value that was set: it is %s", aim.Describe(el), shows(hand.Env, el, n)), Next: "look at the screen before doing it again"}
		}
		return nil
	})
	return now, err
}

// shows describes the value of an element. A password field that reveals its text has
// another role now than it was found with.
func shows(env *steps.Env, found, now *desktop.Element) string {
	switch {
	case now.Value != nil:
		return strconv.FormatFloat(now.Value.Now, 'g', -1, 64)
	case found.Role == password, now.Role == password:
		return "filled with something else"
	case now.Text != "":
		return env.Quote(now.Text)
	}
	return fmt.Sprint(now.States.Names())
}

// WindowResult is the window as it is afterwards.
type WindowResult struct {
	Window  desktop.Window `json:"window" jsonschema:"the window"`
	Checked Checked        `json:"checked,omitzero" jsonschema:"whether the change was seen; no if the size is limited, or if the window asks before it closes"`
	Refused string         `json:"refused,omitzero" jsonschema:"why the window did not close, such as a question that it asks"`
}
