package watch

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

// barOf is the bar of a recording as it is now.
func barOf(session *Session) (b bar) {
	_ = session.order(func(context.Context) error {
		b = *session.recording.bar
		return nil
	})
	return b
}

// presses clicks the button of a command on the bar.
func (s *stand) presses(session *Session, c recorder.Command) {
	b := barOf(session)
	for _, button := range b.buttons {
		if button.Command == c {
			middle := button.area.Min.Add(button.area.Size().Div(2))
			s.clicksAt(desktop.Point{X: b.at.X + middle.X, Y: b.at.Y + middle.Y})
		}
	}
}

func (s *stand) clicksAt(at desktop.Point) {
	s.drags(at, at)
}

func (s *stand) drags(from, to desktop.Point) {
	s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: from})
	time.Sleep(200 * time.Millisecond)
	s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: from, Button: desktop.Left})
	if to != from {
		s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: to})
	}
	s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: to, Button: desktop.Left})
	time.Sleep(200 * time.Millisecond)
}

// barred records what do does with a bar, and gives the workflow.
func barred(t *testing.T, do func(s *stand, session *Session)) (text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t}
		defer s.Close()
		session, err := Start(t.Context(), s.Desktop.Desktop(), Options{Keys: recorder.DefaultKeys(), Bar: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		do(s, session)
		time.Sleep(time.Second)
		seen, err := session.Stop()
		if err != nil {
			t.Fatal(err)
		}
		text = compiled(t, seen)
	})
	return text
}

func TestTheBarSteersAndIsNotRecorded(t *testing.T) {
	for _, c := range []struct {
		say       string
		do        func(s *stand, session *Session)
		want, not string
	}{
		{"a step is taken back", func(s *stand, session *Session) {
			s.clicks("role:button && name:OK")
			s.clicks("role:checkbox")
			s.presses(session, recorder.Undo)
		}, "name:OK", "name:Remember"},
		{"nothing is recorded while it pauses, and then it is", func(s *stand, session *Session) {
			s.presses(session, recorder.Pause)
			s.clicks("role:checkbox")
			s.presses(session, recorder.Pause)
			s.clicks("role:button && name:OK")
		}, "name:OK", "name:Remember"},
		{"what the pointer rests on is checked", func(s *stand, session *Session) {
			s.presses(session, recorder.CheckText)
			s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: s.Get(s.Find("role:button && name:OK")).Bounds.Center()})
			time.Sleep(2 * checkRest)
		}, "condition: text", "click_element"},
		{"it is dragged away, and works there", func(s *stand, session *Session) {
			s.clicks("role:checkbox")
			b := barOf(session)
			from := desktop.Point{X: b.at.X + barWidth - 5, Y: b.at.Y + 5}
			s.drags(from, desktop.Point{X: from.X - 300, Y: from.Y + 400})
			s.presses(session, recorder.Undo)
			s.clicks("role:button && name:OK")
		}, "name:OK", "name:Remember"},
		{"it stops the recording", func(s *stand, session *Session) {
			s.clicks("role:button && name:OK")
			s.presses(session, recorder.Stop)
			if !session.Status().Ended {
				t.Error("it goes on")
			}
		}, "name:OK", "click at"},
	} {
		t.Run(c.say, func(t *testing.T) {
			text := barred(t, c.do)
			if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
				t.Errorf("wanted %q and not %q in the workflow:\n%s", c.want, c.not, text)
			}
		})
	}
}

func TestTheBarGoesWithTheRecordingAndIsInNoPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t}
		defer s.Close()
		before, err := s.Capture(t.Context(), desktop.Rect{})
		if err != nil {
			t.Fatal(err)
		}
		session, err := Start(t.Context(), s.Desktop.Desktop(), Options{Bar: true, Pictures: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		with, err := s.Capture(t.Context(), desktop.Rect{})
		if err != nil || string(with.Pix) == string(before.Pix) {
			t.Errorf("the bar does not show: %v", err)
		}
		_ = session.order(func(ctx context.Context) error {
			r := session.recording
			if p, _ := r.capture(ctx, desktop.Point{X: r.bar.at.X + 3, Y: r.bar.at.Y + 3}, nil); p != nil {
				t.Error("there is a picture of the bar")
			}
			return nil
		})
		if _, err := session.Stop(); err != nil {
			t.Fatal(err)
		}
		after, err := s.Capture(t.Context(), desktop.Rect{})
		if err != nil || string(after.Pix) != string(before.Pix) {
			t.Errorf("the bar is left behind: %v", err)
		}
	})
}
