package watch

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// TestATextThatAPersonWaitedForIsWaitedFor has a program that says how things
// stand while the person does nothing.
func TestATextThatAPersonWaitedForIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		say   string
		tells map[time.Duration]string
		sel   string
		after time.Duration // the person goes on
		want  string        // "": nothing is waited for
	}{
		{"a status that changed", map[time.Duration]string{100 * time.Millisecond: "Sending", 5 * time.Second: "All is sent"}, "role:statusbar", 7 * time.Second, "name:All is sent"},
		{"a label that changed", map[time.Duration]string{5 * time.Second: "Agreed"}, "role:label && name:Code:", 7 * time.Second, "Agreed"},
		{"one that did so at once", map[time.Duration]string{100 * time.Millisecond: "All is sent"}, "role:statusbar", 7 * time.Second, ""},
		{"one that nobody waited for", map[time.Duration]string{time.Second: "All is sent"}, "role:statusbar", 2 * time.Second, ""},
		{"one that is another tomorrow", map[time.Duration]string{5 * time.Second: "Sent at 12:04"}, "role:statusbar", 7 * time.Second, ""},
		{"one that counts", map[time.Duration]string{5 * time.Second: "37 of 40 files"}, "role:statusbar", 7 * time.Second, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, _, _ := record(t, func(s *stand) {
				status := s.Find(c.sel)
				s.clicks("role:checkbox")
				for after, text := range c.tells {
					s.After(after, func() {
						s.Set(status, func(e *desktop.Element) { e.Name = text })
					})
				}
				time.Sleep(c.after)
				s.clicks("role:button")
			})
			text := compiled(t, seen)
			_, waits, _ := strings.Cut(text, "tool_name: wait_for_element")
			if c.want == "" && waits != "" || c.want != "" && !strings.Contains(waits, c.want) {
				t.Errorf("wanted a wait for %q:\n%s", c.want, text)
			}
		})
	}
}
