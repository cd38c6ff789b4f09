package steps

import (
	"encoding/json"
	"time"

	"understudy/steps/desktop"
)

// NoArgs are the arguments of a kind that takes none.
type NoArgs struct{}

// NoResult is the result of a kind that has nothing to say.
type NoResult struct{}

// Chords are the keys to press, one after the other.
func (k Keys) Chords() ([]desktop.Chord, error) {
	chords, err := desktop.ParseKeys(string(k))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return chords, nil
}

// Millis is a number of milliseconds in an argument.
type Millis int

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

// Selector is a selector in an argument.
type Selector string

// Keys is a list of keys in an argument: "ctrl+s", "{Tab}{Tab}".
type Keys string

// Command is a command line or a script in an argument. Values that a document
// puts into it are quoted for the shell that runs it.
type Command string

// Expression is a condition in an argument. A document holds it as text, and the
// kind is given what it came to.
type Expression any

// Path is a file's path in an argument.
type Path string

// Pattern is a regular expression in an argument.
type Pattern string

// Value is a text or a number in an argument.
type Value string

func (v *Value) UnmarshalJSON(b []byte) error {
	text, err := textOf(b)
	*v = Value(text)
	return err
}
