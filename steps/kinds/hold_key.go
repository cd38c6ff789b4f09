package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// HoldKey presses a key and keeps it down, or releases it.
var HoldKey = steps.Define(desktopKind("hold_key", "Press a key and hold it, until it is let go or the run ends."), HoldKeyArgs{}, holdKey)

// HoldKeyArgs names one key, and may name the window that is to get it.
type HoldKeyArgs struct {
	Do  Hold        `json:"do" jsonschema:"up lets it go"`
	Key desktop.Key `json:"key" use:"typed" jsonschema:"the key: shift, ctrl, a, f5"`
	aim.KeyWindow
}

// Hold says what to do with a key or a button that can be held.
type Hold string

func (Hold) Words() []string { return []string{string(HoldDown), string(HoldUp)} }

// The ways to hold.
const (
	HoldDown Hold = "down"
	HoldUp   Hold = "up"
)

// HoldKeyResult names the key in our words.
type HoldKeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

// Validate allows that the window is named only of a key that goes to it.
func (a *HoldKeyArgs) Validate() error {
	if a.Do == HoldUp && a.ExpectWindow != "" {
		return errors.New("expect_window is for a key that is pressed, not for one that is let go")
	}
	return nil
}

// holdKey acts with one key, which may be a letter of a secret.
func holdKey(ctx context.Context, env *steps.Env, a HoldKeyArgs) (HoldKeyResult, error) {
	if err := a.Await(ctx, env); err != nil {
		return HoldKeyResult{}, err
	}
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return HoldKeyResult{}, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if !(desktop.Chord{Key: k}).EntersText() {
		env.NoteTyped(false)
	}
	var act desktop.Action = desktop.KeyDown{Key: k}
	if a.Do == HoldUp {
		act = desktop.KeyUp{Key: k}
	}
	err = notingFocus(ctx, env, func() error { return env.Desktop.Do(ctx, act) })
	if env.Typed() == steps.TypedHidden {
		k = a.Key // as the caller wrote it, which is recognised as a secret
	}
	return HoldKeyResult{k}, err
}
