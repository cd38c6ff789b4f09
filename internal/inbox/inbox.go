// Package inbox collects what needs a person: runs that failed, wait, are paused or were
// cut short, desktops that are about to end with an unfinished run, and schedules that
// began no run. Entries with the same cause are one group.
//
// It stores nothing but dismissals, which are acts of the audit trail. An entry that was
// dismissed returns when something new happens to its run.
package inbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/desktop/virtual"
	"understudy/internal/schedules"
)

// Trouble says why something needs a person.
type Trouble string

// The kinds of trouble.
const (
	Failed      Trouble = "failed"
	Waiting     Trouble = "waiting"
	Doubtful    Trouble = "doubtful" // a step may have acted
	Paused      Trouble = "paused"
	Interrupted Trouble = "interrupted"
	Healed      Trouble = "healed" // succeeded, but only after failures on its way
	Ending      Trouble = "ending" // the desktop of an unfinished run is about to end
	Missed      Trouble = "missed" // a schedule began no run
)

// acts lists the acts that fit each kind of trouble, the best first.
var acts = map[Trouble][]string{
	Failed: {"resume", "take over", "dismiss"}, Waiting: {"answer", "dismiss"}, Doubtful: {"decide", "take over", "dismiss"},
	Paused: {"resume", "dismiss"}, Interrupted: {"resume", "dismiss"}, Healed: {"look", "dismiss"}, Ending: {"take over", "dismiss"}, Missed: {"run", "dismiss"},
}

// actsFor returns the acts that fit an entry: only a run with a desktop can be taken over.
func actsFor(e Need) []string {
	return slices.DeleteFunc(slices.Clone(acts[e.of.Trouble]), func(act string) bool { return act == "take over" && e.Desktop == "" })
}

// A Need is one thing that needs a person.
type Need struct {
	Key      string    `json:"key"` // changes when something new happens to the run
	Run      string    `json:"run_id,omitempty"`
	Desktop  string    `json:"desktop,omitempty"`
	Schedule string    `json:"schedule,omitempty"`
	At       time.Time `json:"at"`
	Text     string    `json:"text"`
	Owner    string    `json:"owner,omitempty"`
	Client   string    `json:"client,omitempty"`

	of group
}

// group is what entries with the same cause have in common.
type group struct {
	Trouble  Trouble `json:"trouble"`
	Workflow string  `json:"workflow,omitempty"`
	Step     string  `json:"step,omitempty"`
	Code     string  `json:"code,omitempty"`
	Blocker  string  `json:"blocker,omitempty"` // title of the dialog or window in the way
}

// id names the group in a few letters.
func (g group) id() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(g.Trouble), g.Workflow, g.Step, g.Code, g.Blocker}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// A Cause is why one or several things need a person.
type Cause struct {
	ID string `json:"id"`
	group
	Text    string    `json:"text"` // of the newest entry
	Acts    []string  `json:"acts"`
	Count   int       `json:"count"`
	Newest  time.Time `json:"newest"`
	Entries []Need    `json:"entries"` // the newest first
}

// Sources are where an inbox looks, as far as its caller may see them.
type Sources struct {
	Runs      engine.Runs
	Desktops  []virtual.Kept
	Schedules []schedules.Entry
	Trail     *audit.Trail
}

const (
	recent = 7 * 24 * time.Hour // how long successes after failures are shown
	soon   = time.Hour          // a desktop that ends within this time needs a person
)

// Causes returns what needs a person, by cause, with the newest first.
func (s Sources) Causes(ctx context.Context, now time.Time) ([]Cause, error) {
	entries, err := s.entries(ctx, now)
	if err != nil {
		return nil, err
	}
	gone, err := s.dismissed()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b Need) int { return b.At.Compare(a.At) })
	causes, known := []Cause{}, map[string]int{}
	for _, e := range entries {
		if gone[e.Key] {
			continue
		}
		id := e.of.id()
		i, ok := known[id]
		if !ok {
			i = len(causes)
			known[id] = i
			causes = append(causes, Cause{ID: id, group: e.of, Text: e.Text, Acts: actsFor(e), Newest: e.At})
		}
		causes[i].Entries = append(causes[i].Entries, e)
		causes[i].Count++
	}
	return causes, nil
}

