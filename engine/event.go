package engine

import (
	"encoding/json"
	"fmt"
	"time"
)

func (e *StaleError) Error() string {
	return fmt.Sprintf("run %s is at attempt %d with %d events, not at attempt %d with %d: another process continued it",
		e.Run, e.Attempt, e.Seq, e.WantAttempt, e.WantSeq)
}

// Event is a stored fact about a run. Events are appended, never changed.
type Event struct {
	Seq     uint64          `json:"seq"` // 1 for the first
	Attempt int             `json:"attempt"`
	At      time.Time       `json:"at"`
	Type    EventType       `json:"type"`
	Path    string          `json:"path,omitempty"` // of the step it is about
	Data    json.RawMessage `json:"data,omitempty"`

	fact any // the data before it was encoded, in the process that made it
}

// EventType is the sort of an event.
type EventType string

// Question is what a waiting run wants to know.
type Question struct {
	Sort    string         `json:"sort"`         // ask_user, secret or doubt
	ID      string         `json:"id,omitempty"` // the step, when it has one
	Step    string         `json:"step"`
	Index   int            `json:"index"` // of the step in its list
	Text    string         `json:"text"`
	Choices []string       `json:"choices,omitempty"`
	Context string         `json:"context,omitempty"`
	Fields  map[string]any `json:"fields,omitempty"` // several values: a name and a schema each
}
