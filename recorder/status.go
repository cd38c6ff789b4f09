package recorder

import (
	"fmt"
	"time"
)

// Status is the state of a recording.
type Status struct {
	Began  time.Time
	Events int    // how many were recorded
	Steps  []Line // the steps so far, in the order of the workflow
	Paused bool
	// Pending: some input is not compiled yet.
	Pending bool
	Ended   bool
	// Limits describe the input that is not reported.
	Limits []string
}

// Line describes a step of the recording in a few words. A line with the number of an
// earlier one replaces it: a click became a double click.
type Line struct {
	Step int    `json:"step"` // from 1; 0: it is a message and no step
	Text string `json:"text"`
}

func (l Line) String() string {
	if l.Step == 0 {
		return l.Text
	}
	return fmt.Sprintf("%3d  %s", l.Step, l.Text)
}
