package compile

import (
	"slices"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop/selector"
)

const (
	// MinIdle is how long a person does nothing before it counts as waiting.
	MinIdle = 3 * time.Second
	// minWait is what a workflow waits at least, where a person waited.
	minWait = 30 * time.Second
	// MaxWait is what it waits at most.
	MaxWait = 10 * time.Minute
)

// waitForNew makes a step of a person's wait for an element: nothing was done for a
// while, and then something with an element that had not been there before, in
// a window in which they had worked already.
func (c *Compiler) waitForNew(ev recorder.Event) {
	t, last := ev.Element, c.last()
	worked := t != nil && c.clickedIn[t.Window]
	if t != nil {
		c.clickedIn[t.Window] = true
	}
	if !worked || !t.New || last == nil || recorder.InMenu(t) || recorder.IsOption(t.Role) {
		return
	}
	waited := ev.Time.Sub(last.end)
	if waited < MinIdle {
		return
	}
	s := &step{kind: waitForElement, subject: "wait for " + nameOf(t), summary: "wait for " + describe(t), begin: last.end}
	s.setTarget(t)
	s.clearDoubts() // what follows says it
	s.set("timeout_ms", waitsFor(waited))
	c.textChange = nil
	c.emit(s)
}

// waitsFor is how many milliseconds a workflow waits, where a person waited.
func waitsFor(waited time.Duration) int64 {
	return min(max(2*waited, minWait), MaxWait).Round(time.Second).Milliseconds()
}

// waitForText makes a step of a person's wait for a text: nothing was done for
// a while, and then it had changed.
func (c *Compiler) waitForText() bool {
	ev, last := c.textChange, c.last()
	c.textChange = nil
	if ev == nil || last == nil || len(unique(ev.Element)) == 0 {
		return false
	}
	waited := ev.Time.Sub(last.end)
	if waited < MinIdle {
		return false
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
		s.set("text", plain(text))
	}
	s.clearDoubts() // what follows says it
	s.set("timeout_ms", waitsFor(waited))
	c.emit(s)
	return true
}
