package compile

import (
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// compilation is the steps so far, the windows in which they act, and what concerns both
// keys and the pointer.
type compilation struct {
	steps      stepList
	windows    windows
	now        time.Time           // of the event that is handled
	unreported []desktop.InputType // input that is not reported
	clip       int                 // the number of what the clipboard holds
	copied     map[int]*step       // by the number of a text, the step that copied it last, or reads it
	dropDown   *step               // the click that opened a combo box, if it is the last step
	list       openList            // of the combo box that was clicked last
	textChange *recorder.Event     // a text that changed while the person was idle
	missed     string              // what happened since the last step for an unknown reason
}

// emit appends a step.
func (c *compilation) emit(s *step) {
	if s.begin.IsZero() {
		s.begin = c.now
	}
	if s.end.IsZero() {
		s.end = c.now
	}
	c.steps.dropIdleKeys()
	c.sayMissed(s)
	c.steps.dropScrolling(s)
	c.steps = append(c.steps, s)
	c.dropDown = nil
}

// act appends a step that acts in its window, which is activated first if necessary.
func (c *compilation) act(s *step) {
	c.switchTo(s.window)
	c.emit(s)
}
