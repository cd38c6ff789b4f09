package steps

import (
	"errors"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// acts is one of each action that changes the world.
var acts = []desktop.Action{
	desktop.MovePointer{},
	desktop.ButtonDown{Button: desktop.Left},
	desktop.ButtonUp{Button: desktop.Left},
	desktop.Click{Button: desktop.Left},
	desktop.Scroll{DY: 1},
	desktop.KeyDown{Key: "a"},
	desktop.KeyUp{Key: "a"},
	desktop.Press{Chord: desktop.Chord{Key: "a"}},
	desktop.Type{Text: "a"},
	desktop.Manage{Window: 1},
	desktop.WriteClipboard{Text: "a"},
	desktop.Invoke{Element: "h"},
	desktop.SetText{Element: "h"},
	desktop.InsertText{Element: "h"},
	desktop.SetNumber{Element: "h", Value: 1},
	desktop.Select{Container: "h", On: true},
	desktop.GrabFocus{Element: "h"},
	desktop.Reveal{Element: "h"},
	desktop.Launch{App: "a"},
	desktop.OpenURL{URL: "a"},
}

func TestAccountKeepsAccountOfEveryAct(t *testing.T) {
	for _, act := range acts {
		name := desktop.NameOf(act)
		for _, c := range []struct {
			say  string
			err  error
			want Acted
		}{
			{"an answer that was lost leaves doubt", desktop.ErrUnresponsive, ActedMaybe},
			{"nothing happens before it has begun", &desktop.NotBegunError{Err: desktop.ErrUnresponsive}, ActedNo},
			{"an unknown failure leaves doubt", errors.New("boom"), ActedMaybe},
			{"what was refused did not happen", desktop.ErrRefused, ActedNo},
			{"nothing happens to what is not there", desktop.ErrNotFound, ActedNo},
			{"nothing happens with what is missing", &desktop.MissingError{What: "no xclip"}, ActedNo},
		} {
			t.Run(name+"/"+c.say, func(t *testing.T) {
				d := fake.New()
				d.Fail(name, c.err, -1)
				env := &Env{}
				err := env.withAccount(d.Desktop(), env.Act).Do(t.Context(), act)
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

func TestAccountLeavesLookingAlone(t *testing.T) {
	d := fake.New(fake.MustParse(`- frame "Notes" [process=notes] [at=0,0,400,400]`)...)
	env := &Env{}
	w := env.withAccount(d.Desktop(), env.Act)
	ctx := t.Context()
	_, a := w.PointerPosition(ctx)
	_, b := w.Windows(ctx)
	_, c := w.ReadClipboard(ctx)
	_, e := w.Tree(ctx, desktop.Scope{})
	if err := errors.Join(a, b, c, e); err != nil || env.Acted() != ActedNo {
		t.Errorf("%v, acted: %s", err, env.Acted())
	}
	if err := w.Do(ctx, desktop.MovePointer{To: desktop.Point{X: 1}}); err != nil || env.Acted() != ActedYes {
		t.Errorf("%v, acted: %s", err, env.Acted())
	}
}

func TestAccountLeavesMarksAndTheUsersFocusOut(t *testing.T) {
	d := fake.New(fake.MustParse(`- frame "Notes" [process=notes] [at=0,0,400,400]`)...)
	env := &Env{}
	w := env.withAccount(d.Desktop(), env.Act)
	state, err := w.SaveFocus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []desktop.Action{desktop.Mark{Area: desktop.Rect{W: 1, H: 1}}, desktop.Unmark{}, desktop.Panel{}, desktop.RestoreFocus{State: state}} {
		if err := w.Do(t.Context(), a); err != nil || env.Acted() != ActedNo {
			t.Errorf("%s: %v, acted: %s", desktop.NameOf(a), err, env.Acted())
		}
	}
}
