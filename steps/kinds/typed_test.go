package kinds

import (
	"slices"
	"testing"
	"testing/synctest"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/observe"
)

// TestTypingIntoPasswordFieldsIsNoted holds that each kind that types tells a password field, which is
// what keeps its text out of what is stored.
func TestTypingIntoPasswordFieldsIsNoted(t *testing.T) {
	const login = `
- frame "Login" [process=login] [at=0,0,400,400]
  - entry "User" [at=100,40,200,24]
  - password "Secret" [at=100,70,200,24]
  - text "Note" [multi_line] [at=100,100,200,80]
`
	focus := func(sel string) func(d *fake.Desktop) {
		return func(d *fake.Desktop) {
			if err := d.Do(t.Context(), desktop.GrabFocus{Element: d.Get(d.Find(sel)).Handle}); err != nil {
				t.Fatal(err)
			}
		}
	}
	revealed := func(d *fake.Desktop) {
		d.Set(d.Find("role:password"), func(e *desktop.Element) { e.Role = "entry" })
	}
	for _, c := range []struct {
		say  string
		kind steps.Kind
		args map[string]any
		set  func(d *fake.Desktop)
		want steps.Typed
	}{
		{"into a field", TypeIntoElement, args("selector", "name:User", "text_to_type", "Ada"), nil, steps.TypedOpenly},
		{"into a password field", TypeIntoElement, args("selector", "name:Secret", "text_to_type", "swordfish{Enter}"), nil, steps.TypedHidden},
		{"into a password field that shows its text by now", TypeIntoElement, args("selector", "name:Secret", "text_to_type", "swordfish"), revealed, steps.TypedHidden},
		{"where the focus is, which is not in the element", TypeIntoElement, args("selector", "name:User", "text_to_type", "swordfish", "clear_before_typing", false, "try_focus_before", false, "try_click_before", false), focus("name:Secret"), steps.TypedHidden},
		{"nothing but a key, into a password field", TypeIntoElement, args("selector", "name:Secret", "text_to_type", "{Enter}", "clear_before_typing", false), nil, steps.TypedOpenly},
		{"into a field that there is not", TypeIntoElement, args("selector", "name:Nothing", "text_to_type", "swordfish", "timeout_ms", 0.0), nil, steps.TypedNowhere},
		{"as a value", SetValue, args("selector", "name:User", "value", "Ada"), nil, steps.TypedOpenly},
		{"as the value of a password field", SetValue, args("selector", "name:Secret", "value", "swordfish"), nil, steps.TypedHidden},
		{"where the focus is", TypeText, args("text", "Ada"), focus("name:User"), steps.TypedOpenly},
		{"where the focus is, in a password field", TypeText, args("text", "swordfish"), focus("name:Secret"), steps.TypedHidden},
		{"over several fields, one of them for a password", TypeText, args("text", "Ada\tswordfish\n"), focus("name:User"), steps.TypedHidden},
		{"over several lines of one", TypeText, args("text", "one\ntwo\n"), focus("name:Note"), steps.TypedOpenly},
		{"characters as keys", PressKey, args("key", "a b"), focus("name:User"), steps.TypedOpenly},
		{"characters as keys of a password field", PressKey, args("selector", "name:Secret", "key", "s w"), nil, steps.TypedHidden},
		{"characters as keys, over several fields", PressKey, args("key", "a {Tab}s"), focus("name:User"), steps.TypedHidden},
		{"enter in a password field", PressKey, args("selector", "name:Secret", "key", "enter"), nil, steps.TypedOpenly},
		{"a shortcut in a password field", PressKey, args("selector", "name:Secret", "key", "ctrl+a"), nil, steps.TypedOpenly},
		{"enter on what there is not", PressKey, args("selector", "name:Nothing", "key", "enter", "timeout_ms", 0.0), nil, steps.TypedOpenly},
		{"a letter that is held", HoldKey, args("do", "down", "key", "s"), focus("name:Secret"), steps.TypedHidden},
		{"a letter that is let go", HoldKey, args("do", "up", "key", "s"), focus("name:Secret"), steps.TypedHidden},
		{"a letter that is held elsewhere", HoldKey, args("do", "down", "key", "s"), focus("name:User"), steps.TypedOpenly},
		{"a key that enters nothing", HoldKey, args("do", "down", "key", "shift"), focus("name:Secret"), steps.TypedOpenly},
		{"characters as global keys", PressKeyGlobal, args("key", "s"), focus("name:Secret"), steps.TypedHidden},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(login)...)
				defer d.Close()
				env := seeing(d)
				env.Passwords = &observe.Passwords{}
				secret := d.Get(d.Find("name:Secret"))
				env.Passwords.Note(env.Desktop, &secret)
				if c.set != nil {
					c.set(d)
				}
				o := c.kind.Run(t.Context(), env, c.args)
				if got := env.Typed(); got != c.want {
					t.Errorf("noted %d, wanted %d; the step: %v", got, c.want, o.Err)
				}
			})
		})
	}
}

// TestKindsThatTypeSaySo holds that every argument that is a text to type or keys to
// press is declared as such.
func TestKindsThatTypeSaySo(t *testing.T) {
	for _, k := range All() {
		for name, p := range k.Args().Properties {
			types := p.Format == "keys" || p.Format == "key" || name == "text_to_type" || k.Name == TypeText.Name && name == "text" || k.Name == SetValue.Name && name == "value"
			if declared := slices.Contains(k.Typed(), name); types != declared {
				t.Errorf("the argument %s of %s types: %t, declared: %t", name, k.Name, types, declared)
			}
		}
	}
}
