package kinds

import (
	"context"
	"errors"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// MouseDrag drags from one point to another.
var MouseDrag = steps.Define(steps.Kind{
	Name:    "mouse_drag",
	Summary: "Press a mouse button at one place, move to another and let go.",
	Details: "Both places are points of the screen or of a window, or lie in elements: from one to another, inside one, or some way from one.",
	Toolset: steps.Desktop,
	Focus:   steps.Take,
}, MouseDragArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, Button: desktop.Left}, aim.With(mouseDrag))

// MouseDragArgs says from where to where. An element that is named must be
// there first, and its window comes to the front.
type MouseDragArgs struct {
	aim.Target    `in:"target"`
	StartX        *int                `json:"start_x,omitzero" jsonschema:"where to press: the distance from the left edge of the screen; without it in the element"`
	StartY        *int                `json:"start_y,omitzero" jsonschema:"where to press: the distance from the top edge of the screen"`
	StartPosition *aim.PlaceInElement `json:"start_position,omitzero" jsonschema:"where inside the element to press; without it the middle"`
	InWindow      bool                `json:"in_window,omitzero" use:"rare" jsonschema:"start_x, start_y, end_x and end_y count from the corner of the window of process, or of the active window"`
	Drawn         *aim.Drawn          `json:"drawn,omitzero" use:"rare" jsonschema:"of an element or a window that draws itself: what it drew when start_position, or start_x and start_y in_window, were known"`
	EndX          *int                `json:"end_x,omitzero" jsonschema:"where to let go: the distance from the left edge of the screen"`
	EndY          *int                `json:"end_y,omitzero" jsonschema:"where to let go: the distance from the top edge of the screen"`
	ToSelector    steps.Selector      `json:"to_selector,omitzero" jsonschema:"the element of the same application to let go on"`
	EndPosition   *aim.PlaceInElement `json:"end_position,omitzero" jsonschema:"where to let go inside the element of to_selector, else inside the one that is dragged in"`
	ByX           *int                `json:"by_x,omitzero" jsonschema:"how far to the right of the start to let go, in pixels"`
	ByY           *int                `json:"by_y,omitzero" jsonschema:"how far below the start to let go, in pixels"`
	Button        desktop.Button      `json:"button,omitzero" jsonschema:"the mouse button"`
	observe.ActionOptions
}

// Validate requires one start and one end; no element need be named.
func (a *MouseDragArgs) Validate() error {
	if err := a.oneStart(); err != nil {
		return err
	}
	if err := a.oneEnd(); err != nil {
		return err
	}
	if err := errors.Join(a.StartPosition.Check("start_position"), a.EndPosition.Check("end_position"), a.checkDrawn()); err != nil {
		return err
	}
	if !a.Named() {
		return nil
	}
	return a.Target.Validate()
}

func (a *MouseDragArgs) oneStart() error {
	switch {
	case (a.StartX == nil) != (a.StartY == nil):
		return errors.New("wanted both start_x and start_y, found one of them")
	case a.StartX == nil && !a.Named():
		return errors.New("wanted start_x and start_y, or a selector of the element to press in")
	case a.StartX != nil && a.StartPosition != nil:
		return errors.New("wanted start_x and start_y, or start_position, found both")
	}
	return nil
}

func (a *MouseDragArgs) oneEnd() error {
	switch {
	case countTrue(a.EndX != nil || a.EndY != nil, a.ToSelector != "" || a.EndPosition != nil, a.ByX != nil || a.ByY != nil) != 1:
		return errors.New("wanted one end: end_x and end_y, to_selector, end_position, or by_x and by_y")
	case (a.EndX == nil) != (a.EndY == nil):
		return errors.New("wanted both end_x and end_y, found one of them")
	case a.EndPosition != nil && a.ToSelector == "" && !a.Named():
		return errors.New("end_position: wanted a selector or to_selector, which it lies in")
	case a.EndX != nil && a.StartX != nil && *a.StartX == *a.EndX && *a.StartY == *a.EndY:
		return errors.New("the start and the end are the same point; use click_element")
	}
	return nil
}

func (a *MouseDragArgs) checkDrawn() error {
	if !a.InWindow {
		return a.Drawn.Check(a.StartPosition != nil)
	}
	if a.StartX == nil || a.EndPosition != nil && a.ToSelector == "" {
		return errors.New("in_window: wanted start_x and start_y, which count from the window's corner, and an end that lies in no element, or in that of to_selector")
	}
	if a.EndX != nil {
		return errors.Join(a.offset().Check(), (&aim.Offset{X: *a.EndX, Y: *a.EndY, Drawn: a.Drawn}).Check())
	}
	return a.offset().Check()
}

// offset returns the place in the window to press at.
func (a *MouseDragArgs) offset() *aim.Offset {
	return &aim.Offset{X: *a.StartX, Y: *a.StartY, Drawn: a.Drawn}
}

// MouseDragResult says what was dragged.
type MouseDragResult struct {
	From desktop.Point `json:"from" jsonschema:"where the button was pressed"`
	To   desktop.Point `json:"to" jsonschema:"where it was let go"`
	observe.ActionResult
}

