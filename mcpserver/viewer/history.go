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
	Weak             []weakStep
	Causes           []cause
}

// bar is a run in the drawing, whose width is 10 a run and whose height is 100.
type bar struct {
	engine.Header

	X, Y, High int
}

// weakStep is a step at which runs failed, or passed only after a failure.
type weakStep struct {
	Step  string
	Times int
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
	weak, known := map[string]int{}, map[string]int{}
	for _, r := range runs {
		if r.EndedAt.IsZero() || !r.Status.Ended() {
			continue
		}
		h.Ended++
		lasted := r.EndedAt.Sub(r.StartedAt)
		times = append(times, lasted)
		h.Bars = append(h.Bars, bar{Header: r})
		if r.Status == engine.Succeeded {
			h.Succeeded++
		}
		if r.Error == nil || r.Status == engine.Succeeded {
			continue
		}
		weak[cmp.Or(r.Error.Step, "(the workflow)")]++
		c := inbox.Of(r)
		at, ok := known[c.ID]
		if !ok {
			at = len(h.Causes)
			known[c.ID] = at
			h.Causes = append(h.Causes, cause{Cause: c, Last: r})
		}
		h.Causes[at].Count++
	}
	for step, n := range weak {
		h.Weak = append(h.Weak, weakStep{step, n})
	}
	slices.SortFunc(h.Weak, func(a, b weakStep) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Step, b.Step))
	})
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
