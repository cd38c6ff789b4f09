package recorder

import (
	"fmt"
	"time"
)

// Status is how far a recording is.
type Status struct {
	Began  time.Time
	Events int    // how many were kept
	Steps  []Line // what was understood, in the order of the workflow
	Paused bool
	// Pending says that something was seen which is not understood yet.
	Pending bool
	Ended   bool
	// Limits say what is not heard.
	Limits []string
}

// Line says in a few words what a step of the recording is. A line with the
// number of an earlier one takes its place: a click became a double click.
type Line struct {
	Step int    `json:"step"` // from 1; 0: it is no step, but says that the recording pauses or goes on
	Text string `json:"text"`
}

func (l Line) String() string {
	if l.Step == 0 {
		return l.Text
	}
	return fmt.Sprintf("%3d  %s", l.Step, l.Text)
}
