package steps

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"understudy/steps/desktop"
)

// Acted says whether the world outside was changed.
type Acted string

// No: nothing was done. Yes: it was done. Maybe: it was begun, and no one
// knows whether it came about.
const (
	ActedNo    Acted = "no"
	ActedMaybe Acted = "maybe"
	ActedYes   Acted = "yes"
)

const (
	actedNo int32 = iota
	actedYes
	actedMaybe // the largest: doubt about one act is doubt about the attempt
)

// Act does something that changes the world, and keeps account of it: from
// before the call until it returns well, the attempt may have acted. An error
// of a call leaves that doubt, unless it says that nothing was begun.
func (e *Env) Act(do func() error) error {
	before := e.acted.Swap(actedMaybe)
	err := e.LastAct.Do(do)
	switch {
	case err == nil && before != actedMaybe:
		e.acted.Store(actedYes)
	case err != nil && notBegun(err):
		e.acted.Store(before)
	}
	return err
}

// Acted says whether this attempt has changed the world so far.
func (e *Env) Acted() Acted {
	switch e.acted.Load() {
	case actedYes:
		return ActedYes
	case actedMaybe:
		return ActedMaybe
	}
	return ActedNo
}

// notBegun says that an error came before anything could be done.
func notBegun(err error) bool {
	if _, missing := errors.AsType[*desktop.MissingError](err); missing {
		return true
	}
	switch CodeOf(err) {
	case Invalid, NotFound, Denied:
		return true
	}
	return errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrMoved)
}

// LastAct is when something was last done on a desktop. Where there is none,
// that is always just now.
type LastAct struct {
	last atomic.Pointer[time.Time]
}

// Do does something that may make what is on the screen move.
func (s *LastAct) Do(do func() error) error {
	defer s.Mark()
	return do()
}

// Mark says that something was done just now.
func (s *LastAct) Mark() {
	if s != nil {
		now := time.Now()
		s.last.Store(&now)
	}
}

// At is when it was: a long time ago, if nothing was done yet.
func (s *LastAct) At() time.Time {
	if s == nil {
		return time.Now()
	}
	if last := s.last.Load(); last != nil {
		return *last
	}
	return time.Time{}
}

// Account is a desktop on which everything that acts is done by act, which keeps
// account of it: so that what an outcome says of acting is what happened. Kinds
// only ever see a watched desktop.
func Account(d *desktop.Desktop, act func(do func() error) error) *desktop.Desktop {
	w := accounted{act, d}
	c := *d
	c.Pointer, c.Keyboard, c.Windows, c.Clipboard, c.Controls, c.Apps = w, w, w, w, w, w
	return &c
}

type accounted struct {
	act func(do func() error) error
	d   *desktop.Desktop
}

// PointerPosition only looks.
func (w accounted) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return w.d.Pointer.PointerPosition(ctx)
}

// MovePointer acts.
func (w accounted) MovePointer(ctx context.Context, to desktop.Point) error {
	return w.act(func() error { return w.d.Pointer.MovePointer(ctx, to) })
}

// ButtonDown acts.
func (w accounted) ButtonDown(ctx context.Context, b desktop.Button) error {
	return w.act(func() error { return w.d.Pointer.ButtonDown(ctx, b) })
}

// ButtonUp acts.
func (w accounted) ButtonUp(ctx context.Context, b desktop.Button) error {
	return w.act(func() error { return w.d.Pointer.ButtonUp(ctx, b) })
}

// RestBeforeClick only waits.
func (w accounted) RestBeforeClick(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return w.d.Pointer.RestBeforeClick(ctx, at, b, count)
}

// Click acts.
func (w accounted) Click(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return w.act(func() error { return w.d.Pointer.Click(ctx, at, b, count) })
}

// ClickIn acts.
func (w accounted) ClickIn(ctx context.Context, in desktop.Window, at desktop.Point, b desktop.Button, count int) error {
	return w.act(func() error { return w.d.Pointer.ClickIn(ctx, in, at, b, count) })
}

