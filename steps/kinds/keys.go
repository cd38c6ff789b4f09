package kinds

import (
	"context"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
)

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
