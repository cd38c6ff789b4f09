package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps/desktop"
)

// fresh is how long what was seen of an element counts as seen just now.
const fresh = 5 * time.Millisecond

// encounter is how an element can be reached: through which window, and when
// the element was read last before that was known.
type encounter struct {
	window desktop.Window
	looked time.Time
}

// clickOn clicks an element at a point at which it was found to be reachable.
// It presses nothing when the element, or the window there, has moved since,
// or when another window came in between.
func (e *Env) clickOn(ctx context.Context, el *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	met, known := e.met[el]
	if !known {
		if err := e.unveilPoint(ctx, at); err != nil {
			return err
		}
		return e.Desktop.Click(ctx, at, b, count)
	}
	if err := e.Desktop.RestBeforeClick(ctx, at, b, count); err != nil {
		return err
	}
	if time.Since(met.looked) > fresh {
		if err := e.stands(ctx, el); err != nil {
			return err
		}
	}
	return e.Desktop.ClickIn(ctx, met.window, at, b, count)
}

// stands fails with ErrMoved when an element is not where it was seen. The
// window was looked at before: if it moved after that, it moves before the
// click, which sees it.
func (e *Env) stands(ctx context.Context, el *desktop.Element) error {
	now, err := e.again(ctx, el)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return fmt.Errorf("%s went away: %w", inWords(el), desktop.ErrMoved)
	case err != nil:
		return err
	case now.Bounds != el.Bounds:
		return fmt.Errorf("%s went from %s to %s: %w", inWords(el), el.Bounds, now.Bounds, desktop.ErrMoved)
	}
	return nil
}

// meet remembers how an element can be reached.
func (e *Env) meet(el *desktop.Element, w *desktop.Window, looked time.Time) {
	if w == nil {
		delete(e.met, el)
		return
	}
	if e.met == nil {
		e.met = map[*desktop.Element]encounter{}
	}
	e.met[el] = encounter{*w, looked}
}
