package watch

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

func TestKeysChangeStepsWhileTheyAreRecorded(t *testing.T) {
	for _, c := range []struct {
		say  string
		do   func(s *stand)
		want []string // in the workflow
		not  []string // neither there nor in what was kept
	}{
		{
			"the last step is taken back",
			func(s *stand) { s.clicks("role:button && name:OK"); s.clicks("role:entry"); s.press("ctrl+shift+f8") },
			[]string{"name:OK"},
			[]string{"f8"},
		},
		{
			"what is being typed is taken back whole",
			func(s *stand) {
				s.clicks("role:button && name:OK")
				s.clicks("role:entry")
				s.types("Ada", 0)
				s.press("ctrl+shift+f8")
			},
			[]string{"name:OK"},
			[]string{"type_into_element", "f8"},
		},
		{
			"a secret is forgotten, and hidden from then on",
			func(s *stand) {
				s.clicks("role:entry")
				s.types("hunter2", 50*time.Millisecond)
				s.press("ctrl+shift+f7")
				s.clicks("role:button && name:OK")
				s.clicks("role:entry")
				s.types("swordfish", 50*time.Millisecond)
				s.clicks("role:button && name:OK")
			},
			[]string{"secret: true", "inputs.name"},
			[]string{"hunter2", `"text":"h"`, "hunt", "swordfish", `"text":"w"`},
		},
		{
			"a check of a text",
			func(s *stand) {
				s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: s.Get(s.Find("role:button && name:OK")).Bounds.Center()})
				time.Sleep(200 * time.Millisecond)
				s.press("ctrl+shift+f10")
			},
			[]string{"condition: text", "text: OK"},
			nil,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, _ := record(t, c.do)
			text := compiled(t, seen)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("wanted %q in the workflow:\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text+log, not) {
					t.Errorf("%q is there:\n%s\n%s", not, text, log)
				}
			}
			read, err := recorder.ReadEvents(strings.NewReader(log))
			if err != nil {
				t.Fatal(err)
			}
			if again := compiled(t, read); again != text {
				t.Errorf("the log makes another workflow:\n%s\nthan what was seen:\n%s", again, text)
			}
		})
	}
}

// TestASecretIsNotShownLater makes a secret of a text that was read before, or that the
// program shows elsewhere afterwards.
func TestASecretIsNotShownLater(t *testing.T) {
	for _, c := range []struct {
		say, value string
		before     func(s *stand) // the command
		after      func(s *stand)
	}{
		{
			"the pointer rests on its field", "x1",
			func(s *stand) {
				s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: s.Get(s.Find("role:entry")).Bounds.Center()})
			},
			func(s *stand) { s.quickly(s.Get(s.Find("role:entry")).Bounds.Center()) },
		},
		{
			"the program greets with it", "hunter2",
			func(*stand) {},
			func(s *stand) {
				s.Set(s.Find("role:statusbar"), func(e *desktop.Element) { e.Name = "Hello hunter2" })
				s.clicks("role:statusbar")
			},
		},
		{
			"its field is named later", "x1",
			func(s *stand) {
				s.Delay("Tree", time.Minute)
				s.clicks("role:checkbox")
				s.clicks("role:entry")
			},
			func(s *stand) {
				s.Delay("Tree", 0)
				time.Sleep(5 * time.Second)
				s.clicks("role:entry")
				s.types("x2", 50*time.Millisecond)
			},
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			_, log, _ := record(t, func(s *stand) {
				s.clicks("role:entry")
				s.types(c.value, 50*time.Millisecond)
				time.Sleep(time.Second)
				c.before(s)
				time.Sleep(time.Second)
				s.press("ctrl+shift+f7")
				time.Sleep(time.Second)
				c.after(s)
				time.Sleep(time.Second)
			})
			if strings.Contains(log, c.value) || strings.Contains(log, "x2") {
				t.Errorf("%q is there:\n%s", c.value, log)
			}
		})
	}
}

func TestACommandThatFitsNothingSaysSo(t *testing.T) {
	for keys, want := range map[string]string{
		"ctrl+shift+f8": "there is no step yet",
		"ctrl+shift+f7": "there is no step yet",
	} {
		if _, _, told := record(t, func(s *stand) { s.press(keys) }); !slices.Contains(told, want) {
			t.Errorf("%s told %q, wanted %q", keys, told, want)
		}
	}
}

func TestStepsAreEditedWhenTheRecordingHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t}
		defer s.Close()
		session, err := Start(t.Context(), s.Desktop.Desktop(), Options{Keys: recorder.DefaultKeys()})
		if err != nil {
			t.Fatal(err)
		}
		s.clicks("role:entry")
		s.types("Ada", 0)
		s.clicks("role:button && name:OK")
		var stopping sync.WaitGroup
		stopping.Go(func() {
			if _, err := session.Stop(); err != nil {
				t.Error(err)
			}
		})
		<-session.Done()
		if err := session.Edit(recorder.Edit{Action: recorder.Annotate, Step: 1, Text: "at the same time"}); err != nil {
			t.Error(err)
		}
		stopping.Wait()
		if err := session.Edit(recorder.Edit{Action: recorder.MakeSecret, Step: 99}); err == nil {
			t.Error("an edit of step 99 succeeded")
		}
		n := len(session.Status().Steps)
		if err := session.Edit(recorder.Edit{Action: recorder.Rename, Step: n, Text: "Go on"}); err != nil {
			t.Error(err)
		}
		if text := compiled(t, session.Events()); !strings.Contains(text, "id: go_on") {
			t.Errorf("wanted the step's new name:\n%s", text)
		}
		if last := session.Status().Steps[n-1].Text; !strings.Contains(last, `called "Go on"`) {
			t.Errorf("the last step is told as %q, wanted its new name", last)
		}
	})
}
