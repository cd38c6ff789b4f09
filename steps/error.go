package steps

import (
	"context"
	"errors"
	"fmt"

	"understudy/internal/desktop"
)

// Code is a stable word for the sort of an error.
type Code string

// The codes. Each edge of the program has one table from these to its own
// statuses.
const (
	Invalid       Code = "invalid"
	NotFound      Code = "not_found"
	Ambiguous     Code = "ambiguous"
	NotActionable Code = "not_actionable"
	Unexpected    Code = "unexpected"
	Timeout       Code = "timeout"
	Cancelled     Code = "cancelled"
	Interrupted   Code = "interrupted"
	Unavailable   Code = "unavailable"
	Denied        Code = "denied"
	Busy          Code = "busy"
	LoopLimit     Code = "loop_limit"
	Internal      Code = "internal"
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		Invalid, NotFound, Ambiguous, NotActionable, Unexpected, Timeout, Cancelled,
		Interrupted, Unavailable, Denied, Busy, LoopLimit, Internal,
	}
}

// Error describes what went wrong in a step, for people and programs.
type Error struct {
	Code       Code
	Step       string      // the step's id or path, once it is known
	Err        error       // what was wanted and what was found
	Next       string      // what to do next
	Candidates []Candidate // what was tried, or what nearly matched
	Blocker    string      // title of the dialog or window in the way
}

// Candidate is a selector and how many elements it matched.
type Candidate struct {
	Selector string `json:"selector"`
	Matches  int    `json:"matches"`
	Element  string `json:"element,omitempty"` // what it would match, in words
}

func (e *Error) Error() string {
	text := string(e.Code)
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error with a code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// WithNext sets what to do next, and returns the error.
func (e *Error) WithNext(next string) *Error {
	e.Next = next
	return e
}

// With returns a copy of the error with another code and text.
func (e *Error) With(code Code, err error) *Error {
	c := *e
	c.Code, c.Err = code, err
	return &c
}

// causes maps the errors of drivers and contexts to codes; the first match counts.
var causes = []struct {
	err  error
	code Code
}{
	{desktop.ErrNotFound, NotFound},
	{desktop.ErrUnavailable, Unavailable},
	{desktop.ErrUnresponsive, Timeout},
	{desktop.ErrRefused, NotActionable},
	{desktop.ErrUnclear, Unexpected},
	{desktop.ErrMoved, NotActionable},
	{context.DeadlineExceeded, Timeout},
	{context.Canceled, Cancelled},
}

// CodeOf returns the code of an error: its own, or that of its cause.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	for _, c := range causes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return Internal
}

// AsError returns err as an Error, with the code of its cause.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeOf(err), Err: err}
}