// Scroll acts.
func (w accounted) Scroll(ctx context.Context, dx, dy int) error {
	return w.act(func() error { return w.d.Pointer.Scroll(ctx, dx, dy) })
}

// KeyDown acts.
func (w accounted) KeyDown(ctx context.Context, k desktop.Key) error {
	return w.act(func() error { return w.d.Keyboard.KeyDown(ctx, k) })
}

// KeyUp acts.
func (w accounted) KeyUp(ctx context.Context, k desktop.Key) error {
	return w.act(func() error { return w.d.Keyboard.KeyUp(ctx, k) })
}

// Press acts.
func (w accounted) Press(ctx context.Context, c desktop.Chord) error {
	return w.act(func() error { return w.d.Keyboard.Press(ctx, c) })
}

// Type acts.
func (w accounted) Type(ctx context.Context, text string) error {
	return w.act(func() error { return w.d.Keyboard.Type(ctx, text) })
}

// Windows only looks.
func (w accounted) Windows(ctx context.Context) ([]desktop.Window, error) {
	return w.d.Windows.Windows(ctx)
}

// Manage acts. A window that refuses to close may have put a question first,
// so something happened all the same.
func (w accounted) Manage(ctx context.Context, id desktop.WindowID, c desktop.WindowChange) error {
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
func (w accounted) ReadClipboard(ctx context.Context) (string, error) {
	return w.d.Clipboard.ReadClipboard(ctx)
}

// WriteClipboard acts.
func (w accounted) WriteClipboard(ctx context.Context, text string) error {
	return w.act(func() error { return w.d.Clipboard.WriteClipboard(ctx, text) })
}

// Invoke acts.
func (w accounted) Invoke(ctx context.Context, h desktop.Handle, action string) error {
	return w.act(func() error { return w.d.Controls.Invoke(ctx, h, action) })
}

// SetText acts.
func (w accounted) SetText(ctx context.Context, h desktop.Handle, text string) error {
	return w.act(func() error { return w.d.Controls.SetText(ctx, h, text) })
}

// SetNumber acts.
func (w accounted) SetNumber(ctx context.Context, h desktop.Handle, value float64) error {
	return w.act(func() error { return w.d.Controls.SetNumber(ctx, h, value) })
}

// Select acts.
func (w accounted) Select(ctx context.Context, h desktop.Handle, child int, on bool) error {
	return w.act(func() error { return w.d.Controls.Select(ctx, h, child, on) })
}

// GrabFocus acts.
func (w accounted) GrabFocus(ctx context.Context, h desktop.Handle) error {
	return w.act(func() error { return w.d.Controls.GrabFocus(ctx, h) })
}

// Reveal acts.
func (w accounted) Reveal(ctx context.Context, h desktop.Handle) error {
	return w.act(func() error { return w.d.Controls.Reveal(ctx, h) })
}

// Launch acts.
func (w accounted) Launch(ctx context.Context, app string) (a desktop.App, err error) {
	err = w.act(func() error { a, err = w.d.Apps.Launch(ctx, app); return err })
	return a, err
}

// OpenURL acts.
func (w accounted) OpenURL(ctx context.Context, url string, seen <-chan struct{}) error {
	return w.act(func() error { return w.d.Apps.OpenURL(ctx, url, seen) })
}

// account puts a desktop that keeps account of acts into the place of the plain
// one.
func (e *Env) account() {
	if e.Desktop != nil && e.unaccounted == nil {
		plain := e.Desktop
		e.unaccounted, e.Desktop = Account(plain, e.LastAct.Do), Account(plain, e.Act)
	}
}

// Unaccounted is the desktop for what only prepares an act, such as raising a
// window: it counts as stirring the screen, and not as an act of the step.
func (e *Env) Unaccounted() *desktop.Desktop {
	if e.unaccounted == nil {
		return e.Desktop
	}
	return e.unaccounted
}
