package kinds

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
)

// TestRest holds that what has rested is clicked at once, and that nothing is
// clicked of which that is not certain.
func TestRest(t *testing.T) {
	save := args("selector", "name:Save", "restore_cursor", false)
	move := func(d *fake.Desktop, y int) {
		d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y = y })
	}
	for _, c := range []struct {
		say     string
		before  func(d *fake.Desktop, env *steps.Env) // right before the click
		waits   time.Duration                         // how long the click waits for its element to keep still
		clicked string
	}{
		{say: "it has not been drawn for a while", clicked: "click 50,142 left"},
		{
			say: "something was done just before", waits: aim.StillTime, clicked: "click 50,142 left",
			before: func(_ *fake.Desktop, env *steps.Env) { env.LastAct.Mark() },
		},
		{
			say: "something was done some time before", waits: aim.StillTime - 6*time.Millisecond, clicked: "click 50,142 left",
			before: func(_ *fake.Desktop, env *steps.Env) { env.LastAct.Mark(); time.Sleep(6 * time.Millisecond) },
		},
		{
			say: "nobody knows what was done", waits: aim.StillTime, clicked: "click 50,142 left",
			before: func(_ *fake.Desktop, env *steps.Env) { env.LastAct = nil },
		},
		{
			say: "it was drawn just before", waits: aim.StillTime, clicked: "click 50,142 left",
			before: func(d *fake.Desktop, _ *steps.Env) {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States |= desktop.Pressed })
			},
		},
		{
			say: "it is drawn while it is looked at, and stays", waits: aim.StillTime, clicked: "click 50,142 left",
			before: func(d *fake.Desktop, _ *steps.Env) {
				d.Delay("ElementAt", 2*time.Millisecond)
				d.After(time.Millisecond, func() {
					d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.States |= desktop.Pressed })
				})
			},
		},
		{
			say: "it moves while it is looked at", waits: aim.StillTime, clicked: "click 50,312 left",
			before: func(d *fake.Desktop, _ *steps.Env) {
				d.Delay("ElementAt", 2*time.Millisecond)
				d.After(time.Millisecond, func() { move(d, 300) })
			},
		},
		{
			say: "the display does not tell", waits: aim.StillTime, clicked: "click 50,142 left",
			before: func(d *fake.Desktop, _ *steps.Env) {
				d.Fail("LastDrawn", &desktop.MissingError{What: "nothing of the kind"}, -1)
			},
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(notes)...)
				defer d.Close()
				env := seeing(d)
				env.LastAct = &steps.LastAct{}
				rest(t, env, save)
				if c.before != nil {
					c.before(d, env)
				}
				began := time.Now()
				o := ClickElement.Run(t.Context(), env, save)
				took := time.Since(began)
				if o.Err != nil || o.Acted != steps.ActedYes {
					t.Fatalf("acted: %s, %v", o.Acted, o.Err)
				}
				if took < c.waits || c.waits == 0 && took > 0 {
					t.Errorf("it took %s, want it to wait %s", took, c.waits)
				}
				if journal := d.Journal(); journal[len(journal)-1] != c.clicked {
					t.Errorf("the journal is %q, want %q at its end", journal, c.clicked)
				}
			})
		})
	}
}

// rest clicks something, until it is known that it rests.
func rest(t *testing.T, env *steps.Env, a map[string]any) {
	t.Helper()
	for range 2 { // the first click gives it the focus
		if o := ClickElement.Run(t.Context(), env, a); o.Err != nil {
			t.Fatal(o.Err)
		}
		time.Sleep(time.Minute)
	}
}

// TestMovingElementIsNotClickedAtItsOldPlace moves an element a little in every
// frame, of which some are late.
func TestMovingElementIsNotClickedAtItsOldPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		env := seeing(d)
		env.LastAct = &steps.LastAct{}
		a := args("selector", "name:Save", "restore_cursor", false)
		rest(t, env, a)
		frames := 0
		var frame func()
		frame = func() {
			if frames++; frames <= 30 {
				d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Bounds.Y += 5 })
				d.After(time.Duration(16+frames%3)*time.Millisecond, frame)
			}
		}
		d.After(time.Millisecond, frame)
		d.Delay("ElementAt", 3*time.Millisecond)
		if o := ClickElement.Run(t.Context(), env, a); o.Err != nil {
			t.Fatal(o.Err)
		}
		journal := d.Journal()
		if want := "click 50,292 left"; journal[len(journal)-1] != want {
			t.Errorf("the journal is %q, want %q at its end, where it came to rest", journal, want)
		}
	})
}
