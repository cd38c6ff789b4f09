package recorder

import "time"

const (
	// waitsFrom is how long a person does nothing before it counts as waiting.
	waitsFrom = 3 * time.Second
	// waitsLeast is what a workflow waits at least, where a person waited.
	waitsLeast = 30 * time.Second
	// waitsMost is what it waits at most.
	waitsMost = 10 * time.Minute
)

// waits makes a step of a person's wait for an element: nothing was done for a
// while, and then something with an element that had not been there before, in
// a window in which they had worked already.
func (c *compiler) waits(ev Event) {
	t, last := ev.Element, c.last()
	worked := t != nil && c.worked[t.Window]
	if t != nil {
		c.worked[t.Window] = true
	}
	if !worked || !t.New || last == nil || inMenu(t) || optional(t.Role) {
		return
	}
	waited := ev.Time.Sub(last.end)
	if waited < waitsFrom {
		return
	}
	s := &step{kind: "wait_for_element", subject: "wait for " + t.name(), says: "wait for " + t.words(), begin: last.end}
	s.aim(t)
	s.certain() // what follows says it
	s.set("timeout_ms", waitsFor(waited))
	c.news = nil
	c.emit(s)
}

// waitsFor is how many milliseconds a workflow waits, where a person waited.
func waitsFor(waited time.Duration) int64 {
	return min(max(2*waited, waitsLeast), waitsMost).Round(time.Second).Milliseconds()
}
