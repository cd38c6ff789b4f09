package viewer

import (
	"time"

	"understudy/engine"
)

// timelineWidth is the width of the drawing of the times of all steps.
const timelineWidth = 1000

// stretch is a part of the time of a step: a try, or the wait between two.
type stretch struct {
	X, Width int
	Wait     bool
}

// timeline places each execution where it was in the time of all of them. The times
// between attempts of the run, in which nobody executed it, are left out.
func timeline(all []*execution, events []engine.Event) {
	tries := map[*execution][]time.Time{} // the beginning and the end of each try
	at := map[string][]*execution{}
	for _, x := range all {
		at[x.Path] = append(at[x.Path], x)
	}
	for _, ev := range events {
		if ev.Type != engine.EvStarted && ev.Type != engine.EvEnded {
			continue
		}
		x := executionAt(at[ev.Path], ev.At)
		if x == nil || ev.Type == engine.EvEnded == (len(tries[x])%2 == 0) {
			continue // an end without a beginning, or a try that was cut short
		}
		tries[x] = append(tries[x], ev.At)
	}
	var whole time.Duration
	starts := make([]time.Duration, len(all))
	for i, x := range all {
		starts[i] = whole
		whole += max(time.Duration(x.DurationMS)*time.Millisecond, time.Millisecond)
	}
	for i, x := range all {
		scale := func(d time.Duration) int { return int(d * timelineWidth / whole) }
		x.Stretches = []stretch{{X: scale(starts[i]), Width: max(4, scale(time.Duration(x.DurationMS)*time.Millisecond)), Wait: len(tries[x]) > 2}}
		if len(tries[x]) <= 2 {
			continue
		}
		for n := 0; n < len(tries[x]); n += 2 {
			from := min(max(tries[x][n].Sub(x.StartedAt), 0), whole-starts[i])
			to := from
			if n+1 < len(tries[x]) {
				to = tries[x][n+1].Sub(x.StartedAt)
			}
			x.Stretches = append(x.Stretches, stretch{X: scale(starts[i] + from), Width: max(4, scale(to-from))})
		}
	}
}
