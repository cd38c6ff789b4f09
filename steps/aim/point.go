package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// PlaceInElement is a point inside an element, in percent of its box.
type PlaceInElement struct {
	X float64 `json:"x_percentage" jsonschema:"from 0 at the left edge to 100 at the right"`
	Y float64 `json:"y_percentage" jsonschema:"from 0 at the top edge to 100 at the bottom"`
}

// Check validates the argument with the given name.
func (s *PlaceInElement) Check(name string) error {
	if s != nil && (s.X < 0 || s.X > 100 || s.Y < 0 || s.Y > 100) {
		return fmt.Errorf("%s: percentages lie between 0 and 100", name)
	}
	return nil
}

// In returns the point in a box; nil is the centre.
func (s *PlaceInElement) In(box desktop.Rect) desktop.Point {
	if s == nil {
		return box.Center()
	}
	part := func(size int, percent float64) int { return min(int(float64(size)*percent/100), size-1) }
	return desktop.Point{X: box.X + part(box.W, s.X), Y: box.Y + part(box.H, s.Y)}
}

// Offset is a point in a window, in pixels from its corner.
type Offset struct {
	X     int    `json:"x" jsonschema:"the distance from the window's left edge, in pixels"`
	Y     int    `json:"y" jsonschema:"the distance from the window's top edge, in pixels"`
	Drawn *Drawn `json:"drawn,omitzero" jsonschema:"what the window drew when the place was known"`
}

// Check validates the argument.
func (o *Offset) Check() error {
	if o == nil {
		return nil
	}
	return o.Drawn.Check(o.Drawn != nil && desktop.Rect{W: o.Drawn.Width, H: o.Drawn.Height}.Contains(desktop.Point{X: o.X, Y: o.Y}))
}

// in returns the point in a window, whose size may be another than what is known of it.
func (o *Offset) in(box desktop.Rect) desktop.Point {
	if o.Drawn == nil {
		return desktop.Point{X: box.X + o.X, Y: box.Y + o.Y}
	}
	return o.place().In(box)
}

// window returns the window of an application in which the place is: its topmost or, if the
// place is in a popup, the one that is open.
func (o *Offset) window(ctx context.Context, d *desktop.Desktop, process string) (desktop.Window, error) {
	if o.Drawn == nil || !o.Drawn.Popup {
		return topmostWindow(ctx, d, process)
	}
	windows, err := d.Windows(ctx)
	if err != nil {
		return desktop.Window{}, err
	}
	top := windows.Of(desktop.Scope{Process: process}).TopPopup()
	if top == nil {
		return desktop.Window{}, steps.Errorf(steps.NotFound, "wanted an open menu or another popup of %q, found none", process).
			WithNext("open it first, as by a click on what it belongs to")
	}
	return *top, nil
}

// place returns the point in percent of the window that is known.
func (o *Offset) place() *PlaceInElement {
	percent := func(at, size int) float64 { return (float64(at) + 0.5) * 100 / float64(size) }
	return &PlaceInElement{X: percent(o.X, o.Drawn.Width), Y: percent(o.Y, o.Drawn.Height)}
}

// Second returns where another point of the same window is, given where this one was found.
func (o *Offset) Second(x, y int, box desktop.Rect, found desktop.Point) desktop.Point {
	if o.Drawn == nil {
		return desktop.Point{X: box.X + x, Y: box.Y + y}
	}
	second := Offset{X: x, Y: y, Drawn: o.Drawn}
	return o.Drawn.Second(o.place(), second.place(), box, found)
}

// Position is a point of the screen in arguments; it may be absent.
type Position struct {
	X *int `json:"x,omitzero" jsonschema:"pixels from the left edge of the screen"`
	Y *int `json:"y,omitzero" jsonschema:"pixels from its top edge"`
}

// Given reports whether there is a point; half of one is an error.
func (p Position) Given() (bool, error) {
	if (p.X == nil) != (p.Y == nil) {
		return false, errors.New("wanted both x and y, found one of them")
	}
	return p.X != nil, nil
}

func (p Position) Validate() error {
	_, err := p.Given()
	return err
}

// monitors returns the monitors of a desktop.
func monitors(ctx context.Context, d *desktop.Desktop) ([]desktop.Monitor, error) {
	all, err := d.Monitors(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for the size of the screen: %w", err)
	}
	return all, nil
}

// MonitorOf returns the monitor that shows the centre of an area, or the primary one
// for an empty area.
func MonitorOf(ctx context.Context, d *desktop.Desktop, area desktop.Rect) (desktop.Rect, error) {
	all, err := monitors(ctx, d)
	for _, m := range all {
		if m.Bounds.Contains(area.Center()) || area.Empty() && m.Primary {
			return m.Bounds, nil
		}
	}
	return desktop.Rect{}, err
}

