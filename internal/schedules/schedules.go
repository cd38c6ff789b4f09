// Package schedules begins runs automatically: at the times of a cron expression,
// when a program calls a webhook, and when a file arrives in a folder.
//
// Everything that begins a run is a firing, and the id of its run is derived from the
// schedule and the tick, the message or the file. A store creates a run of an id only
// once, however many servers try and however often. So no leader is needed, and a
// firing that was interrupted is simply tried again.
//
// The package does not decide who may do what, and starts no run itself: its callers
// supply functions for that.
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
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// A Schedule says when a saved workflow is run. It has one of Cron, Files and Hook.
type Schedule struct {
	Name     string         `json:"name"`
	Workflow string         `json:"workflow"`
	Inputs   map[string]any `json:"inputs,omitempty"`

	Cron    string            `json:"cron,omitempty"`
	Zone    string            `json:"zone,omitempty"` // of Cron
	CatchUp CatchUp           `json:"catch_up,omitempty"`
	Jitter  operations.Period `json:"jitter,omitzero"`
	Files   string            `json:"files,omitempty"` // a folder and a pattern for names in it
	Hook    bool              `json:"hook,omitempty"`
	Secret  string            `json:"secret,omitempty"` // signs the messages of a webhook

	Overlap Overlap  `json:"overlap"`
	Labels  []string `json:"labels,omitempty"` // of its runs
	Paused  bool     `json:"paused,omitempty"`

	// Owner is the credential that made the schedule; empty means the person at the
	// machine. The runs have its current rights, limited to those that it had then.
	Owner  string          `json:"owner,omitempty"`
	Client string          `json:"client"`
	Rights json.RawMessage `json:"rights,omitempty"`

	// In a fleet only.
	Needs  []string       `json:"needs,omitempty"`  // labels that the worker must have
	Bundle *engine.Bundle `json:"bundle,omitempty"` // the workflow, since other servers may have another of that name
	Server string         `json:"server,omitempty"` // the only server that handles the schedule; empty means any

	// MadeAt distinguishes the schedule from an earlier one with the same name.
	MadeAt time.Time `json:"made_at"`
}

// Overlap says what happens to a firing while a run of the schedule has not ended.
type Overlap string

// The values of Overlap.
const (
	Skip  Overlap = "skip"  // it begins no run
	Queue Overlap = "queue" // its run begins after the other has ended
	Allow Overlap = "allow" // its run begins at once
)

// CatchUp says which ticks count of those that passed while no server was running.
type CatchUp string

// The values of CatchUp.
const (
	None CatchUp = "none"
	Last CatchUp = "last"
	All  CatchUp = "all" // the last mostPending
)

// A Firing is one reason to begin a run.
type Firing struct {
	Run    string         `json:"run"`              // the id of its run
	At     time.Time      `json:"at"`               // of the tick, message or arrival
	Due    time.Time      `json:"due"`              // when the run begins at the earliest
	Inputs map[string]any `json:"inputs,omitempty"` // in addition to those of the schedule
	Asked  bool           `json:"asked,omitempty"`  // somebody has its id, so it is never skipped
}

// A Note says why a firing began no run.
type Note struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// State is the state of the firings of a schedule.
type State struct {
	// Considered is the time up to which ticks have become firings.
	Considered time.Time `json:"considered"`
	// Pending are the firings whose runs have not begun, the oldest first.
	Pending []Firing `json:"pending,omitempty"`
	// Heard are the runs of recent messages, with the times of the messages.
	Heard map[string]time.Time `json:"heard,omitempty"`
	// Seen are the paths and marks of files that have fired, or were there before.
	Seen  map[string]string `json:"seen,omitempty"`
	Notes []Note            `json:"notes,omitempty"`
}

// The most that is kept of a schedule. Further firings are refused, older notes dropped.
const (
	mostPending = 100
	mostNotes   = 50
)

// The most that a schedule may take, and all of the clients of one owner together. In a
// fleet they hold their workflows.
const (
	longestCron  = 200
	longestFiles = 4096 // and 255 of them after the folder

	mostSchedules = 100
	mostBytes     = 1 << 20
	mostWithFleet = 4 << 20
)

