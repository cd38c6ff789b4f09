package kinds

import (
	"context"
	"errors"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ClickElement presses a mouse button on an element, a picture or a point.
var ClickElement = steps.Define(steps.Kind{
	Name:    "click_element",
	Summary: "Click an element or a point of the screen.",
	Details: "Waits until it is there, unique, still, enabled and not covered.",
	Toolset: steps.Core,
	Focus:   steps.Take,
	ByHand:  true,
}, ClickArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, Button: desktop.Left, Count: 1, Threshold: aim.Likeness, RestoreCursor: true}, aim.With(clickElement))

// ClickArgs says what to click and how.
type ClickArgs struct {
	aim.Target    `in:"target"`
	aim.Position  `in:"target"`
	InWindow      bool                `json:"in_window,omitzero" in:"target" use:"rare" jsonschema:"x and y count from the corner of the window of process, or of the active window"`
	ExpectWindow  string              `json:"expect_window,omitzero" use:"rare" jsonschema:"at a point: press nothing unless a window with this in its title lies there"`
	FallbackPoint *aim.Offset         `json:"fallback_point,omitzero" in:"target" use:"rare" jsonschema:"where to click when no selector finds the element: a place in the window of process, from its corner"`
	Image         steps.Path          `json:"image,omitzero" in:"target" use:"rare" jsonschema:"a picture (PNG file) of what to click"`
	Threshold     float64             `json:"threshold,omitzero" in:"target" use:"rare" jsonschema:"how similar to the picture it must be, from 0 to 1"`
	Button        desktop.Button      `json:"button,omitzero" jsonschema:"the mouse button"`
	Count         steps.Count         `json:"count,omitzero" jsonschema:"2 for a double click"`
	ClickType     ClickType           `json:"click_type,omitzero" use:"old" jsonschema:"button and count in one word"`
	ClickPosition *aim.PlaceInElement `json:"click_position,omitzero" in:"target" as:"place" use:"rare" jsonschema:"where inside the element; without it the middle"`
	Drawn         *aim.Drawn          `json:"drawn,omitzero" in:"target" use:"rare" jsonschema:"of an element or a window that draws itself: what it drew when click_position, or x and y in_window, were known"`
	Modifiers     []desktop.Key       `json:"modifiers,omitzero" jsonschema:"keys to hold meanwhile: ctrl, shift, alt, super"`
	RestoreCursor bool                `json:"restore_cursor,omitzero" use:"rare" jsonschema:"put the pointer back afterwards"`
	observe.ActionOptions
}

// ClickType is a button and a count in one word.
type ClickType string

func (ClickType) Words() []string {
	return []string{"left", "double", "right"}
}

// The words for clicks.
const (
	LeftClick   ClickType = "left"
	DoubleClick ClickType = "double"
	RightClick  ClickType = "right"
)

// Validate requires exactly one of an element, a picture and a point.
func (a *ClickArgs) Validate() error {
	point, err := a.Given()
	if err != nil {
		return err
	}
	element := len(a.Selector) > 0 || a.Ref != "" || len(a.Targets) > 0
	if a.FallbackPoint != nil && (point || a.Image != "" || !element && len(a.FallbackSelectors) == 0) {
		return errors.New("fallback_point: wanted a selector too, which is tried before it")
	}
	switch ways := countTrue(point, a.Image != "", element); {
	case ways > 1:
		return errors.New("wanted one of a selector, a ref, an image, or x and y; found several")
	case ways == 0 && !a.Named():
		return errors.New("wanted a selector, targets, a ref, an image, or x and y: nothing names what to click")
	case !point && a.Image == "":
		if err := a.Target.Validate(); err != nil {
			return err
		}
	}
	if err := onlyModifiers(a.Modifiers); err != nil {
		return err
	}
	if a.ExpectWindow != "" && !point {
		return errors.New("expect_window: wanted x and y too; an element is looked for in its own window")
	}
	if a.InWindow && !point {
		return errors.New("in_window: wanted x and y, which count from the window's corner")
	}
	if err := aim.CheckThreshold(a.Threshold); err != nil {
		return err
	}
	if err := a.ClickPosition.Check("click_position"); err != nil {
		return err
	}
	if err := errors.Join(a.FallbackPoint.Check(), a.checkDrawn()); err != nil {
		return err
	}
	if a.Count < 1 || a.Count > 3 {
		return errors.New("count: wanted 1, 2 or 3")
	}
	return nil
}

func (a *ClickArgs) checkDrawn() error {
	if a.InWindow {
		return a.offset().Check()
	}
	return a.Drawn.Check(a.ClickPosition != nil)
}

// offset returns the place in the window to click.
func (a *ClickArgs) offset() *aim.Offset { return &aim.Offset{X: *a.X, Y: *a.Y, Drawn: a.Drawn} }

