package local

import (
	"context"
	"errors"

	"understudy/steps/desktop"
)

// actor gives each action to the driver that performs it.
type actor struct {
	display  *keys
	elements desktop.Actor
	apps     apps
}

func (s actor) Do(ctx context.Context, a desktop.Action) error {
	if err := s.display.Await(ctx); err != nil {
		return err
	}
	switch a := a.(type) {
	case desktop.Launch:
		return s.apps.launch(a)
	case desktop.OpenURL:
		return s.apps.openURL(ctx, a)
	case desktop.Invoke, desktop.SetText, desktop.InsertText, desktop.SetNumber, desktop.Select, desktop.GrabFocus, desktop.Reveal:
		return s.elements.Do(ctx, a)
	case desktop.RestoreFocus:
		if a.State.PointerUnknown {
			return s.elements.Do(ctx, a)
		}
		return errors.Join(s.elements.Do(ctx, a), s.display.Do(ctx, desktop.MovePointer{To: a.State.Pointer}))
	}
	return s.display.Do(ctx, a)
}