func mouseDrag(ctx context.Context, hand *aim.Hand, a MouseDragArgs) (MouseDragResult, error) {
	var r MouseDragResult
	el, err := a.aim(ctx, hand, &r)
	if err != nil {
		return r, err
	}
	again := func() (err error) {
		el, err = a.aim(ctx, hand, &r)
		return err
	}
	after, err := observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		return observe.Unchecked, aim.Follow(func() error {
			if el != nil { // it may have moved while the end was waited for, or scrolled into view
				if err := aim.CheckUnmoved(ctx, hand, el); err != nil {
					return err
				}
			}
			if a.InWindow {
				if err := aim.CheckWindowUnmoved(ctx, hand); err != nil {
					return err
				}
			}
			return drag(ctx, hand, r.From, r.To, a.Button)
		}, again)
	})
	r.ActionResult = after
	return r, err
}

// aim finds the points from which and to which to drag. It returns the named element, if
// any.
func (a *MouseDragArgs) aim(ctx context.Context, hand *aim.Hand, r *MouseDragResult) (el *desktop.Element, err error) {
	el, box, err := a.start(ctx, hand, r)
	if err != nil {
		return nil, err
	}
	if r.To, err = a.end(ctx, hand, box, r.From); err != nil {
		return nil, err
	}
	if r.From == r.To { // it would be a click
		return nil, steps.Errorf(steps.Invalid, "the start and the end are the same point, %s", r.From).WithNext("use click_element")
	}
	for _, p := range []desktop.Point{r.From, r.To} {
		if err := aim.OnScreen(ctx, hand.Desktop, p); err != nil {
			return nil, err
		}
	}
	return el, nil
}

// start sets the point to press at. It returns the named element, if any, and the area in
// which the point lies.
func (a *MouseDragArgs) start(ctx context.Context, hand *aim.Hand, r *MouseDragResult) (el *desktop.Element, box desktop.Rect, err error) {
	if a.NamedInside() || a.Named() && !a.InWindow {
		n := aim.Requirement{Windows: a.WindowOptions}
		if a.StartX == nil {
			n.Enabled, n.Point, n.Drawn = true, a.StartPosition.In, a.Drawn
		}
		if el, r.From, err = aim.At(ctx, hand, a.Target, n); err != nil {
			return nil, box, err
		}
		box = el.Bounds
	}
	switch {
	case a.InWindow:
		r.From, box, err = aim.PointInWindow(ctx, hand, a.Target, *a.offset(), a.WindowOptions)
	case a.StartX != nil:
		r.From = desktop.Point{X: *a.StartX, Y: *a.StartY}
	}
	return el, box, err
}

// end returns the point to let go at, given where the drag starts and in which area.
func (a *MouseDragArgs) end(ctx context.Context, hand *aim.Hand, box desktop.Rect, from desktop.Point) (desktop.Point, error) {
	switch {
	case a.ToSelector != "":
		to := aim.Target{Within: a.Within, Selector: steps.SelectorList{a.ToSelector}, TimeoutMS: a.TimeoutMS, Retries: a.Retries}
		_, at, err := aim.At(ctx, hand, to, aim.Requirement{Point: a.EndPosition.In, Windows: a.WindowOptions})
		return at, err
	case a.EndPosition != nil:
		return a.Drawn.Second(a.StartPosition, a.EndPosition, box, from), nil
	case a.EndX != nil && a.InWindow:
		return a.offset().Second(*a.EndX, *a.EndY, box, from), nil
	case a.EndX != nil:
		return desktop.Point{X: *a.EndX, Y: *a.EndY}, nil
	}
	return desktop.Point{X: from.X + orZero(a.ByX), Y: from.Y + orZero(a.ByY)}, nil
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

const (
	// dragSteps is the number of moves of a drag: applications take one jump for a click
	// that slipped.
	dragSteps = 12
	dragEvery = 10 * time.Millisecond
)

// drag holds a button from one point to another, and always lets go of it.
func drag(ctx context.Context, hand *aim.Hand, from, to desktop.Point, b desktop.Button) (err error) {
	if err := hand.Desktop.Do(ctx, desktop.MovePointer{To: from}); err != nil {
		return err
	}
	if err := aim.DismissTooltipAt(ctx, hand, from); err != nil {
		return err
	}
	defer func() {
		free, cancel := aim.ReleaseContext(ctx)
		defer cancel()
		err = errors.Join(err, hand.Desktop.Do(free, desktop.ButtonUp{Button: b}))
	}()
	if err := hand.Desktop.Do(ctx, desktop.ButtonDown{Button: b}); err != nil {
		return err
	}
	for i := 1; i <= dragSteps; i++ {
		at := desktop.Point{X: from.X + (to.X-from.X)*i/dragSteps, Y: from.Y + (to.Y-from.Y)*i/dragSteps}
		if err := hand.Desktop.Do(ctx, desktop.MovePointer{To: at}); err != nil {
			return err
		}
		if err := steps.Sleep(ctx, dragEvery); err != nil {
			return err
		}
	}
	return nil
}
