// Package schedules begins runs by themselves: at the times of a cron expression,
// when a program calls a webhook, and when a file arrives in a folder.
//
// Everything that begins a run is a firing, and the id of its run is made of what
// it is: of the schedule and the tick, or the message, or the file. However many
// servers try, and however often, a store makes a run of an id once. So nothing
// here needs a leader, and what was cut short is simply tried again.
//
// It does not know who may do what, and starts no run itself: whoever uses it
// brings that along.
package schedules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/steps"
)

// A Schedule says when a saved workflow is run. Of Cron, Files and Hook it has one.
type Schedule struct {
	Name     string         `json:"name"`
	Workflow string         `json:"workflow"`
	Inputs   map[string]any `json:"inputs,omitempty"`

	Cron    string            `json:"cron,omitempty"`
	Zone    string            `json:"zone,omitempty"` // of the cron expression
	CatchUp CatchUp           `json:"catch_up,omitempty"`
	Jitter  operations.Period `json:"jitter,omitzero"`
	Files   string            `json:"files,omitempty"` // a folder and a pattern for names in it
	Hook    bool              `json:"hook,omitempty"`
	Secret  string            `json:"secret,omitempty"` // with which the messages of a webhook are signed

	Overlap Overlap `json:"overlap"`
	Paused  bool    `json:"paused,omitempty"`

	// Owner is the credential that made it; empty: the person at the machine. Its
	// runs may do what that may do by now, within what it could when it made this.
	Owner  string          `json:"owner,omitempty"`
	Client string          `json:"client"`
	Rights json.RawMessage `json:"rights,omitempty"`

	// In a fleet: what a worker must have, the workflow as it was kept, for other
	// servers may have none or another of its name, and the server that alone sees to
	// it; empty: each does.
	Needs  []string       `json:"needs,omitempty"`
	Bundle *engine.Bundle `json:"bundle,omitempty"`
	Server string         `json:"server,omitempty"`

	// MadeAt tells it from an earlier one of its name.
	MadeAt time.Time `json:"made_at"`
}

// Overlap says what becomes of a firing while a run of the schedule is under way.
type Overlap string

// What can become of it.
const (
	Skip  Overlap = "skip"  // it begins none
	Queue Overlap = "queue" // its run begins after the other
	Allow Overlap = "allow" // its run begins beside the other
)

// CatchUp says which of the ticks count that passed while no server was there.
type CatchUp string

// Which of them count.
const (
	None CatchUp = "none"
	Last CatchUp = "last"
	All  CatchUp = "all" // the last 100 of them
)

// A Firing is one reason to begin a run.
type Firing struct {
	Run    string         `json:"run"`              // the id that its run gets
	At     time.Time      `json:"at"`               // of the tick, the message, the arrival
	Due    time.Time      `json:"due"`              // when the run begins at the earliest
	Inputs map[string]any `json:"inputs,omitempty"` // beside those of the schedule
}

// A Note tells of a firing that began no run.
type Note struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// State is what is known of the firings of a schedule.
type State struct {
	// Considered is the time up to which ticks have become firings.
	Considered time.Time `json:"considered"`
	// Pending are the firings whose runs have not begun, the oldest first.
	Pending []Firing `json:"pending,omitempty"`
	// Heard are the runs of the messages that came lately, with the times of these.
	Heard map[string]time.Time `json:"heard,omitempty"`
	// Seen are the files that have become firings, or were there before.
	Seen  map[string]string `json:"seen,omitempty"`
	Notes []Note            `json:"notes,omitempty"`
}

// How much is kept of a schedule. Firings beyond are refused, older notes dropped.
const (
	mostPending = 100
	mostNotes   = 50
)

func (s *State) note(now time.Time, format string, args ...any) {
	s.Notes = append(s.Notes, Note{now.UTC().Truncate(time.Second), fmt.Sprintf(format, args...)})
	s.Notes = s.Notes[max(0, len(s.Notes)-mostNotes):]
}

// add makes a firing pending, unless too many are.
func (s *State) add(now time.Time, f Firing) {
	if len(s.Pending) >= mostPending {
		s.note(now, "dropped: %d firings wait already", mostPending)
		return
	}
	s.Pending = append(s.Pending, f)
}

func (s *State) drop(run string) {
	s.Pending = slices.DeleteFunc(s.Pending, func(f Firing) bool { return f.Run == run })
}

// An Entry is a schedule with its state.
type Entry struct {
	Schedule
	State State `json:"state"`
}

// firing is one of the schedule at a time, told from others by words.
func (e *Entry) firing(at time.Time, words ...string) Firing {
	at = at.UTC()
	seed := append([]string{"schedule", e.Name, e.MadeAt.UTC().Format(time.RFC3339Nano)}, words...)
	return Firing{Run: engine.KeyAt(at, seed...), At: at, Due: at}
}

// When says in one line when it fires.
func (s Schedule) When() string {
	switch {
	case s.Hook:
		return "POST " + HookPath + s.Name
	case s.Files != "":
		return "files " + s.Files
	}
	return s.Cron + " " + s.Zone
}

// HookPath begins the addresses of webhooks.
const HookPath = "/hooks/"

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// check completes a schedule, or says what is wrong with it.
func (s *Schedule) check() error {
	if !validName.MatchString(s.Name) {
		return steps.Errorf(steps.Invalid, "%q cannot name a schedule: wanted small letters, digits, - and _, at most 63", s.Name)
	}
	kinds := 0
	for _, given := range []bool{s.Cron != "", s.Files != "", s.Hook} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return steps.Errorf(steps.Invalid, "schedule %s: wanted one of cron, files and hook, found %d of them", s.Name, kinds)
	}
	if s.Overlap == "" {
		s.Overlap = Skip
		if s.Cron == "" {
			s.Overlap = Queue
		}
	}
	if !slices.Contains([]Overlap{Skip, Queue, Allow}, s.Overlap) {
		return steps.Errorf(steps.Invalid, "overlap %q: wanted skip, queue or allow", s.Overlap)
	}
	if s.Cron == "" && (s.Zone != "" || s.CatchUp != "" || s.Jitter != 0) {
		return steps.Errorf(steps.Invalid, "zone, catch_up and jitter belong to cron")
	}
	switch {
	case s.Cron != "":
		return s.checkCron()
	case s.Files != "":
		return s.checkFiles()
	}
	return nil
}

func (s *Schedule) checkCron() error {
	s.CatchUp = cmp.Or(s.CatchUp, Last)
	if !slices.Contains([]CatchUp{None, Last, All}, s.CatchUp) {
		return steps.Errorf(steps.Invalid, "catch_up %q: wanted none, last or all", s.CatchUp)
	}
	s.Zone = cmp.Or(s.Zone, time.Local.String())
	if s.Zone == "Local" {
		s.Zone = localZone()
	}
	c, err := parseCron(s.Cron, s.Zone)
	if err == nil && c.next(time.Now()).IsZero() {
		err = steps.Errorf(steps.Invalid, "cron %q has no time in the next years", s.Cron)
	}
	return err
}

func (s *Schedule) checkFiles() error {
	dir, pattern := filepath.Split(s.Files)
	if _, err := filepath.Match(pattern, "x"); err != nil || pattern == "" || !filepath.IsAbs(s.Files) || strings.ContainsAny(dir, "*?[") {
		return steps.Errorf(steps.Invalid, "files %q: wanted a whole path whose last part may be a pattern", s.Files).WithNext("write it as /folder/*.csv")
	}
	return nil
}