// onlyModifiers returns an error for keys other than modifiers: held during a click,
// they would be typed.
func onlyModifiers(keys []desktop.Key) error {
	for _, name := range keys {
		if k, err := desktop.ParseKey(string(name)); err != nil || !k.IsModifier() {
			return fmt.Errorf("modifiers: wanted ctrl, shift, alt, altgr or super, found %q", name)
		}
	}
	return nil
}

// ClickResult is where the click landed.
type ClickResult struct {
	At      desktop.Point    `json:"at" jsonschema:"the point that was clicked"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element that was clicked"`
	On      string           `json:"on,omitzero" jsonschema:"at a bare point: the window that was clicked, or desktop where none is"`
	// ByPoint: no selector found it.
	ByPoint bool `json:"by_point,omitzero" jsonschema:"nothing was found, so fallback_point was clicked: look whether it was the right place"`
	observe.ActionResult
}

func clickElement(ctx context.Context, hand *aim.Hand, a ClickArgs) (ClickResult, error) {
	el, at, err := a.aim(ctx, hand)
	if err != nil {
		return ClickResult{}, err
	}
	button, count := a.pressed()
	r := ClickResult{At: at, Element: aim.Plain(el)}
	shown := el
	if a.X != nil || el == nil && a.AsksForMore() {
		on, window, err := aim.WindowAt(ctx, hand, at, a.ExpectWindow)
		if err != nil {
			return ClickResult{}, err
		}
		if a.X != nil {
			r.On = on
		}
		if a.AsksForMore() {
			shown = window
		}
	}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, shown, func() (observe.Checked, error) {
		back := aim.RestorePointer(ctx, hand, a.RestoreCursor)
		menu := aim.AwaitMenu(ctx, hand.Desktop, a.RestoreCursor && button == desktop.Right)
		if el, at, err = a.click(ctx, hand, el, at); err != nil {
			return observe.Unchecked, err
		}
		r.At, r.Element, r.ByPoint = at, aim.Plain(el), el == nil && a.FallbackPoint != nil
		if r.ByPoint {
			hand.Logger().InfoContext(ctx, "nothing was found, so fallback_point was clicked")
		}
		menu(ctx)
		back(ctx)
		if button != desktop.Left || count != 1 || len(a.Modifiers) > 0 {
			return observe.Unchecked, nil
		}
		return observe.WaitForToggle(ctx, hand.Desktop, el)
	})
	return r, err
}

// click clicks the target, and returns the element and the point that were clicked,
// which may have moved.
func (a *ClickArgs) click(ctx context.Context, hand *aim.Hand, el *desktop.Element, at desktop.Point) (*desktop.Element, desktop.Point, error) {
	button, count := a.pressed()
	err := aim.Follow(func() error {
		return aim.HoldKeys(ctx, hand.Desktop, a.Modifiers, func() error { return aim.Press(ctx, hand, el, at, button, count) })
	}, func() (err error) {
		el, at, err = a.aim(ctx, hand)
		return err
	})
	return el, at, err
}

// aim finds the element and the point to click.
func (a *ClickArgs) aim(ctx context.Context, hand *aim.Hand) (*desktop.Element, desktop.Point, error) {
	if a.X != nil {
		if a.InWindow {
			at, _, err := aim.PointInWindow(ctx, hand, a.Target, *a.offset(), a.WindowOptions)
			return nil, at, err
		}
		at := desktop.Point{X: *a.X, Y: *a.Y}
		return nil, at, aim.OnScreen(ctx, hand.Desktop, at)
	}
	button, count := a.pressed()
	n := aim.Requirement{Enabled: true, Point: a.ClickPosition.In, Drawn: a.Drawn, Windows: a.WindowOptions}
	n.Apart = button == desktop.Left && count == 1 && a.ClickPosition == nil && a.Drawn == nil
	if a.Image == "" {
		el, at, err := aim.At(ctx, hand, a.Target, n)
		// An ambiguous selector is no reason to guess.
		if a.FallbackPoint != nil && steps.CodeOf(err) == steps.NotFound && ctx.Err() == nil {
			because := err
			if at, _, err = aim.PointInWindow(ctx, hand, a.Target, *a.FallbackPoint, a.WindowOptions); err != nil {
				err = aim.WithTried(err, because)
			}
			return nil, at, err
		}
		return el, at, err
	}
	q, err := aim.PictureQuery(a.Within, a.Image, a.Threshold)
	if err != nil {
		return nil, desktop.Point{}, err
	}
	return aim.AtQuery(ctx, hand, q, n, a.SearchTime())
}

// pressed returns the button and how often it is pressed.
func (a *ClickArgs) pressed() (desktop.Button, int) {
	switch a.ClickType {
	case DoubleClick:
		return desktop.Left, 2
	case RightClick:
		return desktop.Right, 1
	case LeftClick:
		return desktop.Left, int(a.Count)
	}
	return a.Button, int(a.Count)
}
