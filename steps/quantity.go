package steps

import (
	"encoding/json"
	"time"
)

// Millis is a number of milliseconds in an argument.
type Millis int

// Std is the time in the words of the time package.
func (m Millis) Std() time.Duration { return time.Duration(m) * time.Millisecond }

// Count is a number of things in an argument, never negative.
type Count int

// textOf is a JSON string, number or boolean as text.
func textOf(b []byte) (string, error) {
	if len(b) > 0 && b[0] != '"' {
		return string(b), nil
	}
	var s string
	err := json.Unmarshal(b, &s)
	return s, err
}