func (s *State) note(now time.Time, format string, args ...any) {
	s.Notes = append(s.Notes, Note{now.UTC().Truncate(time.Second), words.Line(fmt.Sprintf(format, args...))})
	s.Notes = s.Notes[max(0, len(s.Notes)-mostNotes):]
}

// add adds a pending firing, unless there are too many.
func (s *State) add(now time.Time, f Firing) {
	if len(s.Pending) >= mostPending {
		s.note(now, "dropped: %d firings wait already", mostPending)
		return
	}
	s.Pending = append(s.Pending, f)
}

// An Entry is a schedule with its state.
type Entry struct {
	Schedule
	State State `json:"state"`
}

// Clip lets several holders of an entry append to its firings and notes.
func (e *Entry) Clip() *Entry {
	e.State.Pending, e.State.Notes = slices.Clip(e.State.Pending), slices.Clip(e.State.Notes)
	return e
}

// firing returns a firing of the schedule at a time. The words distinguish it from
// others.
func (e *Entry) firing(at time.Time, words ...string) Firing {
	at = at.UTC()
	seed := append([]string{"schedule", e.Name, e.MadeAt.UTC().Format(time.RFC3339Nano)}, words...)
	return Firing{Run: engine.KeyAt(at, seed...), At: at, Due: at}
}

// When describes in one line when a schedule fires.
func (s Schedule) When() string {
	switch {
	case s.Hook:
		return "POST " + HookPath + s.Name
	case s.Files != "":
		return "files " + quoted(s.Files)
	}
	return s.Cron + " " + s.Zone
}

// quoted puts a name that others may have chosen in quotes, on one line.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, "\t", `\t`).Replace(words.Line(name)) + `"`
}

// OfPerson reports whether the person at the machine made a schedule, and no client.
func (s Schedule) OfPerson() bool { return s.Owner == "" && len(s.Rights) == 0 }

// size returns how much a schedule holds, in bytes.
func (s Schedule) size() int {
	s.Rights = nil // the server's
	raw, _ := json.Marshal(s)
	return len(raw)
}

// HookPath is the beginning of the paths of webhooks.
const HookPath = "/hooks/"

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// check checks a schedule and fills in its defaults.
func (s *Schedule) check() error {
	if !validName.MatchString(s.Name) {
		return steps.Errorf(steps.Invalid, "%q cannot name a schedule: wanted small letters, digits, - and _, at most 63", s.Name)
	}
	var err error
	if s.Labels, err = workflows.JoinLabels(s.Labels, nil); err != nil {
		return steps.Errorf(steps.Invalid, "schedule %s: %w", s.Name, err)
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
	if s.Zone == "" || s.Zone == "Local" {
		if s.Zone = localZone(); s.Zone == "" {
			return steps.Errorf(steps.Invalid, "the time zone of this machine has no name").WithNext("name it with --zone or zone, such as Europe/Berlin")
		}
	}
	if len(s.Cron) > longestCron {
		return steps.Errorf(steps.Invalid, "cron has %d characters, and may have %d", len(s.Cron), longestCron).WithNext("shorten it with ranges and steps, such as */5 or 1-5")
	}
	c, err := parseCron(s.Cron, s.Zone)
	if err == nil && c.next(time.Now()).IsZero() {
		err = steps.Errorf(steps.Invalid, "cron %q has no time in the next years", s.Cron)
	}
	return err
}

func (s *Schedule) checkFiles() error {
	dir, pattern := filepath.Split(s.Files)
	if len(s.Files) > longestFiles || len(pattern) > 255 {
		return steps.Errorf(steps.Invalid, "files has %d bytes, %d of them after the folder; wanted at most %d and 255", len(s.Files), len(pattern), longestFiles)
	}
	if _, err := filepath.Match(pattern, "x"); err != nil || pattern == "" || !filepath.IsAbs(s.Files) || strings.ContainsAny(dir, "*?[") {
		return steps.Errorf(steps.Invalid, "files %q: wanted a whole path whose last part may be a pattern", s.Files).WithNext("write it as /folder/*.csv")
	}
	return nil
}
