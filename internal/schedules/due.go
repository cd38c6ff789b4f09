package schedules

import (
	"hash/fnv"
	"time"
)

// grace is how late a tick may be and still count as in time, whatever becomes of
// those that were missed: a server that is started again at once misses none.
const grace = time.Minute

// tick makes firings of the ticks that have passed. It says whether it changed
// anything.
func (e *Entry) tick(now time.Time) (changed bool, err error) {
	if e.Paused || e.Cron == "" {
		return false, nil
	}
	c, err := parseCron(e.Cron, e.Zone)
	if err != nil {
		return false, err
	}
	ticks := c.ticks(e.State.Considered, now, mostPending)
	if len(ticks) == 0 {
		return false, nil
	}
	e.State.Considered = ticks[len(ticks)-1].UTC()
	for i, t := range ticks {
		late, last := now.Sub(t) > grace, i == len(ticks)-1
		if e.CatchUp == None && late || e.CatchUp == Last && !last {
			e.State.note(now, "missed the tick of %s, as catch_up %s says", t.Format(time.RFC3339), e.CatchUp)
			continue
		}
		f := e.firing(t)
		f.Due = t.Add(e.delay(f.Run)).UTC()
		e.State.add(now, f)
	}
	return true, nil
}

// delay is by how much jitter delays a run: the same wherever it is asked.
func (e *Entry) delay(run string) time.Duration {
	if e.Jitter == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(run))
	return time.Duration(h.Sum64() % uint64(e.Jitter))
}

// Next is the next time at which it fires by itself; zero: nobody can tell.
func (e *Entry) Next(now time.Time) time.Time {
	if e.Paused || e.Cron == "" {
		return time.Time{}
	}
	c, err := parseCron(e.Cron, e.Zone)
	if err != nil {
		return time.Time{}
	}
	return c.next(now)
}
