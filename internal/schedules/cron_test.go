package schedules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

// TestTicksWhenTheClockIsChanged tests the ticks around the hours in which clocks are put
// forward and back.
func TestTicksWhenTheClockIsChanged(t *testing.T) {
	for _, c := range []struct {
		say, cron, zone, after string
		want                   []string
	}{
		{
			"a time that the clock leaps over counts at the leap", "30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		},
		{
			"a time that it shows twice counts once", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		},
		{
			"also asked about between the two showings", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z",
			[]string{"2026-10-26T02:30:00+01:00"},
		},
		{
			"also asked about after the clock was put back", "30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z",
			[]string{"2026-10-26T02:30:00+01:00"},
		},
		{
			"several times in the hour that is leapt over are one", "0,20,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"},
		},
		{
			"several times in the hour that comes twice come once", "0,20,40 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:20:00+02:00", "2026-10-25T02:40:00+02:00", "2026-10-26T02:00:00+01:00"},
		},
		{
			"what is every half hour goes on by the hours that pass", "*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00"},
		},
		{
			"and so it does over the leap", "*/30 * * * *", "Europe/Berlin", "2026-03-29T00:15:00Z",
			[]string{"2026-03-29T01:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"},
		},
		{
			"a clock that leaps at midnight", "0 0 * * *", "Africa/Cairo", "2026-04-22T22:30:00Z",
			[]string{"2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00"},
		},
		{
			"one that leaps at midnight in the south", "0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z",
			[]string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
		},
		{
			"a time that comes twice in another zone", "30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"},
		},
		{
			"a clock that is put forward by half an hour", "15 * * * *", "Australia/Lord_Howe", "2026-10-03T14:30:00Z",
			[]string{"2026-10-04T01:15:00+10:30", "2026-10-04T03:15:00+11:00"},
		},
		{
			"every second hour is an hour of the day", "0 */2 * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T04:00:00+01:00"},
		},
		{"workdays", "30 6 * * 1-5", "UTC", "2026-11-20T07:00:00Z", []string{"2026-11-23T06:30:00Z", "2026-11-24T06:30:00Z"}},
		{"the 31st", "0 0 31 * *", "UTC", "2026-01-31T00:00:00Z", []string{"2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"}},
		{"the 29th of February", "0 0 29 2 *", "UTC", "2026-01-31T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
		{"a word", "@daily", "America/New_York", "2026-11-20T07:00:00Z", []string{"2026-11-21T00:00:00-05:00"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			x, err := parseCron(c.cron, c.zone)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339, c.after)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range c.want {
				at = x.next(at)
				got = append(got, at.Format(time.RFC3339))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestAtLengthTicksAgainstACalendar compares ticks with a calendar, minute by minute, for a
// year of a zone that changes its clock.
func TestAtLengthTicksAgainstACalendar(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for expression, fits := range map[string]func(time.Time) bool{
		"17 * * * *":     func(at time.Time) bool { return at.Minute() == 17 },
		"*/20 * * * 0,6": func(at time.Time) bool { return at.Minute()%20 == 0 && (at.Weekday() == 0 || at.Weekday() == 6) },
		"0 12 13 * 5": func(at time.Time) bool {
			return at.Minute() == 0 && at.Hour() == 12 && (at.Day() == 13 || at.Weekday() == 5)
		},
	} {
		c, err := parseCron(expression, "Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, zone)
		next := c.next(start)
		for at := start.Add(time.Minute); at.Before(start.AddDate(1, 0, 0)); at = at.Add(time.Minute) {
			if !fits(at) {
				continue
			}
			if !next.Equal(at) {
				t.Fatalf("%s: a tick at %s, want %s", expression, next, at)
			}
			next = c.next(at)
		}
	}
}

func TestInvalidCronExpressions(t *testing.T) {
	for _, c := range [][2]string{
		{"", "UTC"},
		{"* * * *", "UTC"},
		{"60 * * * *", "UTC"},
		{"* 24 * * *", "UTC"},
		{"* * 32 * *", "UTC"},
		{"* * * 13 *", "UTC"},
		{"a * * * *", "UTC"},
		{"* * * * * *", "UTC"},
		{"0 0 1 1 * 2030", "UTC"},
		{"@everysecond", "UTC"},
		{"@every 5m", "UTC"},
		{"0 0 * * *", "Mars/Olympus"},
		{"0 0 * * *", "../../etc/passwd"},
		{"*/0 * * * *", "UTC"},
		{"5-1 * * * *", "UTC"},
		{"-1 * * * *", "UTC"},
	} {
		if _, err := parseCron(c[0], c[1]); err == nil {
			t.Errorf("%q in %s is taken", c[0], c[1])
		}
	}
	if err := (&Schedule{Name: "x", Workflow: "w", Cron: "0 0 30 2 *", Zone: "UTC"}).check(); err == nil {
		t.Error("the 30th of February is taken")
	}
}

func TestTicksThatWereMissed(t *testing.T) {
	c, err := parseCron("* * * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2026, 5, 1, 12, 0, 30, 0, time.UTC)
	for _, x := range []struct {
		after time.Time
		want  int
	}{{until.Add(-time.Minute), 1}, {until.Add(-20 * time.Second), 0}, {until.Add(-3 * time.Hour), 100}, {until.AddDate(-20, 0, 0), 100}} {
		got := c.ticks(x.after, until, 100)
		if len(got) != x.want || x.want > 0 && !got[len(got)-1].Equal(until.Truncate(time.Minute)) {
			t.Errorf("since %s: %d ticks, %v", x.after, len(got), got)
		}
	}
}

func TestTheZoneOfTheMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such files")
	}
	local, dir := time.Local, t.TempDir()
	t.Cleanup(func() { time.Local = local })
	berlin := filepath.Join(dir, "zoneinfo", "Europe", "Berlin") // as TZ=:/usr/share/zoneinfo/Europe/Berlin names it
	if err := errors.Join(os.MkdirAll(filepath.Dir(berlin), 0o700), os.WriteFile(berlin, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin",
		"UTC":           "UTC",
		berlin:          "Europe/Berlin",
		dir:             "UTC",
	} {
		time.Local = time.FixedZone(name, 0)
		if got := localZone(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestAZoneWithoutAName tests a machine that knows its zone only as a file without a name,
// as Windows does, or a container that was given /etc/localtime.
func TestAZoneWithoutAName(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone(t.TempDir(), 3600)
	s := &Schedule{Name: "x", Workflow: "w", Cron: "0 6 * * *"}
	if err := s.check(); err == nil || !strings.Contains(fmt.Sprint(steps.AsError(err).Next), "zone") {
		t.Errorf("it is at six in %s, %v", s.Zone, err)
	}
	s.Zone = "Europe/Berlin"
	if err := s.check(); err != nil {
		t.Error(err)
	}
}
