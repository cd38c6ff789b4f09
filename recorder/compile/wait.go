package compile

import (
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

const (
	// MinIdle is the shortest idle time that counts as waiting.
	MinIdle = 3 * time.Second
	// minWait is the least timeout of a wait.
	minWait = 30 * time.Second
	// MaxWait is the largest timeout of a wait.
	MaxWait = 10 * time.Minute
)

// waitsFor returns the timeout of a wait in milliseconds, given how long the person waited.
func waitsFor(waited time.Duration) int64 {
	return min(max(patience*waited, minWait), MaxWait).Round(time.Second).Milliseconds()
}

// waitForText makes a step that waits for a text that changed while the person was idle.
func (c *compilation) waitForText() {
	ev, last := c.textChange, c.steps.last()
	c.textChange = nil
	if ev == nil || last == nil || ev.Element == nil || isBlank(ev.Value) || len(unique(ev.Element)) == 0 {
		return
	}
	waited := ev.Time.Sub(last.end)
	if waited < MinIdle {
		return
	}
	text := *ev.Value
	s := &step{kind: waitForElement, subject: "wait for " + text, summary: "wait for " + quoteShort(text), begin: last.end, end: ev.Time}
	t := *ev.Element
	byText := func(k selector.Candidate) bool { return strings.Contains(k.Selector, text) }
	if others := slices.DeleteFunc(slices.Clone(t.Selectors), byText); len(unique(&recorder.Seen{Selectors: others})) > 0 && !recorder.Positional(unique(&recorder.Seen{Selectors: others})[0]) {
		t.Selectors = others
	}
	s.setTarget(&t)
	if !strings.Contains(unique(&t)[0], text) {
		s.set("condition", "text")
		s.set("text", text)
	}
	s.clearDoubts() // the next step has them
	s.set("timeout_ms", waitsFor(waited))
	c.emit(s)
}
