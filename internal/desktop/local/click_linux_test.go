package local_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/steps/observe"
)

// clicks are the arguments of steps on one element. It is clicked at its left and
// at its right in turn, so that no click is taken for a double click with the one
// before.
type clicks struct {
	selector, process string
	times             int
}

// here are the arguments of a step that has no place in the element.
func (c *clicks) here() map[string]any {
	return map[string]any{"selector": c.selector, "process": c.process, "timeout_ms": 10_000.0}
}

// next are those of the next click.
func (c *clicks) next() map[string]any {
	c.times++
	args := c.here()
	args["click_position"] = map[string]any{"x_percentage": []float64{10, 90}[c.times%2], "y_percentage": 50.0}
	return args
}

// thinks is how long a client does nothing between two clicks: longer than a double
// click, and than anything is drawn after the click before.
const thinks = 500 * time.Millisecond

// What a click on an element costs on a real display with all checks: in a
// window that is at rest, and not drawn anew by what was clicked before.
func BenchmarkClickAtRest(b *testing.B) {
	virtualtest.Need(b, "Xvfb", "openbox", "dbus-daemon", "galculator")
	d := open(b, desktop.Options{Display: "virtual", Dir: scratch.Dir(b)})
	var app desktop.App
	err := d.Do(b.Context(), desktop.Launch{App: "galculator", Started: &app})
	if err != nil {
		b.Fatal(err)
	}
	defer syscall.Kill(app.PID, syscall.SIGKILL)
	click := clicks{selector: "role:togglebutton && name:7", process: "galculator"}
	var stirred steps.LastAct
	press := func() {
		if o := kinds.ClickElement.Run(b.Context(), &steps.Env{Desktop: d, Trees: &observe.ShownTrees{}, LastAct: &stirred}, click.next()); o.Err != nil {
			b.Fatal(o.Err)
		}
	}
	press() // when the application has started
	for b.Loop() {
		b.StopTimer()
		time.Sleep(thinks)
		b.StartTimer()
		press()
	}
}

// The same in a large window, on a button that is drawn in many frames when it
// turns, each of which the application draws before it answers; beside the calls
// of the desktop that a click consists of, on X and on Wayland.
func BenchmarkClick(b *testing.B) {
	virtualtest.Need(b, "Xvfb", "openbox", "dbus-daemon", "gtk3-widget-factory")
	b.Run("x11", func(b *testing.B) { benchClick(b, desktop.Options{Display: "virtual", Dir: scratch.Dir(b)}) })
	b.Run("sway", func(b *testing.B) {
		session := virtualtest.StartSway(b, "xwayland disable", "output * resolution 1920x1080")
		session.Enter(b)
		benchClick(b, desktop.Options{Display: session.Wayland, Dir: scratch.Dir(b)})
	})
}

func benchClick(b *testing.B, o desktop.Options) {
	d := open(b, o)
	var app desktop.App
	err := d.Do(b.Context(), desktop.Launch{App: "gtk3-widget-factory", Started: &app})
	if err != nil {
		b.Fatal(err)
	}
	defer syscall.Kill(app.PID, syscall.SIGKILL)
	var stirred steps.LastAct
	env := func() *steps.Env { return &steps.Env{Desktop: d, Trees: &observe.ShownTrees{}, LastAct: &stirred} }
	click := clicks{selector: "role:togglebutton && name:togglebutton && state:enabled && nth:0", process: "gtk3-widget-factory"}
	if o := kinds.ClickElement.Run(b.Context(), env(), click.next()); o.Err != nil {
		b.Fatal(o.Err)
	}
	for _, row := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"click", func(ctx context.Context) error {
			if o := kinds.ClickElement.Run(ctx, env(), click.next()); o.Err != nil {
				return o.Err
			}
			return nil
		}},
		{"hover", func(ctx context.Context) error {
			if o := kinds.HoverElement.Run(ctx, env(), click.here()); o.Err != nil {
				return o.Err
			}
			return nil
		}},
		{"validate", func(ctx context.Context) error {
			if o := kinds.ValidateElement.Run(ctx, env(), click.here()); o.Err != nil {
				return o.Err
			}
			return nil
		}},
		{"tree", func(ctx context.Context) error {
			_, err := d.Tree(ctx, desktop.Scope{Process: "gtk3-widget-factory", Full: true})
			return err
		}},
		{"windows", func(ctx context.Context) error { _, err := d.Windows(ctx); return err }},
		{"element-at", func(ctx context.Context) error { _, err := d.ElementAt(ctx, desktop.Point{X: 700, Y: 400}); return err }},
		{"capture", func(ctx context.Context) error { _, err := d.Capture(ctx, desktop.Rect{}); return err }},
		{"pointer", func(ctx context.Context) error { _, err := d.PointerPosition(ctx); return err }},
		{"press", func(ctx context.Context) error {
			click.times++
			return d.Do(ctx, desktop.Click{At: desktop.Point{X: 5 + click.times%2*100, Y: 1000}, Button: desktop.Left})
		}},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if err := row.do(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
