package kinds

import (
	"context"
	"image"
	"image/color"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// unplaced is a desktop where nobody tells where windows are.
type unplaced struct {
	desktop.WindowLister
	desktop.Elements
}

func (u unplaced) Windows(ctx context.Context) ([]desktop.Window, error) {
	all, err := u.WindowLister.Windows(ctx)
	for i := range all {
		all[i].Unplaced, all[i].Bounds = desktop.Size{W: all[i].Bounds.W, H: all[i].Bounds.H}, desktop.Rect{}
	}
	return all, err
}

func (u unplaced) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	tree, err := u.Elements.Tree(ctx, s)
	if err == nil {
		tree.Walk(func(el *desktop.Element) bool {
			el.Bounds, el.WindowBounds = desktop.Rect{}, desktop.Rect{}
			return true
		})
	}
	return tree, err
}

func (u unplaced) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	el, err := u.Elements.Refresh(ctx, h)
	if err == nil {
		el.Bounds, el.WindowBounds = desktop.Rect{}, desktop.Rect{}
	}
	return el, err
}

// What has no place is not clicked and not shown, and what works without one is said
// and works.
func TestWindowWithoutAPositionIsNotClicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		env := seeing(d)
		u := unplaced{env.Desktop.WindowLister, env.Desktop.Elements}
		env.Desktop.WindowLister, env.Desktop.Elements = u, u
		var kept *image.RGBA
		env.Keep = func(_ context.Context, p *image.RGBA) (string, error) { kept = p; return "kept", nil }
		windows, err := env.Desktop.Windows(t.Context())
		if err != nil || len(windows) == 0 {
			t.Fatal(err)
		}
		process := windows[0].Process
		for what, row := range map[string]struct {
			kind steps.Kind
			args map[string]any
		}{
			"a click on an element":        {ClickElement, args("selector", "name:Save")},
			"a click at a point of it":     {ClickElement, args("process", process, "x", 5.0, "y", 5.0, "in_window", true)},
			"a picture of it":              {CaptureScreenshot, args("process", process)},
			"a click where it is expected": {ClickElement, args("x", 50.0, "y", 50.0, "expect_window", windows[0].Title)},
		} {
			o := row.kind.Run(t.Context(), env, row.args)
			if o.Err == nil || o.Acted != steps.ActedNo || !strings.Contains(o.Err.Error(), "does not report where") && !strings.Contains(o.Err.Error(), "unknown place") {
				t.Errorf("%s: %v, acted: %s; want that nobody tells where the window is", what, o.Err, o.Acted)
			}
		}
		if o := InvokeElement.Run(t.Context(), env, args("selector", "name:Save")); o.Err != nil || o.Acted != steps.ActedYes {
			t.Errorf("its action: %v, acted: %s", o.Err, o.Acted)
		}
		if o := CaptureScreenshot.Run(t.Context(), env, args()); o.Err != nil {
			t.Fatal(o.Err)
		}
		for _, at := range []image.Point{{150, 80}, {150, 50}, {1, 1}} {
			if got := kept.RGBAAt(at.X, at.Y); got != (color.RGBA{A: 255}) {
				t.Errorf("a picture with a password field somewhere is %v at %v, want black", got, at)
			}
		}
	})
}
