package steps

import (
	"context"
	"errors"
	"fmt"

	"understudy/steps/desktop"
)

// Scroll turns the wheel at a point.
var Scroll = Define(Kind{
	Name:    "scroll",
	Summary: "Turn the mouse wheel, at a point or where the pointer is.",
	Toolset: Desktop,
	Touches: Act,
}, ScrollArgs{Direction: Down, Amount: 3}, scroll)

// ScrollArgs says where to scroll, which way and how far.
type ScrollArgs struct {
	Place
	Direction Direction `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount    Count     `json:"amount,omitzero" jsonschema:"how many notches of the wheel"`
}

// Validate wants a whole point or none.
func (a *ScrollArgs) Validate() error {
	_, err := a.Given()
	return err
}

// ScrollResult says where it scrolled.
type ScrollResult struct {
	At desktop.Point `json:"at" jsonschema:"where the wheel was turned"`
}

// Direction is a way to scroll.
type Direction string

// Words are the words that it may be.
func (Direction) Words() []string {
	return []string{"up", "down", "left", "right"}
}

// The ways to scroll.
const (
	Up         Direction = "up"
	Down       Direction = "down"
	ToTheLeft  Direction = "left"
	ToTheRight Direction = "right"
)

// ScrollElement turns the wheel over an element.
var ScrollElement = Define(Kind{
	Name:    "scroll_element",
	Summary: "Scroll inside an element, or scroll it into view.",
	Toolset: Core,
	Touches: Act,
}, ScrollElementArgs{Target: aimed, Around: around, Direction: Down, Amount: 3}, scrollElement)

// ScrollElementArgs says what to scroll, which way and how far.
type ScrollElementArgs struct {
	Target
	Direction Direction `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount    Count     `json:"amount,omitzero" jsonschema:"how many notches of the wheel"`
	IntoView  bool      `json:"into_view,omitzero" jsonschema:"instead of scrolling inside it, bring the element into view"`
	Around
}

func scroll(ctx context.Context, env *Env, a ScrollArgs) (ScrollResult, error) {
	at, err := env.point(ctx, a.Place)
	if err != nil {
		return ScrollResult{}, err
	}
	return ScrollResult{at}, env.wheel(ctx, at, a.Direction, int(a.Amount))
}

// wheel turns the wheel at a point and puts the pointer back.
func (e *Env) wheel(ctx context.Context, at desktop.Point, d Direction, amount int) error {
	back := e.pointerBack(ctx, true)
	if err := e.behind.MovePointer(ctx, at); err != nil {
		return err
	}
	if err := e.unveilPoint(ctx, at); err != nil {
		return err
	}
	dx, dy := d.by(amount)
	if err := e.Desktop.Scroll(ctx, dx, dy); err != nil {
		return err
	}
	back(ctx)
	return nil
}

// by is how far to scroll to the right and down.
func (d Direction) by(amount int) (dx, dy int) {
	switch d {
	case Up:
		return 0, -amount
	case ToTheLeft:
		return -amount, 0
	case ToTheRight:
		return amount, 0
	}
	return 0, amount
}

func scrollElement(ctx context.Context, env *Env, a ScrollElementArgs) (ElementResult, error) {
	if a.IntoView {
		return a.reveal(ctx, env)
	}
	el, at, err := env.aim(ctx, a.Target, need{point: middle, windows: a.WindowOptions})
	if err != nil {
		return ElementResult{}, err
	}
	r := ElementResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		return false, env.wheel(ctx, at, a.Direction, int(a.Amount))
	})
	return r, err
}

// reveal brings an element into view.
func (a *ScrollElementArgs) reveal(ctx context.Context, env *Env) (ElementResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{handle: true, hidden: true, windows: a.WindowOptions})
	if err != nil {
		return ElementResult{}, err
	}
	r := ElementResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		if err := env.Desktop.Reveal(ctx, el.Handle); errors.Is(err, desktop.ErrRefused) {
			return false, &Error{Code: NotActionable, Err: fmt.Errorf("bringing %s into view: %w", inWords(el), err), Next: "scroll the element that holds it"}
		} else if err != nil {
			return false, err
		}
		now, err := env.becomes(ctx, el, func(now *desktop.Element) bool {
			return now.States.Has(desktop.Showing) && !now.Bounds.Empty()
		})
		if now != nil {
			r.Element = plain(now)
		}
		return err == nil, err
	})
	return r, err
}
