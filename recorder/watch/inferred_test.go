package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// deaf is the input of a desktop that tells nothing of it.
type deaf struct{}

func (deaf) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	f(desktop.InputEvent{Type: desktop.WatchBegan, Time: time.Now(), Unreported: []desktop.InputType{desktop.KeyPress, desktop.ButtonPress}})
	<-ctx.Done()
	return context.Cause(ctx)
}

// noKeys is the input of a desktop that tells of it only what the mouse does.
type noKeys struct{ desktop.Input }

func (i noKeys) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	return i.Input.Watch(ctx, func(ev desktop.InputEvent) {
		switch ev.Type {
		case desktop.KeyPress, desktop.KeyRelease:
			return
		case desktop.WatchBegan:
			ev.Unreported = []desktop.InputType{desktop.KeyPress, desktop.KeyRelease, desktop.WheelTurn}
		}
		f(ev)
	})
}

// TestRecordingWithMouseEventsOnly records a person of whom no keys are told: what he clicks
// is known, and nothing is concluded that was heard.
func TestRecordingWithMouseEventsOnly(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	sent := func(e *desktop.Element) { e.Name = "Sent" }
	for _, c := range []struct {
		say        string
		do         func(s *stand)
		want, lack []string
		steps      int // besides the switch to the window
	}{
		{"a click is one", func(s *stand) {
			s.clicks("role:button")
			s.moves("role:button")
			s.shows("role:statusbar", sent)
			time.Sleep(effectTime)
		}, []string{"click_element", "name:OK\n"}, []string{"uncertain"}, 1},
		{"a press of what has the keyboard already is heard too", func(s *stand) {
			s.goesTo("role:button")
			time.Sleep(effectTime)
			s.clicks("role:button")
		}, []string{"click_element"}, []string{"uncertain"}, 1},
		{"two clicks are two", func(s *stand) {
			s.clicks("role:button")
			s.moves("role:button")
			time.Sleep(time.Second)
			s.clicks("role:button")
		}, []string{"click_element"}, []string{"uncertain"}, 2},
		{"a text is what its field holds", func(s *stand) {
			s.clicks("role:entry")
			s.moves("role:entry")
			s.types("Ada", 50*time.Millisecond)
			s.clicks("role:button")
		}, []string{"default: Ada}", "name:OK\n"}, []string{"uncertain"}, 2},
		{"a password is a secret", func(s *stand) {
			s.clicks("role:password")
			s.moves("role:password")
			s.types(secret, 50*time.Millisecond)
			s.clicks("role:button")
		}, []string{"secret: true"}, []string{secret}, 2},
		{"a check box is set once", func(s *stand) {
			s.clicks("role:checkbox")
			s.moves("role:checkbox")
			s.shows("role:checkbox", func(e *desktop.Element) { e.States |= desktop.Checked })
			time.Sleep(effectTime)
			s.clicks("role:button")
		}, []string{"set_selected", "state: true"}, []string{"uncertain"}, 2},
		{"what a click does to the field with the keyboard was not typed", func(s *stand) {
			s.goesTo("role:entry")
			s.clicks("role:button")
			s.moves("role:entry")
			s.shows("role:entry", func(e *desktop.Element) { e.Text = "7" })
			time.Sleep(2 * time.Second)
			s.types("1", 50*time.Millisecond)
			time.Sleep(2 * time.Second)
			s.clicks("role:button")
		}, []string{"click_element", "default: '1'"}, nil, 4},
		{"keys that press a button are concluded", func(s *stand) {
			s.clicks("role:entry")
			s.moves("role:entry")
			time.Sleep(effectTime)
			s.goesTo("role:button")
			s.shows("role:statusbar", sent)
		}, []string{"name:OK\n", "uncertain: this click was not reported"}, nil, 2},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, _ := recordOn(t, func(s *stand) { s.input = noKeys{s.Desktop.Desktop()} }, c.do)
			text := compiled(t, seen)
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("wanted %q in the workflow:\n%s", w, text)
				}
			}
			for _, l := range c.lack {
				if strings.Contains(text+log, l) {
					t.Errorf("did not want %q in the workflow or the log:\n%s", l, text)
				}
			}
			if n := strings.Count(text, "tool_name:") - strings.Count(text, "change_window"); n != c.steps {
				t.Errorf("%d steps, want %d:\n%s", n, c.steps, text)
			}
		})
	}
}

// goesTo moves the keyboard, as a click or Tab does, and waits until that is seen.
func (s *stand) goesTo(sel string) {
	s.moves(sel)
	time.Sleep(500 * time.Millisecond)
}

// moves moves the keyboard.
func (s *stand) moves(sel string) {
	_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find(sel)).Handle})
}

// shows has a program show something.
func (s *stand) shows(sel string, change func(*desktop.Element)) {
	s.Set(s.Find(sel), change)
	time.Sleep(500 * time.Millisecond)
}

