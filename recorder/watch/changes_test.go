package watch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// fills has the program change what a field shows, as no key does.
func (s *stand) fills(sel, text string) {
	s.Set(s.Find(sel), func(e *desktop.Element) { e.Text = text })
}

// TestAValueIsThatAfterTheLastChange has a program go on with a field long after
// the last key.
func TestAValueIsThatAfterTheLastChange(t *testing.T) {
	for _, c := range []struct {
		say string
		do  func(s *stand)
	}{
		{"it completes what was typed", func(s *stand) { s.fills("role:entry", "Valparaiso") }},
		{"in several steps", func(s *stand) {
			for _, text := range []string{"Valp", "Valpo", "Valparaiso"} {
				s.fills("role:entry", text)
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{"and the person goes on at once", func(s *stand) {
			s.fills("role:entry", "Valparaiso")
			s.press("tab")
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, _, _ := record(t, func(s *stand) {
				s.clicks("role:entry")
				s.types("Val", 30*time.Millisecond)
				time.Sleep(10 * time.Second)
				c.do(s)
				time.Sleep(time.Second)
				s.clicks("role:button")
			})
			if text := compiled(t, seen); !strings.Contains(text, "default: Valparaiso}") || strings.Count(text, "type_into_element") != 1 {
				t.Errorf("the workflow is:\n%s", text)
			}
		})
	}
}

// TestAFieldIsKnownBeforeTheFirstKey has the program move the keyboard, tell so,
// and not answer for a while when it is asked.
func TestAFieldIsKnownBeforeTheFirstKey(t *testing.T) {
	seen, log, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find("role:entry")).Handle})
		time.Sleep(200 * time.Millisecond)
		s.Delay("SaveFocus", time.Minute)
		s.After(2*time.Second, func() { s.Delay("SaveFocus", 0) })
		s.types("Ada", 100*time.Millisecond)
		time.Sleep(4 * time.Second)
	})
	if strings.Contains(log, "hidden") {
		t.Errorf("something counts as hidden:\n%s", log)
	}
	if text := compiled(t, seen); !strings.Contains(text, "default: Ada}") || strings.Contains(text, "uncertain") {
		t.Errorf("the workflow is:\n%s", text)
	}
}

// TestToolkitsWithoutEventsArePolled works with a toolkit that tells nothing by itself.
func TestToolkitsWithoutEventsArePolled(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.Fail("WatchFocus", desktop.ErrUnavailable, -1)
		s.Fail("WatchElement", desktop.ErrUnavailable, -1)
		s.clicks("role:entry")
		s.types("Val", 30*time.Millisecond)
		s.fills("role:entry", "Valparaiso")
		time.Sleep(time.Second)
		s.clicks("role:button")
	})
	if text := compiled(t, seen); !strings.Contains(text, "default: Valparaiso}") {
		t.Errorf("the workflow is:\n%s", text)
	}
}

func TestAPasswordFieldIsNotListenedTo(t *testing.T) {
	record(t, func(s *stand) {
		s.clicks("role:password")
		s.types("hQ7#kZ9!x", 50*time.Millisecond)
		time.Sleep(time.Second)
		if n := s.Calls("WatchElement"); n != 0 {
			t.Errorf("elements were listened to %d times", n)
		}
		s.clicks("role:entry")
		if n := s.Calls("WatchElement"); n != 1 {
			t.Errorf("then the other field was listened to %d times, want once", n)
		}
	})
}

// TestAFieldThatFloodsIsReadSeldom has a field change a thousand times a second.
func TestAFieldThatFloodsIsReadSeldom(t *testing.T) {
	const changes, most = 10_000, 60
	seen, log, _ := record(t, func(s *stand) {
		s.clicks("role:entry")
		s.types("x", 30*time.Millisecond)
		before := s.Calls("Refresh")
		for i := range changes {
			s.fills("role:entry", fmt.Sprintf("line %d", i))
			time.Sleep(time.Millisecond)
		}
		if n := s.Calls("Refresh") - before; n > most {
			t.Errorf("it was read %d times in ten seconds, want at most %d", n, most)
		}
		time.Sleep(2 * time.Second)
		s.clicks("role:checkbox")
	})
	if n := strings.Count(log, `"held"`); n > most {
		t.Errorf("%d values were written", n)
	}
	if text := compiled(t, seen); !strings.Contains(text, fmt.Sprintf("default: line %d}", changes-1)) || !strings.Contains(text, "set_selected") {
		t.Errorf("the workflow is:\n%s", text)
	}
}
