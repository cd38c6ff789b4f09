package schedules

import (
	"cmp"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a database of time zones

	"github.com/adhocore/gronx"

	"understudy/steps"
)

// A cron is a cron expression in a zone. The library evaluates the expression only
// for clocks that never change. Daylight saving is handled here as Vixie cron does: a
// time of day that the clock skips fires at the change, one that it shows twice fires
// the first time, and an expression for every hour fires by elapsed hours.
type cron struct {
	expression string
	zone       *time.Location
	hourly     bool
}

// parseCron reads an expression of five fields or a word such as @daily.
func parseCron(expression, zone string) (cron, error) {
	c := cron{expression: expression}
	var err error
	if c.zone, err = time.LoadLocation(zone); err != nil {
		return c, steps.Errorf(steps.Invalid, "zone %q: wanted the name of a time zone, such as Europe/Berlin", zone)
	}
	fields, err := gronx.Segments(expression)
	if word := strings.HasPrefix(expression, "@"); err != nil || !gronx.IsValid(expression) || len(fields) != 6 || !word && len(strings.Fields(expression)) != 5 {
		return c, steps.Errorf(steps.Invalid, "cron %q: wanted five fields, minute hour day month weekday, or @hourly, @daily, @weekly or @monthly", expression).
			WithNext(`write it as "30 6 * * 1-5", which is half past six on workdays`)
	}
	if fields[0] != "0" {
		return c, steps.Errorf(steps.Invalid, "cron %q: more often than every minute is not possible", expression)
	}
	c.hourly = fields[2] == "*" || fields[2] == "*/1"
	return c, nil
}

// clockAt returns what the clock of the zone shows at a time, as a time in UTC.
func clockAt(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// next returns the first tick after a time, or the zero time if there is none.
func (c cron) next(after time.Time) time.Time {
	after = after.In(c.zone)
	if !c.hourly {
		return c.nextOfDay(after)
	}
	for { // once for each change of the clock until then
		next := c.onClock(clockAt(after))
		if next.IsZero() {
			return next
		}
		_, offset := after.Zone()
		next = next.Add(-time.Duration(offset) * time.Second).In(c.zone)
		_, change := after.ZoneBounds()
		if change.IsZero() || next.Before(change) {
			return next
		}
		if at := clockAt(change); c.onClock(at.Add(-time.Minute)).Equal(at) {
			return change.In(c.zone)
		}
		after = change.In(c.zone)
	}
}

// nextOfDay returns the next tick of an expression for certain hours.
func (c cron) nextOfDay(after time.Time) time.Time {
	clock := clockAt(after)
	// After the clock was put back it shows times that have passed already.
	if start, _ := after.ZoneBounds(); !start.IsZero() {
		if highest := clockAt(start.Add(-time.Second)); highest.After(clock) {
			clock = highest
		}
	}
	for {
		if clock = c.onClock(clock); clock.IsZero() {
			return clock
		}
		if at := c.firstShowing(clock); at.After(after) {
			return at
		}
	}
}

// firstShowing returns when the clock of the zone shows a time for the first time, or
// skips it.
func (c cron) firstShowing(clock time.Time) time.Time {
	at := time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), clock.Minute(), 0, 0, c.zone)
	start, end := at.ZoneBounds()
	if at.Hour() != clock.Hour() || at.Minute() != clock.Minute() { // it is skipped
		if clockAt(at).After(clock) {
			return start.In(c.zone)
		}
		return end.In(c.zone)
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		if earlier := clock.Add(-time.Duration(before) * time.Second); earlier.Before(start) {
			return earlier.In(c.zone)
		}
	}
	return at
}

// onClock returns the next tick on a clock that never changes.
func (c cron) onClock(after time.Time) time.Time {
	next, err := gronx.NextTickAfter(c.expression, after, false)
	if err != nil {
		return time.Time{}
	}
	return next.Truncate(time.Minute)
}

// ticks returns the ticks after one time and up to another, at most the last few.
func (c cron) ticks(after, until time.Time, most int) []time.Time {
	for _, back := range []time.Duration{time.Hour, 24 * time.Hour, 31 * 24 * time.Hour, 0} {
		from := until.Add(-back)
		if back == 0 || from.Before(after) {
			from = after
		}
		var all []time.Time
		for t := c.next(from); !t.IsZero() && !t.After(until); t = c.next(t) {
			all = append(all, t)
		}
		if len(all) >= most || from.Equal(after) {
			return all[max(0, len(all)-most):]
		}
	}
	return nil
}

// grace is how late a tick may be and still count as in time, whatever CatchUp says:
// a server that is restarted at once misses none.
const grace = time.Minute

// clockError is how far in the future the last tick may be. A schedule is silent until
// then. A longer silence would come from a clock that was wrong, such as by years before
// the machine had asked for the time.
const clockError = time.Hour

// cron parses the cron expression of a schedule. It reports false if the schedule
// has none, or is paused.
func (e *Entry) cron() (c cron, ok bool, err error) {
	if e.Paused || e.Cron == "" {
		return c, false, nil
	}
	c, err = parseCron(e.Cron, e.Zone)
	return c, err == nil, err
}

// tick makes firings of the ticks that have passed. It reports whether it changed the
// entry.
func (e *Entry) tick(now time.Time) (changed bool, err error) {
	c, ok, err := e.cron()
	if !ok {
		return false, err
	}
	if e.State.Considered.Sub(now) > clockError {
		e.State.note(now, "the clock had been at %s; ticks count from now on", e.State.Considered.Format(time.RFC3339))
		e.State.Considered = now.UTC()
		return true, nil
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

// delay returns by how much jitter delays a run. It is the same on every server.
func (e *Entry) delay(run string) time.Duration {
	if e.Jitter == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(run))
	return time.Duration(h.Sum64() % uint64(e.Jitter))
}

// Next returns when a schedule fires next by its cron expression, or the zero time.
func (e *Entry) Next(now time.Time) time.Time {
	if c, ok, _ := e.cron(); ok {
		return c.next(now)
	}
	return time.Time{}
}

// localZone returns the name of the zone of this machine, or "" if only the zone itself is
// known, as on Windows.
func localZone() string {
	zone := time.Local.String()
	if zone == "Local" {
		zone = cmp.Or(strings.TrimPrefix(os.Getenv("TZ"), ":"), "/etc/localtime")
	}
	if strings.HasPrefix(zone, "/") {
		file, _ := filepath.EvalSymlinks(zone)
		_, zone, _ = strings.Cut(file, "zoneinfo/")
	}
	if zone == "" && isUTC(time.Local) {
		return "UTC"
	}
	return zone
}

// isUTC reports whether the clock of a zone shows the time of UTC, in summer too.
func isUTC(zone *time.Location) bool {
	for _, month := range []time.Month{time.January, time.July} {
		if _, offset := time.Date(time.Now().Year(), month, 1, 0, 0, 0, 0, zone).Zone(); offset != 0 {
			return false
		}
	}
	return true
}
