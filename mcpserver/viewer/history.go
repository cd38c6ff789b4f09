package viewer

import (
	"cmp"
	"slices"
	"time"

	"understudy/engine"
	"understudy/internal/inbox"
)

// historyRuns is how many of the last runs of a workflow its history is made of.
const historyRuns = 100

// history says how the last runs of a workflow went.
type history struct {
	Bars             []bar
	Ended, Succeeded int
	Median, Longest  time.Duration
	Flaky            []flakyStep
	Causes           []cause
}

// bar is a run in the drawing, whose width is 10 a run and whose height is 100.
type bar struct {
	engine.Header

	X, Y, High int
}

// flakyStep is a step that failed in some runs or needed more tries there, and succeeded
// in others.
type flakyStep struct {
	Step            string
	Failed, Retried int // in how many runs
}

// flakySteps returns the flaky steps of runs that have ended, the worst first.
func flakySteps(runs []engine.Header) (all []flakyStep) {
	known := map[string]*flakyStep{}
	of := func(step string) *flakyStep {
		if known[step] == nil {
			known[step] = &flakyStep{Step: step}
		}
		return known[step]
	}
	for _, r := range runs {
		failed, retried := troubled(r)
		for _, step := range failed {
			of(step).Failed++
		}
		for _, step := range retried {
			of(step).Retried++
		}
	}
	for step, f := range known {
		passed := slices.ContainsFunc(runs, func(r engine.Header) bool {
			return r.Status == engine.Succeeded || r.Tally != nil && slices.Contains(r.Tally.Done, step)
		})
		if passed {
			all = append(all, *f)
		}
	}
	slices.SortFunc(all, func(a, b flakyStep) int {
		return cmp.Or(cmp.Compare(b.Failed+b.Retried, a.Failed+a.Retried), cmp.Compare(a.Step, b.Step))
	})
	return all
}

// troubled returns the steps of a run that failed, and those that needed more tries.
func troubled(r engine.Header) (failed, retried []string) {
	if t := r.Tally; t != nil {
		failed, retried = slices.Clone(t.Failed), t.Retried
	}
	if x := r.Error; x != nil && r.Status != engine.Succeeded && x.Step != "" && !slices.Contains(failed, x.Step) {
		failed = append(failed, x.Step)
	}
	return failed, retried
}

// cause is why runs of a workflow failed.
type cause struct {
	inbox.Cause

	Last engine.Header
}

func (h history) Rate() int { return 100 * h.Succeeded / max(h.Ended, 1) }

// Width returns the width of the drawing, of at least some runs, so that few bars stay bars.
func (h history) Width() int { return max(len(h.Bars), 30) * 10 }

// historyOf returns the history of runs that are given the newest first.
func historyOf(runs []engine.Header) (h history) {
	var times []time.Duration
	var ended []engine.Header
	known := map[string]int{}
	for _, r := range runs {
		if r.EndedAt.IsZero() || !r.Status.Ended() {
			continue
		}
		h.Ended++
		ended = append(ended, r)
		lasted := r.EndedAt.Sub(r.StartedAt)
		times = append(times, lasted)
		h.Bars = append(h.Bars, bar{Header: r})
		if r.Status == engine.Succeeded {
			h.Succeeded++
		}
		if r.Error == nil || r.Status == engine.Succeeded {
			continue
		}
		c := inbox.Of(r)
		at, ok := known[c.ID]
		if !ok {
			at = len(h.Causes)
			known[c.ID] = at
			h.Causes = append(h.Causes, cause{Cause: c, Last: r})
		}
		h.Causes[at].Count++
	}
	h.Flaky = flakySteps(ended)
	if len(times) == 0 {
		return h
	}
	slices.Reverse(h.Bars) // the newest at the right
	slices.Sort(times)
	h.Median, h.Longest = times[len(times)/2].Round(100*time.Millisecond), times[len(times)-1].Round(100*time.Millisecond)
	for i := range h.Bars {
		b := &h.Bars[i]
		b.High = max(3, int(100*b.EndedAt.Sub(b.StartedAt)/max(times[len(times)-1], 1)))
		b.X, b.Y = i*10, 100-b.High
	}
	return h
}
