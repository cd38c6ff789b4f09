package steps

import (
	"testing"
	"testing/synctest"

	"understudy/steps/desktop/fake"
)

func TestFocusIsKeptForCallsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		say  string
		kind Kind
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
