package viewer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/steps"
)

// execution is a step of a run as the page shows it: the report, and what only the
// events contain.
type execution struct {
	engine.StepReport

	N      int // its position in the list, from 1
	Args   any
	Marks  []string // notable facts: repeated tries, a fallback, a jump
	Log    []line
	Events []line
	// Before and After are the last pictures of each; empty where there is none.
	Before, After string
	Stretches     []stretch // in the drawing of the times of all steps
	// At and Box are the point and the area where it acted, on these pictures.
	At  *desktop.Point
	Box *desktop.Rect
}

// line is one thing that happened.
type line struct {
	Seq   uint64
	At    time.Time
	Sort  string
	Words string
}

// executionsOf joins a report with the events of its run.
func executionsOf(r engine.Report, events []engine.Event) []*execution {
	all := make([]*execution, len(r.Steps))
	at := map[string][]*execution{}
	for i, s := range r.Steps {
		x := &execution{StepReport: s, N: i + 1}
		x.pictures()
		x.locate()
		if s.Attempts > 1 {
			x.Marks = append(x.Marks, fmt.Sprintf("%d tries", s.Attempts))
		}
		all[i] = x
		at[s.Path] = append(at[s.Path], x)
	}
	for _, ev := range events {
		if x := executionAt(at[ev.Path], ev.At); x != nil {
			x.add(ev)
		}
	}
	timeline(all, events)
	return all
}

// collect collects the events that pass by, so that those of a run are read once.
func collect(events iter.Seq2[engine.Event, error], all *[]engine.Event) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		for ev, err := range events {
			if *all = append(*all, ev); !yield(ev, err) {
				return
			}
		}
	}
}

// executionAt returns the execution of a step to which an event belongs: the last that had
// begun by then. Events before the first execution belong to the first.
func executionAt(of []*execution, at time.Time) *execution {
	for _, x := range slices.Backward(of) {
		if !x.StartedAt.After(at) {
			return x
		}
	}
	if len(of) > 0 {
		return of[0]
	}
	return nil
}

func (x *execution) add(ev engine.Event) {
	x.Events = append(x.Events, line{ev.Seq, ev.At, string(ev.Type), string(ev.Data)})
	fact, err := engine.Fact(ev)
	if err != nil {
		return
	}
	switch f := fact.(type) {
	case engine.Started:
		x.Args = f.Args
	case engine.Ended:
		if f.Args != nil {
			x.Args = f.Args
		}
	case engine.Logged:
		x.Log = append(x.Log, line{ev.Seq, ev.At, f.Level, f.Message})
	case engine.Moved:
		x.Marks = append(x.Marks, f.Why+" to "+f.To)
	}
}

func (x *execution) pictures() {
	for _, c := range x.Captures {
		if c.When == "before" {
			x.Before = picture(c.URI)
		} else {
			x.After = picture(c.URI)
		}
	}
}

// locate reads where the step acted from its result.
func (x *execution) locate() {
	var r struct {
		At      *desktop.Point   `json:"at"`
		Element *desktop.Element `json:"element"`
	}
	raw, err := json.Marshal(x.Result)
	if err == nil && json.Unmarshal(raw, &r) == nil {
		x.At = r.At
	}
	if r.Element != nil && !r.Element.Bounds.Empty() {
		x.Box = &r.Element.Bounds
	}
}

// Wanted returns the selector that the step was told, or "".
func (x *execution) Wanted() string {
	args, _ := x.Args.(map[string]any)
	wanted, _ := args["selector"].(string)
	return wanted
}

// verdicts say in a few words how a step failed.
var verdicts = map[steps.Code]string{
	steps.NotFound: "did not find what it was told to find", steps.Ambiguous: "found several things that fit",
	steps.NotActionable: "found it, and could not act on it", steps.Timeout: "waited in vain",
	steps.Unexpected: "did not have the effect that it should", steps.Denied: "is not allowed",
	steps.Busy: "found the desktop in use", steps.Unavailable: "lacks something that it needs", steps.Interrupted: "was cut short",
	steps.Cancelled: "was stopped", steps.Invalid: "was told something that cannot be", steps.LoopLimit: "was repeated too often",
}

// Verdict says how the step failed, after its name.
func (x *execution) Verdict() string { return cmp.Or(verdicts[x.Error.Code], "failed") }

// Tried returns the elements that nearly matched the selector.
func (x *execution) Tried() []steps.Candidate {
	if x.Error == nil {
		return nil
	}
	return x.Error.Candidates
}

// Name returns the display name of the step.
func (x *execution) Name() string {
	switch {
	case x.ID != "":
		return x.ID
	case x.Kind != "":
		return x.Kind
	}
	return "step " + x.Path
}

// Thumbnail returns the picture after the step, or else the one before.
func (x *execution) Thumbnail() string {
	if x.After != "" {
		return x.After
	}
	return x.Before
}

// inputsIn returns the inputs of a run, after those that were replaced. A secret
// appears only by its name.
func inputsIn(events []engine.Event) map[string]any {
	all := map[string]any{}
	for _, ev := range events {
		switch fact, _ := engine.Fact(ev); f := fact.(type) {
		case engine.Created:
			maps.Copy(all, f.Scope.Inputs)
		case engine.Resumed:
			maps.Copy(all, f.Inputs)
		}
	}
	return all
}

// takeover is the beginning or the end of a takeover of the desktop by a person.
type takeover struct {
	At      time.Time
	Words   string
	By      string
	Picture string // empty: there is none
	// Recorded reports whether there is a recording, from which steps can be made.
	Recorded bool
}

func takeoversIn(events []engine.Event) (all []takeover) {
	for _, ev := range events {
		fact, err := engine.Fact(ev)
		if err != nil {
			continue
		}
		h, hash := takeover{At: ev.At}, ""
		switch f := fact.(type) {
		case engine.Taken:
			h.By, h.Words, hash = f.By, "took the desktop over", f.Hash
		case engine.Returned:
			h.By, h.Words, hash, h.Recorded = f.By, "gave it back", f.Hash, f.Recording != ""
			if f.Why != "" {
				h.Words = "lost it: " + f.Why
			}
		default:
			continue
		}
		if hash != "" {
			h.Picture = picture(engine.CaptureURI(hash))
		}
		all = append(all, h)
	}
	return all
}
