package steps

import (
	"context"
	"errors"
	"fmt"

	"understudy/steps/desktop"
)

// clickOn clicks an element at a point at which it was found to be reachable.
// It presses nothing when the element, or the window there, has moved since,
// or when another window came in between.
func (e *Env) clickOn(ctx context.Context, el *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	window, known := e.met[el]
	if !known {
		return e.Desktop.Click(ctx, at, b, count)
	}
	// The window was looked at first: if it moved after that, it moves before
	// the click, which sees it.
	now, err := e.again(ctx, el)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return fmt.Errorf("%s went away: %w", inWords(el), desktop.ErrMoved)
	case err != nil:
		return err
	case now.Bounds != el.Bounds:
		return fmt.Errorf("%s went from %s to %s: %w", inWords(el), el.Bounds, now.Bounds, desktop.ErrMoved)
	}
	return e.Desktop.ClickIn(ctx, window, at, b, count)
}

// meet remembers the window through which an element can be reached.
func (e *Env) meet(el *desktop.Element, w *desktop.Window) {
	if w == nil {
		delete(e.met, el)
		return
	}
	if e.met == nil {
		e.met = map[*desktop.Element]desktop.Window{}
	}
	e.met[el] = *w
}
