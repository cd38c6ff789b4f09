package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"understudy/steps"
)

// The exit statuses.
const (
	statusOK          = 0
	statusInternal    = 1
	statusInvalid     = 2
	statusFailed      = 3
	statusNotReady    = 4
	statusWaiting     = 5
	statusInterrupted = 130
)

var statusMeanings = []struct {
	status  int
	meaning string
}{
	{statusOK, "done"},
	{statusInternal, "an error of the program itself"},
	{statusInvalid, "wrong usage, or an invalid document"},
	{statusFailed, "a step failed; the run can be resumed"},
	{statusNotReady, "this machine is not ready; `understudy doctor` says what is missing"},
	{statusWaiting, "the run waits for an answer"},
	{statusInterrupted, "interrupted; the run can be resumed"},
}

// statusOf maps the codes of errors to exit statuses.
var statusOf = map[steps.Code]int{
	steps.Invalid:       statusInvalid,
	steps.NotFound:      statusFailed,
	steps.Ambiguous:     statusFailed,
	steps.NotActionable: statusFailed,
	steps.Unexpected:    statusFailed,
	steps.Timeout:       statusFailed,
	steps.LoopLimit:     statusFailed,
	steps.Denied:        statusFailed,
	steps.Unavailable:   statusNotReady,
	steps.Busy:          statusNotReady,
	steps.Cancelled:     statusInterrupted,
	steps.Interrupted:   statusInterrupted,
	steps.Internal:      statusInternal,
	waitingCode:         statusWaiting,
}

// waitingCode stands for a run that waits or pauses, which is no error.
const waitingCode steps.Code = "waiting"

func statusHelp() string {
	var b strings.Builder
	b.WriteString("Exit statuses:\n")
	for _, s := range statusMeanings {
		fmt.Fprintf(&b, "  %3d  %s\n", s.status, s.meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}

// A shownError is an error that was already printed.
type shownError struct{ code steps.Code }

func (e *shownError) Error() string { return string(e.code) }

// childStatus is the exit status of a program that was started, which has said why.
type childStatus int

func (s childStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// end shows an error, unless it was shown already, and returns the exit status.
func (c *console) end(err error) int {
	if err == nil {
		return statusOK
	}
	if status, ok := errors.AsType[childStatus](err); ok {
		return int(status)
	}
	code := steps.CodeOf(err)
	if shown, ok := errors.AsType[*shownError](err); ok {
		code = shown.code
	} else {
		fmt.Fprintf(c.errOut, "%s %s\n", paintFor(c.errOut).red("understudy:"), cleanLines(err.Error()))
	}
	return cmp.Or(statusOf[code], statusInternal) // a later version may have other codes
}
