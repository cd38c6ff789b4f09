package aim

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/browse"
)

// A page that is connected is asked where the tree only guesses: whether an element is what shows
// at a point, and what was clicked. Without one, the tree has to do.

// witnessOf returns the page of an element, or nil.
func (h *Hand) witnessOf(ctx context.Context, el *desktop.Element) *browse.Witness {
	if !h.asked && el.Attributes["tag"] != "" {
		h.asked = true
		var err error
		if h.witness, err = browse.WitnessOf(ctx, h.Env, el); err != nil {
			h.Logger().DebugContext(ctx, "the page is not asked", "error", err)
		}
	}
	return h.witness
}

// shows reports whether the page says that an element is what shows at a point.
func (h *Hand) shows(ctx context.Context, el *desktop.Element, at desktop.Point) bool {
	w := h.witnessOf(ctx, el)
	if w == nil {
		return false
	}
	shows, err := w.Shows(ctx, el, at)
	return err == nil && shows
}

// Reread reads an element again, with the text that its page says it holds if that is connected:
// what the tree tells may be older, or what was typed before a script of the page changed it.
func (h *Hand) Reread(ctx context.Context, el *desktop.Element) (*desktop.Element, error) {
	now, err := h.Desktop.Refresh(ctx, el.Handle)
	if err != nil || !el.States.Has(desktop.Editable) {
		return now, err
	}
	if w := h.witnessOf(ctx, el); w != nil {
		asked := *el
		asked.Bounds = now.Bounds
		if text, known, err := w.Held(ctx, &asked); err == nil && known {
			now.Text = text
		}
	}
	return now, nil
}

// hasFocus is HasFocus, by the page if that is connected: the tree tells of the focus late.
func (h *Hand) hasFocus(ctx context.Context, el *desktop.Element) (bool, error) {
	if w := h.witnessOf(ctx, el); w != nil && el.States.Has(desktop.Focusable) {
		if has, known, err := w.Focused(ctx, el); err == nil && known {
			return has && CheckWindowHasKeyboard(ctx, h.Desktop, el) == nil, nil
		}
	}
	return HasFocus(ctx, h.Desktop, el)
}

// waitForFocus is WaitForFocus, by the page if that is connected.
func (h *Hand) waitForFocus(ctx context.Context, el *desktop.Element) (bool, error) {
	return waitForFocus(ctx, FocusEffectLimit, func(ctx context.Context) (bool, error) { return h.hasFocus(ctx, el) })
}

// pressInPage clicks an element of a page once the pointer has arrived there: styles and scripts may swap
// a picture for another, or open something over it, and then it returns ErrMoved. If the page says in the
// end that something else was clicked, that is an error.
func (h *Hand) pressInPage(ctx context.Context, el *desktop.Element, c desktop.Click) error {
	var watched browse.Watched
	w := h.witnessOf(ctx, el)
	if w != nil {
		watched, _ = w.Watch(ctx, el, c.At) // else the tree has to do
	}
	if watched.Over != "" {
		covered := NotActionable(el, "is covered by "+watched.Over+", as its page says", "close what covers it, or use invoke_element")
		return h.uncover(ctx, el, covered)
	}
	if err := h.point(ctx, c.At); err != nil {
		return err
	}
	if !watched.Found {
		if err := steps.Sleep(ctx, arrivalTime); err != nil {
			return err
		}
	} else if still, err := w.Arrived(ctx, el, c.At); err == nil && !still {
		return fmt.Errorf("the page shows something else than %s, since the pointer is there: %w", Describe(el), desktop.ErrMoved)
	}
	if err := h.isThere(ctx, el, c.At); err != nil {
		return err
	}
	if err := h.Desktop.Do(ctx, c); err != nil || !watched.Found {
		return err
	}
	if what := w.Beside(ctx, el, c.At); what != "" {
		return steps.Errorf(steps.Unexpected, "%s was to be clicked, and the page says that it was %s", Describe(el), what).
			WithNext("look at the page: it changed as the pointer came")
	}
	return nil
}

// uncover takes the pointer to the corner of an element's page once, and returns ErrMoved: what covers the
// element may be a menu that is open only under the pointer. Else it returns how the element is covered.
func (h *Hand) uncover(ctx context.Context, el *desktop.Element, covered error) error {
	page := el.Enclosing(isPage)
	if h.aside || page == nil {
		return covered
	}
	if at, err := h.Desktop.PointerPosition(ctx); err != nil || !page.Bounds.Contains(at) {
		return covered
	}
	h.aside = true
	if err := h.point(ctx, desktop.Point{X: page.Bounds.X, Y: page.Bounds.Y}); err != nil {
		return err
	}
	return fmt.Errorf("%w: %w", covered, desktop.ErrMoved)
}

// isThere returns ErrMoved if an element of a page is not what is at a point any more.
func (h *Hand) isThere(ctx context.Context, el *desktop.Element, at desktop.Point) error {
	_, err := pageElementAt(ctx, h, el, at)
	if steps.CodeOf(err) == steps.NotActionable {
		return fmt.Errorf("%w, since the pointer is there: %w", err, desktop.ErrMoved)
	}
	if err != nil {
		return err
	}
	return CheckUnmoved(ctx, h, el)
}
