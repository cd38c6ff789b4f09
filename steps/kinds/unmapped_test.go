package kinds

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// early is a desktop on which an application tells of its elements some time
// before its window comes up.
type early struct {
	desktop.WindowLister
	desktop.Elements
	comes  time.Time
	others []desktop.Window // the windows until then
}

func (e *early) waits() bool { return time.Now().Before(e.comes) }

func (e *early) List(ctx context.Context) ([]desktop.Window, error) {
	if e.waits() {
		return e.others, nil
	}
	return e.WindowLister.Windows(ctx)
}

func (e *early) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	tree, err := e.Elements.Tree(ctx, s)
	if err == nil && e.waits() {
		tree.Walk(func(el *desktop.Element) bool {
			el.Window = 0
			return true
		})
	}
	return tree, err
}

func (e *early) ElementAt(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return e.alone(e.Elements.ElementAt(ctx, at))
}

func (e *early) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	return e.alone(e.Elements.Refresh(ctx, h))
}

func (e *early) alone(el *desktop.Element, err error) (*desktop.Element, error) {
	if err == nil && e.waits() {
		el.Window = 0
	}
	return el, err
}

// windowsOf are the windows of an early desktop.
type windowsOf struct{ *early }

func (w windowsOf) Windows(ctx context.Context) ([]desktop.Window, error) { return w.List(ctx) }

// A dialog tells of its buttons before its window is there, and where they would
// be if it were in the corner of the screen.
func TestNothingIsClickedBeforeItsWindowIsThere(t *testing.T) {
	for _, row := range []struct {
		name   string
		others []desktop.Window
	}{
		{"where no window is", nil},
		{"where the window of another program is", []desktop.Window{{ID: 99, Title: "Other", Process: "other", Bounds: desktop.Rect{W: 800, H: 600}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(notes)...)
				defer d.Close()
				env := seeing(d)
				e := &early{env.Desktop.WindowLister, env.Desktop.Elements, time.Now().Add(time.Second), row.others}
				env.Desktop.WindowLister, env.Desktop.Elements = windowsOf{e}, e
				began := time.Now()
				o := ClickElement.Run(t.Context(), env, args("selector", "name:Save"))
				if o.Err != nil || o.Acted != steps.ActedYes {
					t.Fatalf("got %v, acted %s", o.Err, o.Acted)
				}
				if took := time.Since(began); took < time.Second {
					t.Errorf("it was clicked after %s, before its window was there", took)
				}
			})
		})
	}
}
