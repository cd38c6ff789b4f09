package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

// session records on a fake desktop while f does something.
func session(t *testing.T, f func(ctx context.Context, s *Session, p *stand)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t}
		defer p.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s, err := Start(ctx, p.Desktop.Desktop(), Options{Keys: recorder.DefaultKeys()})
		if err != nil {
			t.Fatal(err)
		}
		f(ctx, s, p)
		if _, err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestASessionReportsItsProgress(t *testing.T) {
	session(t, func(_ context.Context, s *Session, p *stand) {
		began := time.Now()
		p.clicks("role:checkbox")
		time.Sleep(time.Second) // what it shows is read twice
		want := recorder.Status{Began: began, Events: 4, Steps: []recorder.Line{{Step: 1, Text: `switch to "Login"`}, {Step: 2, Text: `turn on checkbox "Remember"`}}}
		if diff := cmp.Diff(want, s.Status()); diff != "" {
			t.Errorf("after a click (-want +got):\n%s", diff)
		}
		p.press("ctrl+shift+f11")
		synctest.Wait()
		if !s.Status().Paused {
			t.Error("it does not say that it pauses")
		}
		p.press("ctrl+shift+f11")
		p.clicks("role:button")
		p.press("ctrl+shift+f12")
		<-s.Done()
		if st := s.Status(); st.Paused || !st.Ended || len(st.Steps) != 3 {
			t.Errorf("after the stop key it says %+v", st)
		}
		seen, err := s.Stop()
		again, errAgain := s.Stop()
		if err != nil || errAgain != nil || len(seen) == 0 || len(seen) != len(again) {
			t.Errorf("stopped twice it gave %d events, %v, and %d events, %v", len(seen), err, len(again), errAgain)
		}
	})
}

func TestAStepIsReportedAsSoonAsTheButtonIsUp(t *testing.T) {
	session(t, func(_ context.Context, s *Session, p *stand) {
		at := p.Get(p.Find("role:checkbox")).Bounds.Center()
		p.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left})
		p.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
		synctest.Wait() // without the clock going on
		if n := len(s.Status().Steps); n != 2 {
			t.Errorf("%d steps are told, want 2", n)
		}
	})
}

func TestASessionEndsWithItsContextAndWithTheDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("the display is lost")
		p := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t}
		defer p.Close()
		p.Fail("Watch", lost, 1)
		if _, err := Start(t.Context(), p.Desktop.Desktop(), Options{}); !errors.Is(err, lost) {
			t.Errorf("without a display it began: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s, err := Start(ctx, p.Desktop.Desktop(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.clicks("role:button")
		cancel()
		if seen, err := s.Wait(); err != nil || len(seen) < 3 {
			t.Errorf("when its context ended it gave %d events and %v", len(seen), err)
		}
	})
}
