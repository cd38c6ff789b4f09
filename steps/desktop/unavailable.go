package desktop

import (
	"context"
	"image"
	"time"
)

// Unavailable stands in for the parts of a desktop that this machine lacks.
// Every method fails with Err, which should be a MissingError.
type Unavailable struct{ Err error }

// Missing is a Desktop of which every part answers err. Drivers replace the
// parts that they have.
func Missing(err error) *Desktop {
	u := Unavailable{err}
	return &Desktop{u, u, u, u, u, u, u, u, u, u}
}

func (u Unavailable) Do(context.Context, Action) error               { return u.Err }
func (u Unavailable) PointerPosition(context.Context) (Point, error) { return Point{}, u.Err }
func (u Unavailable) RestBeforeClick(context.Context, Click) error   { return u.Err }
func (u Unavailable) Monitors(context.Context) ([]Monitor, error)    { return nil, u.Err }

func (u Unavailable) Capture(context.Context, Rect) (*image.RGBA, error) { return nil, u.Err }

func (u Unavailable) Snap(context.Context) (func() *image.RGBA, error) { return nil, u.Err }

func (u Unavailable) LastDrawn(context.Context, WindowID, Rect) (time.Time, error) {
	return time.Time{}, u.Err
}

func (u Unavailable) Windows(context.Context) ([]Window, error)          { return nil, u.Err }
func (u Unavailable) ReadClipboard(context.Context) (string, error)      { return "", u.Err }
func (u Unavailable) Tree(context.Context, Scope) (*Tree, error)         { return nil, u.Err }
func (u Unavailable) ElementAt(context.Context, Point) (*Element, error) { return nil, u.Err }
func (u Unavailable) Hit(context.Context, Point) (*Element, error)       { return nil, u.Err }
func (u Unavailable) Refresh(context.Context, Handle) (*Element, error)  { return nil, u.Err }
func (u Unavailable) SaveFocus(context.Context) (FocusState, error)      { return FocusState{}, u.Err }
func (u Unavailable) WatchFocus(context.Context, func()) error           { return u.Err }
func (u Unavailable) WatchElement(context.Context, Handle, func()) error { return u.Err }
func (u Unavailable) Watch(context.Context, func(InputEvent)) error      { return u.Err }
func (u Unavailable) Info(context.Context) (Info, error)                 { return Info{}, u.Err }
func (u Unavailable) Ping(context.Context) error                         { return u.Err }
func (u Unavailable) ReleaseAll(context.Context) error                   { return nil }
func (u Unavailable) Close() error                                       { return nil }
