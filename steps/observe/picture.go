package observe

import (
	"context"
	"errors"
	"fmt"
	"image"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
)

// KeepPicture stores a picture and returns its URI.
func KeepPicture(ctx context.Context, env *steps.Env, p *image.RGBA) (string, error) {
	if env.Keep == nil {
		return "", &steps.Error{Code: steps.Unavailable, Err: errors.New("there is nowhere to keep a picture"), Next: "run the step in a run that keeps captures"}
	}
	uri, err := env.Keep(ctx, p)
	if err != nil {
		return "", fmt.Errorf("keeping a picture: %w", err)
	}
	return uri, nil
}

// Capture takes a picture of the part of an area that is on the screen, with password
// fields blanked, and returns it with that part. An empty area is the whole screen.
func Capture(ctx context.Context, env *steps.Env, area desktop.Rect) (*image.RGBA, desktop.Rect, error) {
	screen, err := aim.Screen(ctx, env.Desktop)
	if err != nil {
		return nil, area, err
	}
	if area.Empty() {
		area = screen
	}
	wanted := area
	if area = area.Intersect(screen); area.Empty() {
		return nil, area, &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("what is to be shown, %s, is not on the screen, which is %s", wanted, screen), Next: "take an area of the screen, or bring the window into it with move_window"}
	}
	known := env.Passwords
	if known == nil {
		known = &Passwords{}
	}
	fields := known.Where(ctx, env.Desktop)
	p, err := env.Desktop.Capture(ctx, area)
	if err != nil {
		return nil, area, fmt.Errorf("taking a picture: %w", err)
	}
	p = Blank(p, desktop.Point{X: area.X, Y: area.Y}, append(fields, known.Find(ctx, env.Desktop)...))
	return p, area, ctx.Err()
}

// NoteTarget notes that the text of the arguments goes into el. A password field is kept,
// so that it is blanked even when it reveals its text. nil, an unknown element, counts as
// no password field.
func NoteTarget(env *steps.Env, el *desktop.Element) {
	hidden := el != nil && el.Role == password
	if el != nil && env.Passwords != nil {
		hidden = env.Passwords.Note(env.Desktop, el)
	}
	env.NoteTyped(hidden)
}

// NoteFocus notes that the text goes into the focused element.
func NoteFocus(ctx context.Context, env *steps.Env) {
	if el := aim.Focused(ctx, env.Desktop); ctx.Err() == nil {
		NoteTarget(env, el)
	}
}
