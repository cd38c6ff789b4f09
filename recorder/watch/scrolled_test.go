package watch

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

// TestScrollStepIsKeptOnlyForElementsItCreated scrolls to an element, which was there before and
// hidden, or is made by the scrolling.
func TestScrollStepIsKeptOnlyForElementsItCreated(t *testing.T) {
	for _, c := range []struct {
		say     string
		hidden  bool
		scrolls int
	}{
		{"it was hidden", true, 0},
		{"it was made", false, 1},
	} {
		t.Run(c.say, func(t *testing.T) {
			far := func() *fake.Node { return fake.MustParse(`- button "Far" [at=10,200,80,24]`)[0] }
			seen, _, told := recordOn(t, func(s *stand) {
				if c.hidden {
					s.Add(s.Find("role:frame"), far().Without(desktop.Showing))
				}
			}, func(s *stand) {
				s.clicks("role:entry")
				s.emit(desktop.InputEvent{Type: desktop.WheelTurn, DY: 1, At: desktop.Point{X: 50, Y: 300}})
				time.Sleep(time.Second)
				if c.hidden {
					s.Set(s.Find("name:Far"), func(e *desktop.Element) { e.States |= desktop.Showing })
				} else {
					s.Add(s.Find("role:frame"), far())
				}
				s.clicks("name:Far")
			})
			if text := compiled(t, seen); strings.Count(text, "tool_name: scroll") != c.scrolls {
				t.Errorf("want %d steps that scroll, the workflow is:\n%s\nit was told so: %v", c.scrolls, text, told)
			}
		})
	}
}

// TestAPressAfterScrollingIsOnWhatIsThereThen scrolls below the pointer, and clicks without
// moving it, at once or later.
func TestAPressAfterScrollingIsOnWhatIsThereThen(t *testing.T) {
	for _, rest := range []time.Duration{50 * time.Millisecond, time.Second} {
		seen, _, _ := record(t, func(s *stand) {
			box, button := s.Get(s.Find("role:checkbox")).Bounds, s.Get(s.Find("role:button")).Bounds
			at := desktop.Point{X: button.Center().X, Y: box.Center().Y}
			s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
			time.Sleep(time.Second)
			for range 3 {
				s.emit(desktop.InputEvent{Type: desktop.WheelTurn, DY: 1, At: at})
				time.Sleep(100 * time.Millisecond)
				for _, sel := range []string{"role:checkbox", "role:button"} {
					s.Set(s.Find(sel), func(e *desktop.Element) { e.Bounds.Y -= (button.Y - box.Y) / 3 })
				}
			}
			time.Sleep(rest)
			s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left})
			s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
		})
		if text := compiled(t, seen); !strings.Contains(text, "role:button && name:OK") || strings.Contains(text, "set_selected") {
			t.Errorf("clicked %s after scrolling, the workflow is:\n%s", rest, text)
		}
		turned := map[string]bool{}
		for _, ev := range seen {
			if ev.Type == recorder.Turned {
				turned[ev.Element.Name] = true
			}
		}
		if len(turned) != 1 {
			t.Errorf("the wheel was turned over one element, and recorded were %v", turned)
		}
	}
}

// TestATextThatScrollingBringsIsNotWaitedFor scrolls, which shows another text, and clicks
// some time later.
func TestATextThatScrollingBringsIsNotWaitedFor(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		time.Sleep(3 * time.Second)
		s.emit(desktop.InputEvent{Type: desktop.WheelTurn, DY: 1, At: desktop.Point{X: 50, Y: 300}})
		s.Set(s.Find("role:statusbar"), func(e *desktop.Element) { e.Name = "Last page" })
		time.Sleep(8 * time.Second)
		s.clicks("role:button")
	})
	if text := compiled(t, seen); strings.Contains(text, "wait_for_element") {
		t.Errorf("the workflow is:\n%s", text)
	}
}

// TestElementsFromBeforeAScrollAreNotReused scrolls and clicks, and the program does not say
// in time what is there.
func TestElementsFromBeforeAScrollAreNotReused(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		at := s.Get(s.Find("role:button")).Bounds.Center()
		s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
		time.Sleep(time.Second)
		s.emit(desktop.InputEvent{Type: desktop.WheelTurn, DY: 1, At: at})
		s.Fail("ElementAt", desktop.ErrNotFound, -1)
		s.quickly(at)
		time.Sleep(time.Second)
	})
	for _, ev := range seen {
		if ev.Type == recorder.Pressed && ev.Element != nil {
			t.Errorf("pressed was %+v", ev.Element)
		}
	}
}
