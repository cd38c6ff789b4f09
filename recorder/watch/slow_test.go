package watch

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// TestASlowApplicationLosesNoText types while the application does not say in
// time what has the keyboard, as on a machine with too much to do.
func TestASlowApplicationLosesNoText(t *testing.T) {
	for _, c := range []struct {
		say  string
		lags func(s *stand)
	}{
		{"for some keys", func(s *stand) { s.Fail("SaveFocus", context.DeadlineExceeded, 8) }},
		{"for a second", func(s *stand) {
			s.Delay("SaveFocus", time.Minute)
			s.After(time.Second, func() { s.Delay("SaveFocus", 0) })
		}},
		{"until the person goes on", func(s *stand) {
			s.Delay("SaveFocus", time.Minute)
			s.After(3*time.Second, func() { s.Delay("SaveFocus", 0) })
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, _ := record(t, func(s *stand) {
				s.clicks("role:entry")
				s.types("Ada", 100*time.Millisecond)
				c.lags(s)
				s.types(" and others", 100*time.Millisecond)
				s.clicks("role:checkbox")
				time.Sleep(5 * time.Second)
			})
			if strings.Contains(log, "hidden") {
				t.Errorf("something counts as hidden:\n%s", log)
			}
			if text := compiled(t, seen); !strings.Contains(text, "default: Ada and others}") || strings.Count(text, "type_into_element") != 1 {
				t.Errorf("the workflow is:\n%s", text)
			}
		})
	}
}

// TestTextThatWaitsForAnAnswerIsNotWrittenBeforeIt types into a field that the
// program leaves for one of a password, and answers late.
func TestTextThatWaitsForAnAnswerIsNotWrittenBeforeIt(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	for _, late := range []time.Duration{100 * time.Millisecond, time.Second, time.Minute} {
		_, log, _ := record(t, func(s *stand) {
			s.clicks("role:entry")
			s.types("Ada", 100*time.Millisecond)
			s.Delay("SaveFocus", time.Hour)
			_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find("role:password")).Handle})
			s.After(late, func() { s.Delay("SaveFocus", 0) })
			s.types(secret, 50*time.Millisecond)
			time.Sleep(20 * time.Second)
		})
		for i := range len(secret) - 2 {
			if strings.Contains(typedIn(log), secret[i:i+3]) {
				t.Errorf("answered after %s the recording holds %q:\n%s", late, secret[i:i+3], log)
			}
		}
	}
}

// TestKeysDoNotWaitForAnAnswerOfNoUse goes on to the next field while the program
// does not say whether the first one has the keyboard, which it surely had.
func TestKeysDoNotWaitForAnAnswerOfNoUse(t *testing.T) {
	record(t, func(s *stand) {
		s.clicks("role:entry")
		time.Sleep(2 * time.Second)
		s.Delay("SaveFocus", time.Minute)
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "7", Text: "7"})
		time.Sleep(focusTimeout / 4)
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "tab"})
		time.Sleep(focusTimeout / 4)
		if log, err := os.ReadFile(s.path); err != nil || typedIn(string(log)) != "7" {
			t.Errorf("%v; it is not written yet what was typed:\n%s", err, log)
		}
	})
}

// typedIn is the text of all keys of a log, one after the other.
func typedIn(log string) string {
	events, _ := recorder.ReadEvents(strings.NewReader(log))
	var b strings.Builder
	for _, ev := range events {
		b.WriteString(ev.Text)
	}
	return b.String()
}

// TestAnElementIsNamedWhenThereIsTime has an application that does not say in
// time what else it shows, such as a dialog that is still being built.
func TestAnElementIsNamedWhenThereIsTime(t *testing.T) {
	seen, log, told := record(t, func(s *stand) {
		s.Delay("Tree", time.Minute)
		s.After(2*time.Second, func() { s.Delay("Tree", 0) })
		s.clicks("role:entry")
		s.types("Ada", 30*time.Millisecond)
		s.clicks("role:button")
		time.Sleep(5 * time.Second)
	})
	text := compiled(t, seen)
	if strings.Contains(text, "uncertain") || !strings.Contains(text, "rightof") {
		t.Errorf("the workflow is:\n%s\nit was told so: %v", text, told)
	}
	read, err := recorder.ReadEvents(strings.NewReader(log))
	if err != nil || compiled(t, read) != text {
		t.Errorf("compiled of the log it is another: %v\n%s", err, compiled(t, read))
	}
}

