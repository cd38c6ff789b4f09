package engine

import (
	"cmp"
	"slices"
	"strings"

	"understudy/steps"
)

// RunOutcome says what a run that ended leaves behind, in words for an auditor.
type RunOutcome string

// The outcomes.
const (
	DoneAndProven RunOutcome = "done and proven"
	DoneNotProven RunOutcome = "done, not proven"
	StoppedBefore RunOutcome = "stopped before anything was done"
	StoppedPartly RunOutcome = "stopped, and this much is done"
	MustLook      RunOutcome = "unknown: look"
)

// A Conclusion is the outcome of a run and the steps that it rests on.
type Conclusion struct {
	Outcome  RunOutcome `json:"outcome,omitempty"`
	Done     []string   `json:"done,omitempty"`     // steps that acted
	Unproven []string   `json:"unproven,omitempty"` // those of them that no check followed
	Doubtful []string   `json:"doubtful,omitempty"` // steps that may have acted
}

// Conclusion returns the outcome of a run. It has none while it has not ended, if it is a
// single call or a dry run, and if an older version began it.
func (h *Header) Conclusion() Conclusion {
	t := h.Tally
	if t == nil || !h.Status.Ended() || h.Call != "" {
		return Conclusion{}
	}
	end := *t
	end.cutShort() // if the process was killed
	if end.Unchecked != "" {
		end.Unproven = end.Unproven.with(end.Unchecked)
	}
	c := Conclusion{Done: end.Done, Unproven: end.Unproven, Doubtful: end.Doubtful}
	switch done := h.Status == Succeeded; {
	case done && len(c.Unproven)+len(c.Doubtful) == 0:
		c.Outcome = DoneAndProven
	case done:
		c.Outcome = DoneNotProven
	case len(c.Doubtful) > 0:
		c.Outcome = MustLook
	case len(c.Done) > 0:
		c.Outcome = StoppedPartly
	default:
		c.Outcome = StoppedBefore
	}
	return c
}

// Steps returns the steps that explain the outcome.
func (c Conclusion) Steps() []string {
	switch c.Outcome {
	case DoneNotProven:
		return slices.Concat(c.Unproven, c.Doubtful)
	case StoppedPartly:
		return c.Done
	case MustLook:
		return c.Doubtful
	}
	return nil
}

// String returns the outcome and the steps that explain it, in one line.
func (c Conclusion) String() string {
	s := strings.Join(c.Steps(), ", ")
	switch {
	case s == "":
		return string(c.Outcome)
	case c.Outcome == MustLook:
		return string(c.Outcome) + " at " + s
	}
	return string(c.Outcome) + ": " + s
}

// A Tally is what the steps of a run have done, in all its attempts.
type Tally struct {
	Done      stepNames `json:"done,omitempty"`
	Unproven  stepNames `json:"unproven,omitempty"`
	Doubtful  stepNames `json:"doubtful,omitempty"`
	Unchecked string    `json:"unchecked,omitempty"` // the last step that acted, as long as no check followed
	Open      *openStep `json:"open,omitempty"`      // was started and has not ended
	Failed    stepNames `json:"failed,omitempty"`    // failed in all tries, also if that did not end the run
	Retried   stepNames `json:"retried,omitempty"`   // needed more than one try
}

type openStep struct {
	Step   string `json:"step"`
	Reads  bool   `json:"reads,omitempty"`
	Checks bool   `json:"checks,omitempty"`
}

// stepNames are names of steps, each once.
type stepNames []string

// maxNames bounds the names that a header carries.
const maxNames = 50

// with returns the names and one more, never in the same array.
func (l stepNames) with(name string) stepNames {
	if slices.Contains(l, name) || len(l) == maxNames {
		return l
	}
	return append(slices.Clip(l), name)
}

func (l stepNames) without(name string) stepNames {
	return slices.DeleteFunc(slices.Clone(l), func(n string) bool { return n == name })
}

// add returns the tally after an event; headers keep the one before.
func (t *Tally) add(ev Event, fact any) *Tally {
	if t == nil {
		return nil
	}
	next := *t
	switch f := fact.(type) {
	case Started:
		next.Open = &openStep{cmp.Or(f.ID, ev.Path), f.Reads, f.Checks}
		if f.Try > 1 {
			next.Retried, next.Failed = next.Retried.with(next.Open.Step), next.Failed.without(next.Open.Step)
		}
	case Ended:
		next.ended(cmp.Or(f.ID, ev.Path), f.Outcome)
	case Evaluated:
		next.evaluated(cmp.Or(f.ID, ev.Path), f)
	case Answered:
		next.decided(f.Choice)
	case Resumed:
		next.cutShort()
		next.decided(f.Decision)
	default:
		return t
	}
	return &next
}

func (t *Tally) ended(step string, o Outcome) {
	checks := t.Open != nil && t.Open.Checks
	t.Open = nil
	if o.Error != nil {
		t.Failed = t.Failed.with(step)
	}
	switch failed := o.Error != nil; {
	case failed && o.Acted == steps.ActedMaybe:
		t.Doubtful = t.Doubtful.with(step)
	case o.Acted == steps.ActedYes || o.Acted == steps.ActedMaybe:
		t.acted(step)
	case checks && !failed:
		t.Unchecked = ""
	}
}

func (t *Tally) acted(step string) {
	if t.Unchecked != "" {
		t.Unproven = t.Unproven.with(t.Unchecked)
	}
	t.Done, t.Doubtful, t.Unchecked = t.Done.with(step), t.Doubtful.without(step), step
}

// evaluated notes that what a step expects holds after it.
func (t *Tally) evaluated(step string, e Evaluated) {
	if !e.Holds || e.Unknown || e.Error != nil {
		return
	}
	switch e.Purpose {
	case TheExpect:
		t.Unchecked = ""
	case TheRecheck:
		t.Open = nil
		t.acted(step)
		t.Unchecked = ""
	}
}

// cutShort notes that the step that was under way may have acted.
func (t *Tally) cutShort() {
	if t.Open != nil && !t.Open.Reads {
		t.Doubtful = t.Doubtful.with(t.Open.Step)
	}
	t.Open = nil
}

// decided notes that a person has looked at the step that was in doubt last.
func (t *Tally) decided(choice string) {
	if choice == "" || len(t.Doubtful) == 0 {
		return
	}
	doubt := t.Doubtful[len(t.Doubtful)-1]
	t.Doubtful = t.Doubtful.without(doubt)
	if choice == DoneByHand {
		t.acted(doubt)
		t.Unchecked = "" // the person vouches for it
	}
}
