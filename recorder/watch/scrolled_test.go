package watch

import (
	"strings"
	"testing"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

// TestOnlyWhatScrollingMadeNeedsIt scrolls to an element, which was there before and
// hidden, or is made by the scrolling.
func TestOnlyWhatScrollingMadeNeedsIt(t *testing.T) {
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
