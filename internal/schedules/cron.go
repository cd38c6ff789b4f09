package schedules

import (
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // zones have to be known on machines without them

	"github.com/adhocore/gronx"

	"understudy/steps"
)

// A cron is a cron expression in a zone. The expression is only ever asked about
// clocks that never change; what daylight saving does to them is decided here, as
// cron does it since Vixie's: a time of day that a clock leaps over counts at the
// leap, one that it shows twice counts the first time, and an expression for every
// hour counts by the hours that pass.
type cron struct {
	expression string
	zone       *time.Location
	hourly     bool
}

// parseCron reads an expression of five fields or a word such as @daily.
func parseCron(expression, zone string) (cron, error) {
	c := cron{expression: expression}
	at, err := time.LoadLocation(zone)
	if err != nil {
		e := steps.Errorf(steps.Invalid, "zone %q: wanted the name of a time zone, such as Europe/Berlin", zone)
		return c, e
	}
	c.zone = at
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

// next is the first tick after a time; zero: there is none.
func (c cron) next(after time.Time) time.Time {
	after = after.In(c.zone)
	if !c.hourly {
		return c.nextOfDay(after)
	}
	for { // once for each change of the clock until then
		_, offset := after.Zone()
		next := c.onClock(after.UTC().Add(time.Duration(offset) * time.Second))
		if next.IsZero() {
			return next
		}
		next = next.Add(-time.Duration(offset) * time.Second).In(c.zone)
		_, change := after.ZoneBounds()
		if change.IsZero() || next.Before(change) {
			return next
		}
		_, offset = change.Zone()
		if shown := change.UTC().Add(time.Duration(offset) * time.Second); c.onClock(shown.Add(-time.Minute)).Equal(shown) {
			return change.In(c.zone)
		}
		after = change.In(c.zone)
	}
}

// nextOfDay is the next tick of an expression for certain hours.
func (c cron) nextOfDay(after time.Time) time.Time {
	_, offset := after.Zone()
	shown := after.UTC().Add(time.Duration(offset) * time.Second)
	// Where the clock was put back lately, it shows times that have passed already.
	if start, _ := after.ZoneBounds(); !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		if highest := start.UTC().Add(time.Duration(before)*time.Second - time.Second); highest.After(shown) {
			shown = highest
		}
	}
	for {
		if shown = c.onClock(shown); shown.IsZero() {
			return shown
		}
		if at := c.firstShowing(shown); at.After(after) {
			return at
		}
	}
}

// firstShowing is when the clock of the zone shows a time for the first time, or
// leaps over it.
func (c cron) firstShowing(shown time.Time) time.Time {
	at := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), 0, 0, c.zone)
	start, end := at.ZoneBounds()
	if at.Hour() != shown.Hour() || at.Minute() != shown.Minute() { // it is leapt over
		if _, offset := at.Zone(); at.UTC().Add(time.Duration(offset) * time.Second).After(shown) {
			return start.In(c.zone)
		}
		return end.In(c.zone)
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		if earlier := shown.Add(-time.Duration(before) * time.Second); earlier.Before(start) {
			return earlier.In(c.zone)
		}
	}
	return at
}

// onClock is the next tick on a clock that never changes.
func (c cron) onClock(after time.Time) time.Time {
	next, err := gronx.NextTickAfter(c.expression, after, false)
	if err != nil {
		return time.Time{}
	}
	return next.Truncate(time.Minute)
}

// ticks are those after one time and up to another, at most the last few of them.
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

// localZone is the name of the zone of this machine.
func localZone() string {
	if zone := os.Getenv("TZ"); zone != "" {
		return strings.TrimPrefix(zone, ":")
	}
	if link, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, zone, ok := strings.Cut(link, "zoneinfo/"); ok {
			return zone
		}
	}
	return "UTC"
}
