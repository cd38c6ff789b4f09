package local

import (
	"context"
	"errors"
	"slices"

	"understudy/steps/desktop"
)

// accessibility is the parts of a desktop that read and work elements.
type accessibility interface {
	desktop.Actor
	desktop.Elements
	desktop.Focus
	desktop.Changes
	Close() error
}

// addAccessibility gives a desktop its Elements, Focus and Changes, and returns
// what acts on elements, and what ends them. A desktop without an accessibility
// bus works; only the parts that need one say what is missing.
func (s *session) addAccessibility(ctx context.Context, d *desktop.Desktop) (elements desktop.Actor, end func() error) {
	a, err := s.connectAccessibility(ctx, d)
	if err != nil {
		u := desktop.Unavailable{Err: err}
		d.Elements, d.Focus, d.Changes = u, u, u
		d.Input = withoutElements{d.Input, errors.Join(desktop.ErrUnheard, err)}
		return u, nil
	}
	d.Elements, d.Focus, d.Changes = a, focus{a, d.Pointer}, a
	return a, a.Close
}

// withoutElements is the input of a desktop without accessibility. Where keys are not
// told, nothing tells what came of them either.
type withoutElements struct {
	desktop.Input
	unheard error
}

func (w withoutElements) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	return w.Input.Watch(ctx, func(ev desktop.InputEvent) {
		if slices.Contains(ev.Unheard, desktop.KeyPress) {
			stop(w.unheard)
			return
		}
		f(ev)
	})
}

// focus adds the pointer to what accessibility remembers.
type focus struct {
	desktop.Focus
	pointer desktop.Pointer
}

// SaveFocus remembers the pointer too.
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
