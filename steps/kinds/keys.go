package kinds

import (
	"context"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
)

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" use:"typed" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

// actWithKey acts with one key, which may be a letter of a secret.
func actWithKey(ctx context.Context, env *steps.Env, a KeyArgs, act func(desktop.Key) desktop.Action) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if !(desktop.Chord{Key: k}).EntersText() {
		env.NoteTyped(false)
	}
	err = notingFocus(ctx, env, func() error { return env.Desktop.Do(ctx, act(k)) })
	if env.Typed() == steps.TypedHidden {
		k = a.Key // as the caller wrote it, which is recognised as a secret
	}
	return KeyResult{k}, err
}

// chordsOf parses keys. Keys that enter no characters are no secret.
func chordsOf(env *steps.Env, keys steps.Keys) ([]desktop.Chord, error) {
	chords, err := desktop.ParseKeys(string(keys))
	if err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if !slices.ContainsFunc(chords, desktop.Chord.EntersText) {
		env.NoteTyped(false)
	}
	return chords, nil
}

// notingFocus presses keys. If they may be a secret it notes what has the focus before
// and after.
func notingFocus(ctx context.Context, env *steps.Env, press func() error) error {
	if env.Typed() == steps.TypedOpenly {
		return press()
	}
	observe.NoteFocus(ctx, env)
	err := press()
	observe.NoteFocus(ctx, env)
	return err
}
