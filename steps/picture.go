package steps

import (
	"context"
	"errors"
	"fmt"
	"image"

	"understudy/steps/desktop"
)

// keep stores a picture and says where.
func (e *Env) keep(ctx context.Context, p *image.RGBA) (string, error) {
	if e.Keep == nil {
		return "", &Error{Code: Unavailable, Err: errors.New("there is nowhere to keep a picture"), Next: "run the step in a run that keeps captures"}
	}
	uri, err := e.Keep(ctx, p)
	if err != nil {
		return "", fmt.Errorf("keeping a picture: %w", err)
	}
	return uri, nil
}

// capture takes a picture of an area, or with an empty one of the whole screen,
// for others to see: with the password fields blanked. It says which part of
// the area is on the screen, and fails when none is.
func (e *Env) capture(ctx context.Context, area desktop.Rect) (*image.RGBA, desktop.Rect, error) {
	screen, err := e.screen(ctx)
	if err != nil {
		return nil, area, err
	}
	if area.Empty() {
		area = screen
	}
	wanted := area
	if area = area.Intersect(screen); area.Empty() {
		return nil, area, &Error{Code: NotActionable, Err: fmt.Errorf("what is to be shown, %s, is not on the screen, which is %s", wanted, screen), Next: "take an area of the screen, or bring the window into it with move_window"}
	}
	known := e.Passwords
	if known == nil {
		known = &Passwords{}
	}
	fields := known.Where(ctx, e.Desktop)
	p, err := e.Desktop.Capture(ctx, area)
	if err != nil {
		return nil, area, fmt.Errorf("taking a picture: %w", err)
	}
	p = Blank(p, desktop.Point{X: area.X, Y: area.Y}, append(fields, known.Find(ctx, e.Desktop)...))
	return p, area, ctx.Err()
}

// notePassword remembers an element if it is a password field, to blank it on
// pictures also when it shows what it holds.
func (e *Env) notePassword(el *desktop.Element) {
	if e.Passwords != nil {
		e.Passwords.Note(e.Desktop, el)
	}
}
