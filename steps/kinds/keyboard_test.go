package kinds

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/observe"
)

const (
	// diskFull is a question of another program.
	diskFull = `
- dialog "Disk almost full" [process=zenity] [at=50,50,300,200]
  - label "Delete old files?" [at=60,60,200,24]
  - button "Keep" [at=60,100,80,24]
  - button "Delete" [focused] [at=160,100,80,24]
`
	// discard is a question of the same program.
	discard = `
- dialog "Save the note?" [process=notes] [at=50,50,300,200]
  - entry "Name" [focused] [at=60,60,200,24]
`
)

// A keysPlay is what happens on a screen with Notes, and what keys without a target do
// then.
type keysPlay struct {
	say string
	// told: a single call of a client; otherwise a step of a run.
	told bool
	do   func(p *player)
	kind steps.Kind
	args map[string]any
	want string // a part of the error, or "" if the keys are sent
}

// player calls kinds on a desktop for one caller.
type player struct {
	t *testing.T
	*fake.Desktop
	keyboard *steps.Keyboard
	trees    *observe.ShownTrees
}

func (p *player) call(k steps.Kind, pairs ...any) steps.Outcome {
	env := seeing(p.Desktop)
	env.Keyboard, env.Trees = p.keyboard, p.trees
	env.Effects, env.KeepFocus = p.keyboard.Told, p.keyboard.Told
	return k.Run(p.t.Context(), env, args(pairs...))
}

func (p *player) must(k steps.Kind, pairs ...any) {
	p.t.Helper()
	if o := p.call(k, pairs...); o.Err != nil {
		p.t.Fatal(o.Err)
	}
}

func (p *player) appears(window string) { p.Open(fake.MustParse(window)[0]) }

func TestKeysGoOnlyWhereTheCallerWorks(t *testing.T) {
	looked := func(p *player) { p.must(GetWindowTree, "process", "notes") }
	pressed := func(p *player) {
		p.OnPress("ctrl+s", func() { p.appears(discard) })
		p.must(PressKey, "selector", "name:Title", "key", "ctrl+s")
	}
	const elsewhere = `the window "Disk almost full" of zenity has the keyboard`
	for _, c := range []keysPlay{
		{"a call types where its caller was told that it works", true, looked, TypeText, args("text", "and more"), ""},
		{"a call that was told nothing types nowhere", true, func(*player) {}, TypeText, args("text", "and more"), "none of 8 characters was sent"},
		{"a question that came up is not answered by text", true, func(p *player) { looked(p); p.appears(diskFull) }, TypeText, args("text", "and more"), elsewhere},
		{"nor by a key", true, func(p *player) { looked(p); p.appears(diskFull) }, PressKey, args("key", "enter"), elsewhere},
		{"nor by a global key", true, func(p *player) { looked(p); p.appears(diskFull) }, PressKeyGlobal, args("key", "space"), elsewhere},
		{"nor by a key that is held", true, func(p *player) { looked(p); p.appears(diskFull) }, HoldKey, args("do", "down", "key", "space"), elsewhere},
		{"nor by the next call, which may have been sent before the refusal was read", true, func(p *player) {
			looked(p)
			p.appears(diskFull)
			p.call(TypeText, "text", "and more")
		}, PressKey, args("key", "enter"), elsewhere},
		{"nor after a call that does not tell of it", true, func(p *player) { looked(p); p.appears(diskFull); p.must(Delay, "delay_ms", 1.0) }, PressKey, args("key", "enter"), elsewhere},
		{"nor after an answer that tells of it as what happened", true, func(p *player) {
			looked(p)
			p.Find("name:Save").OnClick(func() { p.appears(diskFull) })
			p.must(ClickElement, "selector", "name:Save")
		}, PressKey, args("key", "enter"), elsewhere},
		{"who looked at the question may answer it", true, func(p *player) { looked(p); p.appears(diskFull); p.must(GetWindowTree, "process", "zenity") }, PressKey, args("key", "enter"), ""},
		{"so may who listed the windows", true, func(p *player) { p.appears(diskFull); p.must(GetApplicationsAndWindowsList) }, PressKey, args("key", "enter"), ""},
		{"who expects it may answer it", true, func(p *player) { looked(p); p.appears(diskFull) }, PressKey, args("key", "enter", "expect_window", "almost full"), ""},
		{"who names a part of it may", true, func(p *player) { looked(p); p.appears(diskFull) }, PressKey, args("key", "enter", "selector", "name:Keep"), ""},
		{"who names its program may", true, func(p *player) { looked(p); p.appears(diskFull) }, PressKeyGlobal, args("key", "enter", "process", "zenity"), ""},
		{"what is expected and not there gets nothing", true, looked, TypeText, args("text", "x", "expect_window", "Disk"), `wanted "Disk" in the title`},
		{"a question that the caller's own act opened gets keys once it is told", true, func(p *player) { looked(p); pressed(p) }, TypeText, args("text", "a name"), ""},
		{"one that came up by itself in the same program does not", true, func(p *player) { looked(p); p.appears(discard) }, TypeText, args("text", "a name"), `the window "Save the note?" of notes`},

		{"a run types where it has begun", false, func(*player) {}, TypeText, args("text", "and more"), ""},
		{"a run saves and types the name into the question that it opened", false, pressed, TypeText, args("text", "a name"), ""},
		{"also if the pointer goes back where it was", false, func(p *player) {
			p.Find("name:Save").OnClick(func() { p.appears(discard) })
			p.must(ClickElement, "selector", "name:Save")
			p.must(MouseMove, "x", 5.0, "y", 5.0)
		}, TypeText, args("text", "a name"), ""},
		{"a run answers no question of another program", false, func(p *player) { p.must(ClickElement, "selector", "name:Title"); p.appears(diskFull) }, TypeText, args("text", "and more"), elsewhere},
		{"nor one that came up while it waited", false, func(p *player) {
			p.must(TypeIntoElement, "selector", "name:Title", "text_to_type", "x")
			p.appears(diskFull)
			p.must(Delay, "delay_ms", 1.0)
		}, PressKey, args("key", "enter"), elsewhere},
		{"nor one that came up by itself after text was typed", false, func(p *player) {
			p.must(TypeIntoElement, "selector", "name:Title", "text_to_type", "x")
			p.appears(discard)
		}, PressKey, args("key", "enter"), `the window "Save the note?" of notes`},
		{"a run types into the program that it opened", false, func(p *player) {
			p.Install("editor", func() *fake.Node {
				return fake.MustParse(`- frame "Editor" [process=editor] [at=0,0,300,300]` + "\n" + `  - entry "Text" [focused] [at=10,10,200,24]`)[0]
			})
			p.must(OpenApplication, "app_name", "editor")
		}, TypeText, args("text", "x"), ""},
		{"a question is answered when a run waited for it", false, func(p *player) {
			p.must(ClickElement, "selector", "name:Title")
			p.appears(diskFull)
			p.must(WaitForElement, "selector", "name:Keep")
		}, PressKey, args("key", "enter"), ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &player{t, fake.New(fake.MustParse(notes)...), &steps.Keyboard{Told: c.told}, &observe.ShownTrees{}}
				defer p.Close()
				c.do(p)
				before := len(p.Journal())
				o := p.call(c.kind, pairsOf(c.args)...)
				switch {
				case c.want == "" && o.Err != nil:
					t.Fatal(o.Err)
				case c.want != "" && (o.Err == nil || !strings.Contains(o.Err.Error(), c.want)):
					t.Fatalf("got %v, want an error with %q", o.Err, c.want)
				case c.want != "" && len(p.Journal()) != before:
					t.Errorf("keys were sent: %v", p.Journal()[before:])
				case c.want != "" && o.Acted != steps.ActedNo:
					t.Errorf("acted: %s", o.Acted)
				}
			})
		})
	}
}

