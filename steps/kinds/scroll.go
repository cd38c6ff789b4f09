package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// Scroll turns the wheel at a point.
var Scroll = steps.Define(steps.Kind{
	Name:    "scroll",
	Summary: "Turn the mouse wheel, at a point or where the pointer is.",
	Toolset: steps.Desktop,
}, ScrollArgs{Direction: Down, Amount: 3}, aim.With(scroll))

// ScrollArgs says where to scroll, which way and how far.
type ScrollArgs struct {
	aim.Position
	Direction Direction   `json:"direction,omitzero" jsonschema:"the way to scroll"`
	Amount    steps.Count `json:"amount,omitzero" jsonschema:"notches of the wheel"`
}

// ScrollResult says where it scrolled.
type ScrollResult struct {
	At desktop.Point `json:"at" jsonschema:"where the wheel was turned"`
}

// Direction is a way to scroll.
type Direction string

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

func scroll(ctx context.Context, hand *aim.Hand, a ScrollArgs) (ScrollResult, error) {
	at, err := aim.PointOf(ctx, hand.Desktop, a.Position)
	if err != nil {
		return ScrollResult{}, err
	}
	return ScrollResult{at}, wheel(ctx, hand, at, a.Direction, int(a.Amount))
}

// wheel turns the wheel at a point and puts the pointer back.
func wheel(ctx context.Context, hand *aim.Hand, at desktop.Point, d Direction, amount int) error {
	defer aim.RestorePointer(ctx, hand, true)(ctx)
	dx, dy := d.by(amount)
	return aim.TurnWheel(ctx, hand, hand.Desktop, at, dx, dy)
}

// by returns how far to scroll to the right and down.
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
