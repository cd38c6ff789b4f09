package steps

import (
	"context"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// PressKey presses keys on an element, or where the focus is.
var PressKey = Define(Kind{
	Name:    "press_key",
	Summary: "Press keys, such as enter or ctrl+s, on an element or where the focus is.",
	Toolset: Core,
	Touches: Act,
	Focus:   Take,
}, PressKeyArgs{Target: aimed, Around: around, TryFocusBefore: true, TryClickBefore: true}, pressKey)

// PressKeyArgs says which keys to press, and where.
type PressKeyArgs struct {
	Target
	Key            Keys `json:"key" jsonschema:"the keys: enter, ctrl+s, {Tab}{Tab}"`
	TryFocusBefore bool `json:"try_focus_before,omitzero" jsonschema:"give the element the focus first"`
	TryClickBefore bool `json:"try_click_before,omitzero" jsonschema:"click the element when it does not take the focus otherwise"`
	Around
}

// Validate allows that no element is named.
func (a *PressKeyArgs) Validate() error {
	if !a.Named() {
		return nil
	}
	return a.Target.Validate()
}

// PressKeyGlobal presses keys for the active window, or that of an application.
var PressKeyGlobal = Define(Kind{
	Name:    "press_key_global",
	Summary: "Press keys in the active window, or in the window of an application.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, PressKeyGlobalArgs{Around: around}, pressKeyGlobal)

// PressKeyGlobalArgs says which keys to press.
type PressKeyGlobalArgs struct {
	Process string `json:"process,omitzero" jsonschema:"the application whose window is brought to the front first"`
	Key     Keys   `json:"key" jsonschema:"the keys: escape, ctrl+v, {Alt}{F4}"`
	Around
}

func pressKey(ctx context.Context, env *Env, a PressKeyArgs) (ElementResult, error) {
	chords, err := a.Key.chords()
	if err != nil {
		return ElementResult{}, err
	}
	var el *desktop.Element
	if a.Named() {
		if el, _, err = env.aim(ctx, a.Target, need{enabled: true, windows: a.WindowOptions}); err != nil {
			return ElementResult{}, err
		}
	}
	r := ElementResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		if el != nil && (el.Handle == "" || el.States.Has(desktop.Focusable)) { // a window only comes to the front
			if err := env.focus(ctx, el, focusOptions{grab: a.TryFocusBefore, click: a.TryClickBefore}); err != nil {
				return false, err
			}
		}
		return false, env.press(ctx, chords)
	})
	return r, err
}

// chords are the keys to press, one after the other.
func (k Keys) chords() ([]desktop.Chord, error) {
	chords, err := desktop.ParseKeys(string(k))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return chords, nil
}

func pressKeyGlobal(ctx context.Context, env *Env, a PressKeyGlobalArgs) (After, error) {
	chords, err := a.Key.chords()
	if err != nil {
		return After{}, err
	}
	if a.Process != "" {
		if err := env.activateProcess(ctx, a.Process); err != nil {
			return After{}, err
		}
	}
	return env.around(ctx, a.Around, nil, func() (bool, error) { return false, env.press(ctx, chords) })
}

// activateProcess brings the topmost window of an application to the front,
// unless one of its windows is active.
func (e *Env) activateProcess(ctx context.Context, process string) error {
	return e.until(ctx, lookFor.Std(), func(ctx context.Context) error {
		windows, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		windows = slices.DeleteFunc(windows, func(w desktop.Window) bool { return !desktop.Scope{Process: process}.Admits(w.Process, w.Title) })
		if len(windows) == 0 {
			return noWindow(process, "")
		}
		if slices.ContainsFunc(windows, func(w desktop.Window) bool { return w.Active }) {
			return nil
		}
		return e.behind.Manage(ctx, windows[len(windows)-1].ID, desktop.WindowChange{Do: desktop.Activate})
	})
}
