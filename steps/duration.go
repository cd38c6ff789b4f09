package steps

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time in a document: "500ms", "1s", "2m30s", or a
// number of milliseconds.
type Duration time.Duration

func (d Duration) Std() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads text or milliseconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	p, err := DurationOf(v)
	*d = p
	return err
}

// MaxDuration is the longest time that a document may name.
const MaxDuration = Duration(365 * 24 * time.Hour)

// DurationOf reads a duration from a value of a document.
func DurationOf(v any) (Duration, error) {
	switch v := v.(type) {
	case float64:
		return durationIn(v * float64(time.Millisecond))
	case int:
		return durationIn(float64(v) * float64(time.Millisecond))
	case string:
		return ParseDuration(v)
	}
	return 0, fmt.Errorf("wanted a duration such as 500ms or 2s, or a number of milliseconds, found %v", v)
}

// ParseDuration reads "1s", "500ms" or "1.5m", where blanks are ignored, or a number of
// milliseconds.
func ParseDuration(text string) (Duration, error) {
	t := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	if ms, err := strconv.ParseFloat(t, 64); err == nil {
		return durationIn(ms * float64(time.Millisecond))
	}
	p, err := time.ParseDuration(t)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: wanted something like 500ms, 2s or 1m30s", text)
	}
	return durationIn(float64(p))
}

func durationIn(ns float64) (Duration, error) {
	if !(ns >= 0 && ns <= float64(MaxDuration)) {
		return 0, fmt.Errorf("a duration lies between 0 and %d days", int(MaxDuration.Std().Hours()/24))
	}
	return Duration(ns), nil
}
