package owner

import (
	"context"
	"errors"

	"understudy/engine"
	"understudy/steps"
)

// ErrLeft says that this process gave up the data folder.
const ErrLeft engine.Error = "this process has left the data folder"

// errLost says that the connection ended before the answer came; errMoved that
// the owner left before it began what was asked.
const (
	errLost  engine.Error = "the process that owns the data folder is gone"
	errMoved engine.Error = "the process that owns the data folder is leaving it"
)

func isLost(err error) bool { return errors.Is(err, errLost) || errors.Is(err, errMoved) }

// A failure is an error on the wire.
type failure struct {
	Text string `json:"text"`
	// Constant is the constant error inside, so that errors.Is holds.
	Constant string `json:"constant,omitempty"`
	// Code and what follows are those of the steps.Error inside, or of the
	// cause that has a code.
	Code       steps.Code        `json:"code,omitempty"`
	Inner      string            `json:"inner,omitempty"` // the text of its Err
	Step       string            `json:"step,omitempty"`
	Next       string            `json:"next,omitempty"`
	Candidates []steps.Candidate `json:"candidates,omitempty"`
}

// causes are constant errors that are not the engine's.
var causes = []error{context.Canceled, context.DeadlineExceeded}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
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

// error is the failure as the error that it was.
func (f *failure) error() error {
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

func malformed(what string, err error) error {
	return steps.Errorf(steps.Invalid, "the message %s cannot be read: %w", what, err).WithNext("use the same version of understudy in every process")
}

// unsure is the error of a call that may have been done.
func unsure(name string) error {
	return steps.Errorf(steps.Interrupted, "%w, and nobody knows whether it did %q", errLost, name).
		WithNext("look at the run, then ask again if it was not done")
}
