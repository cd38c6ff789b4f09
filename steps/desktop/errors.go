package desktop

// Error is a constant error of a driver.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrNotFound says that a window or an element is not there, or no longer.
	ErrNotFound Error = "no such element"
	// ErrUnavailable says that this machine cannot do what was asked, or can
	// no longer: no display, a missing program, a system without support.
	ErrUnavailable Error = "not available here"
	// ErrRefused says that the application did not do what it was asked.
	ErrRefused Error = "the application refused"
	// ErrUnresponsive says that an application or the display did not answer
	// in time, so that what it did is not known.
	ErrUnresponsive Error = "no answer in time"
	// ErrUnclear says that something was done, and that what came of it is
	// not known.
	ErrUnclear Error = "what came of it is not known"
	// ErrMoved says that what was to be acted on is not where it was seen, so
	// that nothing was done.
	ErrMoved Error = "it is not where it was seen"
	// ErrGone says that a lasting desktop has ended.
	ErrGone Error = "there is no such desktop"
)

// A GoneError says what became of a lasting desktop.
type GoneError struct{ Name, Why string }

func (e *GoneError) Error() string { return "desktop " + e.Name + " " + e.Why }

func (e *GoneError) Unwrap() []error { return []error{ErrGone, ErrUnavailable} }

// A MissingError says what is missing here and the one command that mends it.
type MissingError struct {
	What string // such as "no display: DISPLAY is not set"
	Mend string // such as "apt-get install xvfb"
	// Wayland says that a person sits here, in a session that cannot be reached.
	Wayland bool
	// Setup says that the session can be reached once Mend was done.
	Setup bool
}

func (e *MissingError) Error() string {
	if e.Mend == "" {
		return e.What
	}
	return e.What + "; to mend it: " + e.Mend
}

func (e *MissingError) Unwrap() error { return ErrUnavailable }

// ErrUnheard says why nobody can watch what a person does in a Wayland session without
// accessibility.
var ErrUnheard error = &MissingError{
	What: "in a Wayland session no program hears what a person types in another one, and what came of it is told only by the accessibility bus, which does not answer",
	Mend: "apt-get install at-spi2-core",
}

// WaylandError is the error of a display, in words, that belongs to a Wayland
// session: of its windows X shows only some, and neither what is typed nor the
// clipboard gets there.
func WaylandError(display string) error {
	return &MissingError{
		What: display + ": in a Wayland session the windows cannot be seen, typed into or heard; what works is a desktop of its own, with --display virtual, or a login to a session of Xorg",
		Mend: "understudy doctor --display virtual", Wayland: true,
	}
}