// OnScreen returns an error for a point that no monitor shows.
func OnScreen(ctx context.Context, d *desktop.Desktop, at desktop.Point) error {
	all, failed := monitors(ctx, d)
	if failed != nil {
		return failed
	}
	for _, m := range all {
		if m.Bounds.Contains(at) {
			return nil
		}
	}
	if len(all) == 0 {
		return steps.Errorf(steps.NotActionable, "the point %s is on no monitor: there is none", at)
	}
	return steps.Errorf(steps.NotActionable, "%w", desktop.ErrOffScreen(at, all[0].Bounds)).
		WithNext("take a point of a picture by capture_screenshot, or name the element")
}

// Screen returns the area of all monitors together.
func Screen(ctx context.Context, d *desktop.Desktop) (desktop.Rect, error) {
	all, err := monitors(ctx, d)
	return desktop.ScreenOf(all), err
}

// PointInWindow returns the point at an offset from the corner of the topmost window of
// an application, of its open popup, or of the active window, in which Press then clicks, and the area of the
// window. It is for applications without elements.
func PointInWindow(ctx context.Context, hand *Hand, t Target, off Offset, o WindowOptions) (at desktop.Point, box desktop.Rect, err error) {
	err = WaitUntil(ctx, t.TimeoutMS.Std(), func(ctx context.Context) error {
		meant, err := off.window(ctx, hand.Desktop, t.Process)
		if err != nil {
			return err
		}
		if !meant.Popup {
			if err := BringToFront(ctx, hand, o, meant.ID); err != nil {
				return err
			}
		}
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		w := windows.ByID(meant.ID) // its place may be another now
		if w == nil {
			return NoWindow(meant.Process, meant.Title)
		}
		if err := Placed(*w); err != nil {
			return err
		}
		at, box = off.in(w.Bounds), w.Bounds
		if !box.Contains(at) {
			return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("the point %d,%d lies outside of the window %q, which is %d by %d", off.X, off.Y, w.Title, box.W, box.H), Next: "give the window the size it had with move_window, or take another point"}
		}
		if off.Drawn != nil {
			if at, err = off.Drawn.find(ctx, hand, windowElement(*w), at); err != nil {
				return err
			}
		}
		if top := windows.At(at); top == nil || top.ID != w.ID {
			return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("the point %d,%d of the window %q is covered%s", at.X-box.X, at.Y-box.Y, w.Title, coveredBy(top)), Next: "close what covers it, or move the window"}
		}
		noteReachable(hand, nil, nil, w, time.Now())
		return OnScreen(ctx, hand.Desktop, at)
	})
	return at, box, err
}

// CheckWindowUnmoved returns ErrMoved if the window in which PointInWindow found its point
// is elsewhere now.
func CheckWindowUnmoved(ctx context.Context, hand *Hand) error {
	met, known := hand.reachable[nil]
	if !known {
		return nil
	}
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return err
	}
	if w := windows.ByID(met.window.ID); w == nil || w.Bounds != met.window.Bounds {
		return fmt.Errorf("the window %q moved: %w", met.window.Title, desktop.ErrMoved)
	}
	return nil
}

// coveredBy names the covering window, as the end of a message.
func coveredBy(w *desktop.Window) string {
	if w == nil || w.Title == "" {
		return ""
	}
	return fmt.Sprintf(" by the window %q", w.Title)
}

// onDesktop describes a point without a window.
const onDesktop = "desktop"

// unknownPlace describes a point without a known window while the place of another
// window is unknown.
const unknownPlace = "window of unknown place, or the desktop"

// WindowAt describes the window at a point of the screen, or returns onDesktop. The
// element stands for the window, if there is one; it has no box, because it is not what
// is acted on. It is an error if a window is expected, by a part of its title, and is not
// there; then Press clicks only in that window.
func WindowAt(ctx context.Context, hand *Hand, at desktop.Point, expected string) (on string, el *desktop.Element, err error) {
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return "", nil, err
	}
	on, top := onDesktop, windows.At(at)
	if slices.ContainsFunc(windows, func(w desktop.Window) bool { return !w.Unplaced.Empty() }) {
		on = unknownPlace
	}
	if top != nil {
		on = fmt.Sprintf("window %q of %s", top.Title, top.Process)
		el = &desktop.Element{Role: "frame", Window: top.ID, Process: top.Process, WindowTitle: top.Title}
	}
	if expected == "" {
		return on, el, nil
	}
	if top == nil || !(desktop.Scope{Title: expected}).Admits(top) {
		return on, el, steps.Errorf(steps.NotActionable, "expect_window: wanted a window with %q in its title at %s, found the %s", expected, at, on).
			WithNext("bring that window to the front with change_window, or look where it is")
	}
	noteReachable(hand, nil, nil, top, time.Now())
	return on, el, nil
}

// PointOf returns the point that arguments give, or the position of the pointer.
func PointOf(ctx context.Context, d *desktop.Desktop, p Position) (desktop.Point, error) {
	if p.X == nil {
		return d.PointerPosition(ctx)
	}
	at := desktop.Point{X: *p.X, Y: *p.Y}
	return at, OnScreen(ctx, d, at)
}
