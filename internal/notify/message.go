package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/inbox"
	"understudy/internal/schedules"
	"understudy/internal/words"
)

// A Message is what somebody is told of the runs with one cause.
type Message struct {
	Occasion Occasion          `json:"event"`
	Cause    string            `json:"cause"` // as in the inbox
	Workflow string            `json:"workflow,omitempty"`
	Schedule string            `json:"schedule,omitempty"`
	Step     string            `json:"step,omitempty"`
	Code     string            `json:"code,omitempty"`
	Blocker  string            `json:"blocker,omitempty"`
	Text     string            `json:"text"`
	Outcome  engine.Conclusion `json:"outcome,omitzero"`
	Count    int               `json:"count"`
	Runs     []string          `json:"runs"` // the first ones
	Address  string            `json:"address,omitempty"`
	At       time.Time         `json:"at"`
	Picture  []byte            `json:"picture,omitempty"` // PNG, of the first of Runs

	names []string // of receivers, from the workflow
}

// mostRuns bounds the runs that a message names.
const mostRuns = 20

// of returns what is told of a run.
func of(e Occasion, h engine.Header) Message {
	c := inbox.Of(h)
	m := Message{
		Occasion: e, Cause: c.ID, Workflow: cmp.Or(h.Workflow, "(no name)"), Schedule: h.Schedule, Step: c.Step, Code: c.Code, Blocker: c.Blocker,
		Text: c.Text, Outcome: h.Conclusion(), Count: 1, Runs: []string{h.ID}, At: h.UpdatedAt,
	}
	if e == Recovered {
		m.Text = "succeeded again"
	}
	if h.Notify != "" {
		m.names = []string{h.Notify}
	}
	return m
}

// ofNote returns what is told of a run that a schedule did not begin.
func ofNote(x schedules.Entry, n schedules.Note) Message {
	c := inbox.OfNote(x, n)
	return Message{Occasion: Missed, Cause: c.ID, Workflow: x.Workflow, Schedule: x.Name, Step: c.Step, Text: c.Text, Count: 1, Runs: []string{}, At: n.At}
}

// key distinguishes the messages to one receiver.
func (m Message) key() string { return string(m.Occasion) + " " + m.Cause }

// and adds a later run with the same cause.
func (m Message) and(later Message) Message {
	m.Count += later.Count
	m.Runs = append(m.Runs, later.Runs...)
	m.Runs = m.Runs[:min(len(m.Runs), mostRuns)]
	m.At = later.At
	return m
}

// widest bounds the texts of a message.
const widest = 300

func line(text string) string { return words.Shorten(words.Line(text), widest) }

// Subject says in one line what it is about.
func (m Message) Subject() string {
	text := fmt.Sprintf("%s: %s", m.Occasion, line(m.Workflow))
	if m.Step != "" {
		text += " at " + line(m.Step)
	}
	things := "runs"
	if m.Occasion == Missed {
		things = "times"
	}
	if m.Count > 1 {
		text += fmt.Sprintf(" (%d %s)", m.Count, things)
	}
	return text
}

// Body says it in full.
func (m Message) Body() string {
	lines := []string{line(m.Text)}
	if m.Code != "" {
		lines[0] = m.Code + ": " + lines[0]
	}
	if m.Blocker != "" {
		lines = append(lines, "In the way: "+line(m.Blocker))
	}
	if m.Outcome.Outcome != "" {
		lines = append(lines, "Outcome: "+line(m.Outcome.String()))
	}
	for _, r := range m.Runs {
		if m.Address != "" {
			r = strings.TrimSuffix(m.Address, "/") + "/runs/" + r
		}
		lines = append(lines, r)
	}
	if m.Occasion == Missed && m.Address != "" {
		lines = append(lines, strings.TrimSuffix(m.Address, "/")+"/inbox")
	}
	if more := m.Count - len(m.Runs); more > 0 && m.Occasion != Missed {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n") + "\n"
}
