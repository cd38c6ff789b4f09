package steps

import (
	"context"
	"errors"

	"understudy/steps/desktop"
)

// Watch is a desktop on which everything that acts is done by act, which keeps
// account of it: so that what an outcome says of acting is what happened. Kinds
// only ever see a watched desktop.
func Watch(d *desktop.Desktop, act func(do func() error) error) *desktop.Desktop {
	w := watched{act, d}
	c := *d
	c.Pointer, c.Keyboard, c.Windows, c.Clipboard, c.Controls, c.Apps = w, w, w, w, w, w
	return &c
}

type watched struct {
	act func(do func() error) error
	d   *desktop.Desktop
}

// PointerPosition only looks.
func (w watched) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return w.d.Pointer.PointerPosition(ctx)
}

// MovePointer acts.
func (w watched) MovePointer(ctx context.Context, to desktop.Point) error {
	return w.act(func() error { return w.d.Pointer.MovePointer(ctx, to) })
}

// ButtonDown acts.
func (w watched) ButtonDown(ctx context.Context, b desktop.Button) error {
	return w.act(func() error { return w.d.Pointer.ButtonDown(ctx, b) })
}

// ButtonUp acts.
func (w watched) ButtonUp(ctx context.Context, b desktop.Button) error {
	return w.act(func() error { return w.d.Pointer.ButtonUp(ctx, b) })
}

// RestBeforeClick only waits.
func (w watched) RestBeforeClick(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return w.d.Pointer.RestBeforeClick(ctx, at, b, count)
}

// Click acts.
func (w watched) Click(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return w.act(func() error { return w.d.Pointer.Click(ctx, at, b, count) })
}

// ClickIn acts.
func (w watched) ClickIn(ctx context.Context, in desktop.Window, at desktop.Point, b desktop.Button, count int) error {
	return w.act(func() error { return w.d.Pointer.ClickIn(ctx, in, at, b, count) })
}

// Scroll acts.
func (w watched) Scroll(ctx context.Context, dx, dy int) error {
	return w.act(func() error { return w.d.Pointer.Scroll(ctx, dx, dy) })
}

// KeyDown acts.
func (w watched) KeyDown(ctx context.Context, k desktop.Key) error {
	return w.act(func() error { return w.d.Keyboard.KeyDown(ctx, k) })
}

// KeyUp acts.
func (w watched) KeyUp(ctx context.Context, k desktop.Key) error {
	return w.act(func() error { return w.d.Keyboard.KeyUp(ctx, k) })
}

// Press acts.
func (w watched) Press(ctx context.Context, c desktop.Chord) error {
	return w.act(func() error { return w.d.Keyboard.Press(ctx, c) })
}

// Type acts.
func (w watched) Type(ctx context.Context, text string) error {
	return w.act(func() error { return w.d.Keyboard.Type(ctx, text) })
}

// Windows only looks.
func (w watched) Windows(ctx context.Context) ([]desktop.Window, error) {
	return w.d.Windows.Windows(ctx)
}

// Manage acts. A window that refuses to close may have put a question first,
// so something happened all the same.
func (w watched) Manage(ctx context.Context, id desktop.WindowID, c desktop.WindowChange) error {
	var refused error
	err := w.act(func() error {
		err := w.d.Windows.Manage(ctx, id, c)
		if c.Do == desktop.Close && errors.Is(err, desktop.ErrRefused) {
			refused, err = err, nil
		}
		return err
	})
	if refused != nil {
		return refused
	}
	return err
}

// ReadClipboard only looks.
func (w watched) ReadClipboard(ctx context.Context) (string, error) {
	return w.d.Clipboard.ReadClipboard(ctx)
}

// WriteClipboard acts.
func (w watched) WriteClipboard(ctx context.Context, text string) error {
	return w.act(func() error { return w.d.Clipboard.WriteClipboard(ctx, text) })
}

// Invoke acts.
func (w watched) Invoke(ctx context.Context, h desktop.Handle, action string) error {
	return w.act(func() error { return w.d.Controls.Invoke(ctx, h, action) })
}

// SetText acts.
func (w watched) SetText(ctx context.Context, h desktop.Handle, text string) error {
	return w.act(func() error { return w.d.Controls.SetText(ctx, h, text) })
}

// SetNumber acts.
func (w watched) SetNumber(ctx context.Context, h desktop.Handle, value float64) error {
	return w.act(func() error { return w.d.Controls.SetNumber(ctx, h, value) })
}

// Select acts.
func (w watched) Select(ctx context.Context, h desktop.Handle, child int, on bool) error {
	return w.act(func() error { return w.d.Controls.Select(ctx, h, child, on) })
}

// GrabFocus acts.
func (w watched) GrabFocus(ctx context.Context, h desktop.Handle) error {
	return w.act(func() error { return w.d.Controls.GrabFocus(ctx, h) })
}

// Reveal acts.
func (w watched) Reveal(ctx context.Context, h desktop.Handle) error {
	return w.act(func() error { return w.d.Controls.Reveal(ctx, h) })
}

// Launch acts.
func (w watched) Launch(ctx context.Context, app string) (a desktop.App, err error) {
	err = w.act(func() error { a, err = w.d.Apps.Launch(ctx, app); return err })
	return a, err
}

// OpenURL acts.
func (w watched) OpenURL(ctx context.Context, url string, seen <-chan struct{}) error {
	return w.act(func() error { return w.d.Apps.OpenURL(ctx, url, seen) })
}
