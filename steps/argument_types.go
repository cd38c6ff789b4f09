package steps

import (
	"encoding/json"
	"time"
)

// NoArgs are the arguments of a kind that takes none.
type NoArgs struct{}

// NoResult is the result of a kind that returns nothing.
type NoResult struct{}

// Millis is a number of milliseconds in an argument.
type Millis int

func (m Millis) Std() time.Duration { return time.Duration(m) * time.Millisecond }

// Count is a number of things in an argument, never negative.
type Count int

// Selector is a selector in an argument.
type Selector string

// Keys is a list of keys in an argument: "ctrl+s", "{Tab}{Tab}".
type Keys string

// Command is a command line or a script in an argument. Values that a document
// inserts are quoted for the shell that runs it.
type Command string

// Expression is a condition in an argument. A document holds it as text; the kind
// gets its value.
type Expression any

// Path is a file's path in an argument.
type Path string

// Pattern is a regular expression in an argument.
type Pattern string

// Value is a text or a number in an argument.
type Value string

// UnmarshalJSON reads a string, or a number or boolean as its text.
func (v *Value) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' {
		*v = Value(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(v))
}
