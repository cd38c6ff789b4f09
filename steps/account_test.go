package steps

import (
	"context"
	"errors"
	"testing"

	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

// acts are all methods of a desktop that act, and looks some that do not.
var acts = map[string]func(context.Context, *desktop.Desktop) error{
	"MovePointer":    func(c context.Context, d *desktop.Desktop) error { return d.MovePointer(c, desktop.Point{}) },
	"ButtonDown":     func(c context.Context, d *desktop.Desktop) error { return d.ButtonDown(c, desktop.Left) },
	"ButtonUp":       func(c context.Context, d *desktop.Desktop) error { return d.ButtonUp(c, desktop.Left) },
	"Click":          func(c context.Context, d *desktop.Desktop) error { return d.Click(c, desktop.Point{}, desktop.Left, 1) },
	"Scroll":         func(c context.Context, d *desktop.Desktop) error { return d.Scroll(c, 0, 1) },
	"KeyDown":        func(c context.Context, d *desktop.Desktop) error { return d.KeyDown(c, "a") },
	"KeyUp":          func(c context.Context, d *desktop.Desktop) error { return d.KeyUp(c, "a") },
	"Press":          func(c context.Context, d *desktop.Desktop) error { return d.Press(c, desktop.Chord{Key: "a"}) },
	"Type":           func(c context.Context, d *desktop.Desktop) error { return d.Type(c, "a") },
	"Manage":         func(c context.Context, d *desktop.Desktop) error { return d.Manage(c, 1, desktop.WindowChange{}) },
	"WriteClipboard": func(c context.Context, d *desktop.Desktop) error { return d.WriteClipboard(c, "a") },
	"Invoke":         func(c context.Context, d *desktop.Desktop) error { return d.Invoke(c, "h", "") },
	"SetText":        func(c context.Context, d *desktop.Desktop) error { return d.SetText(c, "h", "") },
	"SetNumber":      func(c context.Context, d *desktop.Desktop) error { return d.SetNumber(c, "h", 1) },
	"Select":         func(c context.Context, d *desktop.Desktop) error { return d.Select(c, "h", 0, true) },
	"GrabFocus":      func(c context.Context, d *desktop.Desktop) error { return d.GrabFocus(c, "h") },
	"Reveal":         func(c context.Context, d *desktop.Desktop) error { return d.Reveal(c, "h") },
	"Launch":         func(c context.Context, d *desktop.Desktop) error { _, err := d.Launch(c, "a"); return err },
	"OpenURL":        func(c context.Context, d *desktop.Desktop) error { return d.OpenURL(c, "a", nil) },
}

func TestWatchKeepsAccountOfEveryAct(t *testing.T) {
	for name, act := range acts {
		for _, c := range []struct {
			say  string
			err  error
			want Acted
		}{
			{"an answer that was lost leaves doubt", desktop.ErrUnresponsive, ActedMaybe},
			{"an unknown failure leaves doubt", errors.New("boom"), ActedMaybe},
			{"what was refused did not happen", desktop.ErrRefused, ActedNo},
			{"nothing happens to what is not there", desktop.ErrNotFound, ActedNo},
			{"nothing happens with what is missing", &desktop.MissingError{What: "no xclip"}, ActedNo},
		} {
			t.Run(name+"/"+c.say, func(t *testing.T) {
				d := fake.New()
				d.Fail(name, c.err, -1)
				env := &Env{}
				err := act(t.Context(), Account(d.Desktop(), env.Act))
				if !errors.Is(err, c.err) || d.Calls(name) != 1 {
					t.Errorf("got %v after %d calls", err, d.Calls(name))
				}
				if env.Acted() != c.want {
					t.Errorf("acted: %s, want %s", env.Acted(), c.want)
				}
			})
		}
	}
}

func TestWatchLeavesLookingAlone(t *testing.T) {
	d := fake.New(fake.MustParse(`- frame "Notes" [process=notes] [at=0,0,400,400]`)...)
	env := &Env{}
	w := Account(d.Desktop(), env.Act)
	ctx := t.Context()
	_, a := w.PointerPosition(ctx)
	_, b := w.Windows.Windows(ctx)
	_, c := w.ReadClipboard(ctx)
	_, e := w.Tree(ctx, desktop.Scope{})
	if err := errors.Join(a, b, c, e); err != nil || env.Acted() != ActedNo {
		t.Errorf("%v, acted: %s", err, env.Acted())
	}
	if err := w.MovePointer(ctx, desktop.Point{X: 1}); err != nil || env.Acted() != ActedYes {
		t.Errorf("%v, acted: %s", err, env.Acted())
	}
}
