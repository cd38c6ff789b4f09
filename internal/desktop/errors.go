package desktop

import "fmt"

// Error is a constant error of a driver.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrNotFound means that a window or an element does not exist, or no longer.
	ErrNotFound Error = "no such element"
	// ErrUnavailable means that this machine cannot do what was asked, or no
	// longer: no display, a missing program, a system without support.
	ErrUnavailable Error = "not available here"
	// ErrRefused means that the application did not do what it was asked.
	ErrRefused Error = "the application refused"
	// ErrUnresponsive means that an application or the display did not answer in
	// time, so that the effect is not known.
	ErrUnresponsive Error = "no answer in time"
	// ErrUnclear means that an action was performed, and that its effect is not
	// known.
	ErrUnclear Error = "the outcome is unknown"
	// ErrMoved means that the target is not where it was seen, so that nothing was
	// done.
	ErrMoved Error = "it is not where it was seen"
	// ErrGone means that a lasting desktop has ended.
	ErrGone Error = "there is no such desktop"
)

// A NotBegunError is an error from before an action did anything, such as that of an
// application that could not be asked for the element.
type NotBegunError struct{ Err error }

func (e *NotBegunError) Error() string { return e.Err.Error() }

func (e *NotBegunError) Unwrap() error { return e.Err }

// An ElsewhereError reports that another window than the intended one has the keyboard, so
// that no key was sent.
type ElsewhereError struct{ Has Window }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the window %q of %s has the keyboard", e.Has.Title, e.Has.Process)
}

func (e *ElsewhereError) Unwrap() error { return ErrMoved }

// A TypingError reports how many characters of a text were sent before an error.
type TypingError struct {
	Sent, Of int
	Err      error
}

func (e *TypingError) Error() string {
	return fmt.Sprintf("typing, with %d of %d characters sent: %v", e.Sent, e.Of, e.Err)
}

func (e *TypingError) Unwrap() error { return e.Err }

// A GoneError reports how a lasting desktop ended.
type GoneError struct{ Name, Why string }

func (e *GoneError) Error() string { return "desktop " + e.Name + " " + e.Why }

func (e *GoneError) Unwrap() []error { return []error{ErrGone, ErrUnavailable} }

// A MissingError reports what is missing here and the one command that mends it.
type MissingError struct {
	What string // such as "no display: DISPLAY is not set"
	Mend string // such as "apt-get install xvfb"
	// Wayland is true if a person sits here, in a session that cannot be reached.
	Wayland bool
	// Setup is true if the session can be reached once Mend was executed.
	Setup bool
}

func (e *MissingError) Error() string {
	if e.Mend == "" {
		return e.What
	}
	return e.What + "; to fix it: " + e.Mend
}

func (e *MissingError) Unwrap() error { return ErrUnavailable }

// ErrUnreported explains why the input of a person cannot be watched in a Wayland
// session without accessibility.
var ErrUnreported error = &MissingError{
	What: "a Wayland session does not report what a person types in another program, and the effects are reported only by the accessibility bus, which does not answer",
	Mend: "apt-get install at-spi2-core",
}

// WaylandError returns the error of an X display that belongs to a Wayland session:
// X has only some of its windows, and neither typed keys nor the clipboard get there.
func WaylandError(display string) error {
	return &MissingError{
		What: display + ": in a Wayland session windows cannot be listed, operated or recorded; use a separate desktop with --display virtual, or log in to an Xorg session",
		Mend: "understudy doctor --display virtual", Wayland: true,
	}
}