func pairsOf(m map[string]any) (pairs []any) {
	for k, v := range m {
		pairs = append(pairs, k, v)
	}
	return pairs
}

// A dialog that comes up between two keys gets none of the rest.
func TestTypingStopsWhenAnotherWindowTakesTheKeyboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{t, fake.New(fake.MustParse(notes)...), &steps.Keyboard{}, &observe.ShownTrees{}}
		defer p.Close()
		p.must(ClickElement, "selector", "name:Title")
		d := p.Desktop.Desktop()
		d.Actor = opensAfter{d.Actor, func() { p.appears(diskFull) }}
		env := seeing(p.Desktop)
		env.Desktop, env.Keyboard = d, p.keyboard
		o := TypeText.Run(t.Context(), env, args("text", "one two three"))
		if o.Err == nil || o.Err.Code != steps.Unexpected || !strings.Contains(o.Err.Error(), "3 of 13 characters were sent") || o.Acted == steps.ActedNo {
			t.Errorf("got %v, acted: %s", o.Err, o.Acted)
		}
	})
}

// opensAfter calls open after each text.
type opensAfter struct {
	desktop.Actor
	open func()
}

func (o opensAfter) Do(ctx context.Context, a desktop.Action) error {
	err := o.Actor.Do(ctx, a)
	if _, ok := a.(desktop.Type); ok {
		o.open()
	}
	return err
}

// While the focus is on its way no window is active, which is no leave to send keys unseen.
// The first look, for the answer, still shows the window.
func TestKeysWaitUntilTheFocusHasArrived(t *testing.T) {
	for _, c := range []struct {
		say, want string
		unseen    int // looks at which no window is active
		arrives   func(*player)
	}{
		{"where the caller works", "", 3, func(*player) {}},
		{"at a question", `the window "Disk almost full" of zenity has the keyboard`, 3, func(p *player) { p.appears(diskFull) }},
		{"nowhere", "no window has the keyboard any more", 1000, func(*player) {}},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &player{t, fake.New(fake.MustParse(notes)...), &steps.Keyboard{Told: true}, &observe.ShownTrees{}}
				defer p.Close()
				p.must(GetWindowTree, "process", "notes")
				c.arrives(p)
				d, before := p.Desktop.Desktop(), len(p.Journal())
				d.WindowLister = &noneActive{d.WindowLister, 1, 1 + c.unseen}
				env := seeing(p.Desktop)
				env.Desktop, env.Keyboard = d, p.keyboard
				o := PressKey.Run(t.Context(), env, args("key", "enter"))
				if c.want == "" && o.Err != nil || c.want != "" && (o.Err == nil || !strings.Contains(o.Err.Error(), c.want) || len(p.Journal()) != before) {
					t.Errorf("got %v and %v, want %q", o.Err, p.Journal()[before:], c.want)
				}
			})
		})
	}
}

// noneActive lists no window as active from one look up to another.
type noneActive struct {
	desktop.WindowLister
	from, to int
}

func (n *noneActive) Windows(ctx context.Context) ([]desktop.Window, error) {
	windows, err := n.WindowLister.Windows(ctx)
	if n.from, n.to = n.from-1, n.to-1; n.from < 0 && n.to >= 0 {
		for i := range windows {
			windows[i].Active = false
		}
	}
	return windows, err
}