// dismissed returns the keys of the entries that were dismissed.
func (s Sources) dismissed() (map[string]bool, error) {
	all, err := s.Trail.Acts(`"`+string(audit.Dismissed)+`"`, func(a audit.Act) bool { return a.Verb == audit.Dismissed })
	keys := make(map[string]bool, len(all))
	for _, a := range all {
		keys[a.Thing] = true
	}
	return keys, err
}

func (s Sources) entries(ctx context.Context, now time.Time) ([]Need, error) {
	needy, err := s.Runs.List(ctx, engine.Query{Status: []engine.Status{engine.Failed, engine.Waiting, engine.Paused, engine.Interrupted}})
	if err != nil {
		return nil, err
	}
	healed, err := s.Runs.List(ctx, engine.Query{Status: []engine.Status{engine.Succeeded}, Since: now.Add(-recent), Troubled: true})
	if err != nil {
		return nil, err
	}
	var all []Need
	for _, h := range slices.Concat(needy, healed) {
		all = append(all, ofRun(h))
	}
	for _, k := range s.Desktops {
		for _, h := range needy {
			if k.Run == h.ID && !k.Until.IsZero() && k.Until.Before(now.Add(soon)) {
				all = append(all, ofDesktop(k, h))
			}
		}
	}
	for _, x := range s.Schedules {
		for _, n := range x.State.Notes {
			all = append(all, ofNote(x, n))
		}
	}
	return all, nil
}

// troubles are the kinds of trouble of runs, by status.
var troubles = map[engine.Status]Trouble{
	engine.Failed: Failed, engine.Waiting: Waiting, engine.Paused: Paused, engine.Interrupted: Interrupted, engine.Succeeded: Healed,
}

// Of returns the cause of a run that needs a person, with only its own text.
func Of(h engine.Header) Cause {
	e := ofRun(h)
	return Cause{ID: e.of.id(), group: e.of, Text: e.Text}
}

// OfNote returns the cause of a note of a schedule, with only its own text.
func OfNote(x schedules.Entry, n schedules.Note) Cause {
	e := ofNote(x, n)
	return Cause{ID: e.of.id(), group: e.of, Text: e.Text}
}

func ofRun(h engine.Header) Need {
	e := Need{
		Key: fmt.Sprintf("run %s %d", h.ID, h.Seq), Run: h.ID, At: h.UpdatedAt, Owner: h.Owner, Client: h.Client,
		of: group{Trouble: troubles[h.Status], Workflow: h.Workflow, Step: h.ResumeFrom},
	}
	if h.Desktop != nil {
		e.Desktop = h.Desktop.Name
	}
	switch x, q := h.Error, h.Question; {
	case h.Status == engine.Succeeded:
		e.Text = fmt.Sprintf("succeeded, after %d failures on its way", h.Errors)
		if h.Errors == 1 {
			e.Text = "succeeded, after a failure on its way"
		}
	case h.Status == engine.Waiting && q != nil:
		e.of.Step, e.of.Code, e.Text = q.Step, q.Sort, q.Text
		if q.Sort == engine.AskDoubt {
			e.of.Trouble = Doubtful
		}
	case x != nil:
		e.of.Step, e.of.Code, e.of.Blocker, e.Text = cmp.Or(x.Step, h.ResumeFrom), string(x.Code), x.Blocker, x.Message
	default:
		e.Text = string(h.Status)
	}
	return e
}

func ofDesktop(k virtual.Kept, h engine.Header) Need {
	return Need{
		Key: fmt.Sprintf("desktop %s %s %d", k.Name, k.Birth, k.Until.Unix()), Run: h.ID, Desktop: k.Name, At: h.UpdatedAt, Owner: k.Owner, Client: h.Client,
		Text: "its desktop " + k.Name + " ends at " + k.Until.UTC().Format(time.RFC3339),
		of:   group{Trouble: Ending, Workflow: h.Workflow},
	}
}

func ofNote(x schedules.Entry, n schedules.Note) Need {
	return Need{
		Key: fmt.Sprintf("schedule %s %s %s", x.Name, x.MadeAt.UTC().Format(time.RFC3339Nano), noteID(n)), Schedule: x.Name, At: n.At, Owner: x.Owner, Client: x.Client,
		Text: n.Text, of: group{Trouble: Missed, Workflow: x.Workflow, Step: x.Name},
	}
}

// noteID identifies a note among those of a schedule.
func noteID(n schedules.Note) string {
	sum := sha256.Sum256([]byte(n.Text))
	return n.At.UTC().Format(time.RFC3339) + " " + hex.EncodeToString(sum[:4])
}
