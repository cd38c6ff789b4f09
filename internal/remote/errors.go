package remote

import (
	"context"
	"errors"

	"understudy/engine"
	"understudy/steps"
)

// A Failure is the wire format of an error.
type Failure struct {
	Text string `json:"text"`
	// Constant is the text of the constant error that it wraps, so that errors.Is
	// works.
	Constant string `json:"constant,omitempty"`
	// Code and the following fields are those of the steps.Error that it wraps, or of
	// a cause that has a code.
	Code       steps.Code        `json:"code,omitempty"`
	Inner      string            `json:"inner,omitempty"` // text of the Err of a steps.Error
	Step       string            `json:"step,omitempty"`
	Next       string            `json:"next,omitempty"`
	Candidates []steps.Candidate `json:"candidates,omitempty"`
}

// causes are the constant errors that do not belong to the engine.
var causes = []error{context.Canceled, context.DeadlineExceeded}

// FailureOf returns the wire format of an error; nil: there is none.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: err.Error()}
	if c, ok := errors.AsType[engine.Error](err); ok {
		f.Constant = string(c)
	}
	for _, c := range causes {
		if errors.Is(err, c) {
			f.Constant = c.Error()
		}
	}
	e, ok := errors.AsType[*steps.Error](err)
	if !ok {
		if code := steps.CodeOf(err); code != steps.Internal {
			f.Code, f.Inner = code, f.Text
		}
		return f
	}
	f.Code, f.Step, f.Next, f.Candidates = e.Code, e.Step, e.Next, e.Candidates
	if e.Err != nil {
		f.Inner = e.Err.Error()
	}
	return f
}

// Err returns the error that the failure was made from.
func (f *Failure) Err() error {
	if f == nil {
		return nil
	}
	var cause error
	if f.Constant != "" {
		cause = engine.Error(f.Constant)
	}
	for _, c := range causes {
		if c.Error() == f.Constant {
			cause = c
		}
	}
	if f.Code == "" {
		return reworded(f.Text, cause)
	}
	e := &steps.Error{Code: f.Code, Step: f.Step, Next: f.Next, Candidates: f.Candidates}
	if f.Inner != "" {
		e.Err = reworded(f.Inner, cause)
	}
	if e.Error() == f.Text {
		return e
	}
	return reworded(f.Text, e)
}

// rewordedError is an error with the text that it had in the other process.
type rewordedError struct {
	text  string
	cause error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.cause }

func reworded(text string, cause error) error {
	if cause != nil && cause.Error() == text {
		return cause
	}
	return &rewordedError{text, cause}
}

// Malformed returns the error for a message that cannot be read.
func Malformed(what string, err error) error {
	return steps.Errorf(steps.Invalid, "the message %s cannot be read: %w", what, err).WithNext("use the same version of understudy in every process")
}