// boxIsOn records what is done to a box, which is on in the end.
func boxIsOn(t *testing.T, do func(s *stand, at desktop.Point)) {
	t.Helper()
	seen, _, told := record(t, func(s *stand) { do(s, s.Get(s.Find("role:checkbox")).Bounds.Center()) })
	if text := compiled(t, seen); !strings.Contains(text, "state: true") || strings.Contains(text, "state: false") {
		t.Errorf("the box is on in the end, and the workflow is:\n%s\nit was told so: %v", text, told)
	}
}

// quickly is the input of a quick hand.
func (s *stand) quickly(at desktop.Point) {
	s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
	s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left})
	s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
}

// heardLate is the input of a click that was some time ago.
func (s *stand) heardLate(at desktop.Point, pressed time.Time) {
	s.Emit(
		desktop.InputEvent{Type: desktop.ButtonPress, Time: pressed, At: at, Button: desktop.Left},
		desktop.InputEvent{Type: desktop.ButtonRelease, Time: pressed.Add(time.Millisecond), At: at, Button: desktop.Left},
	)
}

// TestABoxThatChangedBeforeItWasLookedAt is clicked by a quick hand, or on a slow
// machine: when the press is understood, the box shows what the click did.
func TestABoxThatChangedBeforeItWasLookedAt(t *testing.T) {
	boxIsOn(t, func(s *stand, at desktop.Point) {
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		s.quickly(at)
		time.Sleep(2 * time.Second)
	})
}

// TestACheckBoxThatChangesBeforeItsPressIsReported rests the pointer on a box, is
// looked at slowly, and hears of the press when that is over.
func TestACheckBoxThatChangesBeforeItsPressIsReported(t *testing.T) {
	boxIsOn(t, func(s *stand, at desktop.Point) {
		s.Delay("ElementAt", 200*time.Millisecond)
		s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
		time.Sleep(restDelay + 100*time.Millisecond)
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		pressed := time.Now()
		time.Sleep(time.Second)
		s.heardLate(at, pressed)
		time.Sleep(2 * time.Second)
	})
}

// TestACheckBoxFocusedBeforeItsPressIsReported is clicked, which gives it the
// keyboard; that is heard of first, and looked at.
func TestACheckBoxFocusedBeforeItsPressIsReported(t *testing.T) {
	boxIsOn(t, func(s *stand, at desktop.Point) {
		pressed := time.Now()
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		s.press("f5") // of which nothing comes, but that it is looked where it goes
		time.Sleep(time.Second)
		s.heardLate(at, pressed)
		time.Sleep(2 * time.Second)
	})
}

// TestABoxThatChangesLate is clicked by a quick hand in a program that has much to
// do, and changes after it was read for the last time, before it is listened to.
func TestABoxThatChangesLate(t *testing.T) {
	boxIsOn(t, func(s *stand, at desktop.Point) {
		s.Delay("WatchElement", 3*time.Second)
		s.quickly(at)
		time.Sleep(2 * time.Second)
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		time.Sleep(2 * time.Second)
	})
}

// TestABoxThatIsNotReadInTime is clicked by a quick hand in a program that does not
// say for some seconds what the box shows, nor when it changes.
func TestABoxThatIsNotReadInTime(t *testing.T) {
	boxIsOn(t, func(s *stand, at desktop.Point) {
		s.Fail("WatchElement", desktop.ErrUnresponsive, -1)
		s.Delay("Refresh", time.Minute)
		s.After(3*time.Second, func() { s.Delay("Refresh", 0) })
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		s.quickly(at)
		time.Sleep(5 * time.Second)
	})
}

// TestAButtonThatIsGoneBeforeItWasLookedAt closes its window at once.
func TestAButtonThatIsGoneBeforeItWasLookedAt(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		time.Sleep(2 * time.Second)
		at := s.Get(s.Find("role:button")).Bounds.Center()
		s.Fail("ElementAt", desktop.ErrNotFound, -1)
		s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left})
		s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
		time.Sleep(time.Second)
	})
	if text := compiled(t, seen); !strings.Contains(text, "role:button && name:OK") || strings.Contains(text, "uncertain") {
		t.Errorf("the workflow is:\n%s", text)
	}
}
