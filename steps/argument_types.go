package steps

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop/selector"
)

// NoArgs are the arguments of a kind that takes none.
type NoArgs struct{}

// NoResult is the result of a kind that returns nothing.
type NoResult struct{}

// Millis is a number of milliseconds in an argument.
type Millis int

// Std returns the duration, at most MaxDuration: a longer one might overflow and count
// as none.
func (m Millis) Std() time.Duration {
	return time.Duration(min(m, Millis(MaxDuration.Std().Milliseconds()))) * time.Millisecond
}

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

// Selectors is a list of selectors. One string may hold several, separated by commas.
type Selectors []Selector

// UnmarshalJSON reads a list or a string.
func (s *Selectors) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = splitSelectors(text)
		return nil
	}
	return json.Unmarshal(b, (*[]Selector)(s))
}

// SelectorList is a selector, or several in order.
type SelectorList []Selector

// UnmarshalJSON reads a list or one selector.
func (s *SelectorList) UnmarshalJSON(b []byte) error {
	var one Selector
	if json.Unmarshal(b, &one) != nil {
		return json.Unmarshal(b, (*[]Selector)(s))
	}
	if *s = nil; one != "" {
		*s = SelectorList{one}
	}
	return nil
}

// nextSelector matches a comma before a selector, unlike one inside a name or in
// pos:10,20. In parentheses it separates alternatives of one selector.
var nextSelector = regexp.MustCompile(`,\s*[A-Za-z]+[~?-]?[:\d]`)

func splitSelectors(text string) []Selector {
	var all []Selector
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, Selector(part))
		}
	}
	from := 0
	for _, at := range nextSelector.FindAllStringIndex(text, -1) {
		if part := text[from:at[0]]; strings.Count(part, "(") <= strings.Count(part, ")") {
			add(part)
			from = at[0] + 1
		}
	}
	add(text[from:])
	return all
}

// ParseSelectors parses selectors.
func ParseSelectors(texts []Selector) ([]*selector.Selector, error) {
	all := make([]*selector.Selector, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = ParseSelector(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ParseSelector parses a selector; an error has the code Invalid.
func ParseSelector(text Selector) (*selector.Selector, error) {
	s, err := selector.Parse(string(text))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return s, nil
}