// TestRecordingInfersInputFromItsEffects records a person of whom no input is told.
func TestRecordingInfersInputFromItsEffects(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	checked := func(e *desktop.Element) { e.States |= desktop.Checked }
	for _, c := range []struct {
		say        string
		do         func(s *stand)
		want, lack []string
	}{
		{"a text is what its field holds at the end", func(s *stand) {
			s.goesTo("role:entry")
			s.shows("role:entry", func(e *desktop.Element) { e.Text = "Val" })
			s.shows("role:entry", func(e *desktop.Element) { e.Text = "Valparaiso" })
			s.goesTo("role:button")
		}, []string{"default: Valparaiso}", "type_into_element"}, []string{"click_element"}},
		{"a password is a secret", func(s *stand) {
			s.goesTo("role:password")
			s.shows("role:password", func(e *desktop.Element) { e.Text = secret })
			s.goesTo("role:button")
		}, []string{"secret: true"}, []string{secret}},
		{"a password field that was passed is no step", func(s *stand) {
			s.goesTo("role:password")
			s.goesTo("role:button")
		}, nil, []string{"secret", "tool_name"}},
		{"a check box is set", func(s *stand) {
			s.goesTo("role:checkbox")
			s.shows("role:checkbox", checked)
		}, []string{"set_selected", "state: true"}, nil},
		{"what has not had the keyboard was changed by its program", func(s *stand) {
			s.goesTo("role:entry")
			s.shows("role:checkbox", checked)
			s.shows("role:statusbar", func(e *desktop.Element) { e.Name = "Checked" })
			time.Sleep(observePoll)
			s.goesTo("role:button")
		}, nil, []string{"tool_name"}},
		{"it was pressed where its program was quicker than who looks", func(s *stand) {
			s.goesTo("role:entry")
			s.shows("role:entry", func(e *desktop.Element) { e.Text = "Ada" })
			time.Sleep(time.Second)
			s.moves("role:button")
			s.shows("role:statusbar", func(e *desktop.Element) { e.Name = "Sent" })
		}, []string{"name:OK\n", "uncertain: this click was not reported"}, nil},
		{"a text that changes with what is typed tells of no press", func(s *stand) {
			s.goesTo("role:entry")
			s.Set(s.Find("role:entry"), func(e *desktop.Element) { e.Text = "Ada" })
			s.Set(s.Find("role:statusbar"), func(e *desktop.Element) { e.Name = "3 letters" })
			time.Sleep(100 * time.Millisecond)
			s.moves("role:button")
			time.Sleep(time.Second)
		}, []string{"default: Ada}"}, []string{"click_element"}},
		{"a button that got the keyboard before a text changed was pressed", func(s *stand) {
			s.goesTo("role:entry")
			s.goesTo("role:button")
			s.shows("role:statusbar", func(e *desktop.Element) { e.Name = "Sent" })
		}, []string{"click_element", "uncertain: this click was not reported"}, []string{"wait_for_element"}},
		{"a button that had the keyboard for long was not", func(s *stand) {
			s.goesTo("role:entry")
			s.goesTo("role:button")
			time.Sleep(effectTime)
			s.shows("role:statusbar", func(e *desktop.Element) { e.Name = "Sent" })
		}, nil, []string{"tool_name"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, _ := recordOn(t, func(s *stand) { s.input = deaf{} }, c.do)
			text := compiled(t, seen)
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("wanted %q in the workflow:\n%s", w, text)
				}
			}
			for _, l := range c.lack {
				if strings.Contains(strings.ReplaceAll(text, "change_window", ""), l) && l != "tool_name" || l == "tool_name" && strings.Count(text, l) > strings.Count(text, "change_window") {
					t.Errorf("did not want %q in the workflow:\n%s", l, text)
				}
			}
			if strings.Contains(log, secret) {
				t.Error("the log holds the password")
			}
		})
	}
}

// Where nothing of a person is told, a recording does not begin.
func TestRecordingNeedsAnEventSource(t *testing.T) {
	f := fake.New()
	defer f.Close()
	d := f.Desktop()
	d.Input = desktop.Unavailable{Err: desktop.ErrUnreported}
	if _, err := Start(t.Context(), d, Options{}); !errors.Is(err, desktop.ErrUnreported) {
		t.Errorf("got %v", err)
	}
}

// TestABarThatWouldNotHearIsNotShown asks for a bar where the mouse is not told.
func TestABarThatWouldNotHearIsNotShown(t *testing.T) {
	f := fake.New(fake.MustParse(login)...)
	defer f.Close()
	d := f.Desktop()
	d.Input = deaf{}
	s, err := Start(t.Context(), d, Options{Bar: true})
	if err != nil {
		t.Fatal(err)
	}
	if limits := s.Status().Limits; !slices.Contains(limits, "there is no bar: clicks on its buttons would not be reported") {
		t.Errorf("it says %q", limits)
	}
	if _, err := s.Stop(); err != nil {
		t.Error(err)
	}
}
