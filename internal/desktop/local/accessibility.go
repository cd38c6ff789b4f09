package local

import (
	"context"
	"errors"
	"slices"

	"understudy/internal/desktop"
)

// accessibility is the part of a desktop that reads and operates elements.
type accessibility interface {
	desktop.Actor
	desktop.Elements
	desktop.Focus
	desktop.Changes
	Close() error
}

// addAccessibility adds Elements, Focus and Changes to a desktop, and returns the
// actor for elements and a function that closes them. A desktop without an
// accessibility bus works; the parts that need one fail with what is missing.
func (s *session) addAccessibility(ctx context.Context, d *desktop.Desktop) (elements desktop.Actor, end func() error) {
	a, err := s.connectAccessibility(ctx, d)
	if err != nil {
		u := desktop.Unavailable{Err: err}
		d.Elements, d.Focus, d.Changes = u, u, u
		d.Input = withoutElements{d.Input, errors.Join(desktop.ErrUnreported, err)}
		return u, nil
	}
	d.Elements, d.Focus, d.Changes = a, focus{a, d.Pointer}, a
	return a, a.Close
}

// withoutElements is the input of a desktop without accessibility. If keys are not
// reported, there is nothing to tell their effect either.
type withoutElements struct {
	desktop.Input
	unreported error
}

func (w withoutElements) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	return w.Input.Watch(ctx, func(ev desktop.InputEvent) {
		if slices.Contains(ev.Unreported, desktop.KeyPress) {
			stop(w.unreported)
			return
		}
		f(ev)
	})
}

// focus adds the pointer to the focus state.
type focus struct {
	desktop.Focus
	pointer desktop.Pointer
}

func (f focus) SaveFocus(ctx context.Context) (desktop.FocusState, error) {
	at, unknown := f.pointer.PointerPosition(ctx)
	_, untold := errors.AsType[*desktop.MissingError](unknown)
	if unknown != nil && !untold {
		return desktop.FocusState{Caret: -1}, unknown
	}
	s, err := f.Focus.SaveFocus(ctx)
	s.Pointer, s.PointerUnknown = at, untold
	return s, err
}
