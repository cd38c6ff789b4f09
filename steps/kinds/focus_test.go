package kinds

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

func TestFocusIsKeptForCallsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		say  string
		kind steps.Kind
		args map[string]any
		want bool
	}{
		{"typing into an element gives the focus back", TypeIntoElement, args("selector", "role:entry", "text_to_type", "x"), true},
		{"unless that is not wanted", TypeIntoElement, args("selector", "role:entry", "text_to_type", "x", "restore_focus", false), false},
		{"a click is meant to move it", ClickElement, args("selector", "name:Save"), false},
		{"looking moves nothing", ValidateElement, args("selector", "name:Save"), false},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(notes)...)
				env := seeing(d)
				env.KeepFocus = true
				if o := c.kind.Run(t.Context(), env, c.args); o.Err != nil {
					t.Fatal(o.Err)
				}
				if got := d.Calls("RestoreFocus") == 1; got != c.want {
					t.Errorf("given back: %t, want %t", got, c.want)
				}
			})
		})
	}
}

// A browser hears of it late that its page gave an element the focus.
func TestFocusIsGivenBackOnceAPageHasTakenIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake.New(fake.MustParse(notes)...)
		defer f.Close()
		d, save := f.Desktop(), f.Find("name:Save")
		f.Set(save, func(e *desktop.Element) {
			e.Attributes = map[string]string{"tag": "button"}
			e.States |= desktop.Focusable
		})
		save.OnClick(func() {
			f.After(50*time.Millisecond, func() { _ = d.Do(t.Context(), desktop.GrabFocus{Element: f.Get(save).Handle}) })
		})
		if err := d.Do(t.Context(), desktop.GrabFocus{Element: f.Get(f.Find("role:entry")).Handle}); err != nil {
			t.Fatal(err)
		}
		o := InvokeElement.Run(t.Context(), seeing(f), args("selector", "name:Save", "restore_focus", true))
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		time.Sleep(time.Second)
		if now, err := d.SaveFocus(t.Context()); err != nil || now.Element != f.Get(f.Find("role:entry")).Handle {
			t.Errorf("the focus is not where it was: %+v, %v", now, err)
		}
	})
}
