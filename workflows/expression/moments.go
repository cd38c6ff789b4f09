package expression

import (
	"regexp"
	"strconv"
	"time"

	"understudy/internal/words"
)

var agoForm = regexp.MustCompile(`^(\d{1,6}) ?(m|h|d|minutes?|hours?|days?)( ago)?$`)

// moment returns the time that a text names, as seen from now.
func moment(text string, now time.Time) time.Time {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "now":
		return now
	case "today":
		return midnight
	case "yesterday":
		return midnight.AddDate(0, 0, -1)
	}
	if m := agoForm.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1]) // it has at most six digits
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[m[2][0]]
		return now.Add(-time.Duration(n) * unit)
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t
		}
	}
	fail("%q names no time; write today, yesterday, 2h ago, 2026-01-31 or 2026-01-31T08:00:00Z", words.Shorten(text, 40))
	return now
}
