// Package desktop defines a desktop: the types that every part of the program
// uses for it (Point, Key, Element, Window), the small interfaces through which it
// is seen, and the actions, which are values that are passed to one method, Do.
// Drivers implement the interfaces; kinds use them; nothing in this package acts.
//
// It imports only the standard library, so that everything may import it.
package desktop

import (
	"context"
	"image"
	"time"
)

// A Desktop is one desktop, assembled from its parts. A part that this machine
// lacks is an Unavailable value, so a Desktop has no nil parts and a kind need not
// check before it uses one.
type Desktop struct {
	Actor
	Pointer
	Screen
	WindowLister
	Clipboard
	Elements
	Focus
	Changes
	Input
	BrowserLister
	Session
}

// A Machine opens the desktop of the computer it runs on and diagnoses what that
// desktop needs. The main package passes it to the command line.
type Machine interface {
	// Open connects to a display, or starts a virtual one.
	Open(ctx context.Context, o Options) (*Desktop, error)
	// Diagnose checks everything that Open and its result rely on.
	Diagnose(ctx context.Context, o Options) []Finding
}

// Seat is the display of the person at the machine, and never another one.
const Seat = "seat"

// Portal is the Wayland session of the person at the machine, operated with the
// permission that a person gives in a dialog of the desktop.
const Portal = "portal"

// Options say which display to use.
type Options struct {
	Display string // "auto" (or empty), Seat, Portal, "virtual", "virtual:NAME", or a display name such as ":0"
	Screen  Size   // the size of a virtual screen; zero means 1920×1080
	Layout  string // of a virtual keyboard, such as "de"
	Dir     string // where a virtual display keeps its cookie and sockets

	// Name makes a virtual desktop a lasting one of that name: it is started if it
	// does not exist, and survives Close. Without a name a virtual desktop ends with
	// Close.
	Name string
	// Asks is called with the text of a dialog that asks a person whether the
	// display may be used. If it is nil, nobody is asked, and a display that needs
	// permission is not opened.
	Asks func(text string)
	// Look opens such a display without asking, for diagnosis; it cannot be used.
	Look bool

	// Birth, if set, must be that of the lasting desktop, to exclude another one of
	// the same name.
	Birth string
	// Run is the run that the desktop is started for, or empty.
	Run string
	// Owner is the credential that the desktop belongs to; empty is the person at
	// the machine.
	Owner string
	// Worker executes that run, in a fleet; empty is this machine.
	Worker string
	// Linger is how long the desktop lasts while nobody uses it; 0 is until it is
	// ended.
	Linger time.Duration
	// OwnHome gives the programs of the desktop a home folder and a /tmp of their own.
	OwnHome bool
	// Share are folders that these programs share with others, also if they are in /tmp.
	Share []string
}

// A Finding is one line of a diagnosis.
type Finding struct {
	Name   string `json:"name"`             // what was checked, such as "display"
	OK     bool   `json:"ok"`               // whether it works
	Detail string `json:"detail"`           // what was found
	Mend   string `json:"mend,omitempty"`   // the one command that mends it
	Needed bool   `json:"needed,omitempty"` // false if only some kinds need it

	Applications []string `json:"applications,omitempty"` // the installed ones, which runs of a fleet may need
}

// Pointer reports the position of the mouse.
type Pointer interface {
	PointerPosition(ctx context.Context) (Point, error)
	// ClickRest returns how long a click must wait so as not to count as a double click
	// with one before.
	ClickRest(ctx context.Context, c Click) (time.Duration, error)
}

// Screen sees pixels.
type Screen interface {
	Monitors(ctx context.Context) ([]Monitor, error)
	// Capture takes a picture of an area, clipped to the screen. The zero
	// Rect is the whole screen.
	Capture(ctx context.Context, area Rect) (*image.RGBA, error)
	// Snap takes a picture of the whole screen, and returns as soon as the pixels
	// are captured. The remaining work is done by develop, which must be called
	// exactly once, and may run concurrently with other calls.
	Snap(ctx context.Context) (develop func() *image.RGBA, err error)
	// LastDrawn returns a time after which nothing was drawn in an area of a window,
	// or of the screen if the window is 0. It is the current time if nothing is
	// known, as at the first call for a window.
	LastDrawn(ctx context.Context, id WindowID, area Rect) (time.Time, error)
}

// WindowLister lists windows.
type WindowLister interface {
	// Windows lists the windows from the bottom of the stack to its top.
	Windows(ctx context.Context) ([]Window, error)
}

// Clipboard reads the clipboard's text: "" if the clipboard is empty. It fails with
// ErrRefused if the clipboard holds something other than text.
type Clipboard interface {
	ReadClipboard(ctx context.Context) (string, error)
}

// Elements reads the accessibility tree.
type Elements interface {
	// Tree reads the elements in a scope.
	Tree(ctx context.Context, s Scope) (*Tree, error)
	// ElementAt returns the meaningful element under a point of the screen.
	ElementAt(ctx context.Context, at Point) (*Element, error)
	// Hit returns the element that a click at a point reaches. It is ElementAt,
	// except where that is Guessed: then the application runs its own hit test, which
	// takes some frames. If it does not answer, the element stays Guessed.
	Hit(ctx context.Context, at Point) (*Element, error)
	// Refresh reads one element again, without its children. It fails with
	// ErrNotFound if the element is gone.
	Refresh(ctx context.Context, h Handle) (*Element, error)
}

// Focus reads the state of the user's work that RestoreFocus restores.
type Focus interface {
	SaveFocus(ctx context.Context) (FocusState, error)
}

// Changes reports that something changed, and never the new value, which the
// caller reads. So it never transports the content of a password field.
type Changes interface {
	// WatchFocus calls f when the keyboard focus may have moved to another element,
	// until the context ends. From the first call on nothing is missed.
	WatchFocus(ctx context.Context, f func()) error
	// WatchElement calls f when an element may show something else, such as
	// another text or number, until the context ends. From the first call on nothing
	// is missed. Several changes may be combined, but a call follows the last one. An
	// element that changes very often is reported less often.
	WatchElement(ctx context.Context, h Handle, f func()) error
}

// Input watches the input of a person, without the input that we inject.
type Input interface {
	// Watch calls f for each event, in order, until the context ends, and
	// returns the context's cause. The first event is WatchBegan.
	Watch(ctx context.Context, f func(InputEvent)) error
}

// Session is the life of the connection to the desktop.
type Session interface {
	// Info returns the fingerprint of the desktop, which replays compare.
	Info(ctx context.Context) (Info, error)
	// Ping fails with ErrUnavailable if the display is lost.
	Ping(ctx context.Context) error
	// ReleaseAll releases every key and button that we hold down.
	ReleaseAll(ctx context.Context) error
	Close() error
}

// Info is the fingerprint of a desktop.
type Info struct {
	System   string    `json:"system"`            // "linux", "windows", "darwin"
	Display  string    `json:"display,omitempty"` // such as ":99"
	Virtual  bool      `json:"virtual,omitempty"`
	Instead  string    `json:"instead,omitempty"` // why it is used instead of the screen of a person who sits here
	Name     string    `json:"name,omitempty"`    // of a lasting one
	Birth    string    `json:"birth,omitempty"`   // distinguishes it from others of its name
	Layout   string    `json:"layout,omitempty"`  // of the keyboard, if it was chosen
	Manager  string    `json:"manager,omitempty"` // the window manager
	Monitors []Monitor `json:"monitors"`
	Env      []string  `json:"-"` // what a child needs to reach this desktop: DISPLAY=…, XAUTHORITY=…
}

// App is a program that was started.
type App struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	// Status returns the current status of the program; nil if that cannot be known.
	Status func() AppStatus `json:"-"`
}

// AppStatus is the status of a program that was started.
type AppStatus struct {
	Ended bool
	Err   error  // why it failed
	Said  string // the last lines of its standard error
}

// FocusState is the state of a user's work: window, element, caret and pointer.
type FocusState struct {
	Window  WindowID
	Element Handle
	Caret   int // -1 if the element has none
	// Selection holds the offsets of the selected text; they are equal if there is
	// none.
	Selection [2]int
	// Length is the number of characters of the element, and Begin the first of them.
	// In an element that holds another text by now, RestoreFocus leaves the caret.
	Length  int
	Begin   string
	Pointer Point
	// PointerUnknown is true if the position of the pointer could not be read, so that
	// it is not restored.
	PointerUnknown bool
}

// Unavailable implements the parts of a desktop that this machine lacks. Every
// method fails with Err, which should be a MissingError.
type Unavailable struct{ Err error }

// Missing returns a Desktop whose parts all fail with err. Drivers replace the
// parts that they have.
func Missing(err error) *Desktop {
	u := Unavailable{err}
	return &Desktop{u, u, u, u, u, u, u, u, u, u, u}
}

func (u Unavailable) Do(context.Context, Action) error                        { return u.Err }
func (u Unavailable) PointerPosition(context.Context) (Point, error)          { return Point{}, u.Err }
func (u Unavailable) ClickRest(context.Context, Click) (time.Duration, error) { return 0, u.Err }
func (u Unavailable) Monitors(context.Context) ([]Monitor, error)             { return nil, u.Err }

func (u Unavailable) Capture(context.Context, Rect) (*image.RGBA, error) { return nil, u.Err }

func (u Unavailable) Snap(context.Context) (func() *image.RGBA, error) { return nil, u.Err }

func (u Unavailable) LastDrawn(context.Context, WindowID, Rect) (time.Time, error) {
	return time.Time{}, u.Err
}

func (u Unavailable) Windows(context.Context) ([]Window, error)          { return nil, u.Err }
func (u Unavailable) ReadClipboard(context.Context) (string, error)      { return "", u.Err }
func (u Unavailable) Tree(context.Context, Scope) (*Tree, error)         { return nil, u.Err }
func (u Unavailable) ElementAt(context.Context, Point) (*Element, error) { return nil, u.Err }
func (u Unavailable) Hit(context.Context, Point) (*Element, error)       { return nil, u.Err }
func (u Unavailable) Refresh(context.Context, Handle) (*Element, error)  { return nil, u.Err }
func (u Unavailable) SaveFocus(context.Context) (FocusState, error)      { return FocusState{}, u.Err }
func (u Unavailable) WatchFocus(context.Context, func()) error           { return u.Err }
func (u Unavailable) WatchElement(context.Context, Handle, func()) error { return u.Err }
func (u Unavailable) Watch(context.Context, func(InputEvent)) error      { return u.Err }
func (u Unavailable) Browsers(context.Context) ([]BrowserProcess, error) { return nil, u.Err }
func (u Unavailable) Browse(context.Context, int) (Browser, error)       { return nil, u.Err }
func (u Unavailable) Info(context.Context) (Info, error)                 { return Info{}, u.Err }
func (u Unavailable) Ping(context.Context) error                         { return u.Err }
func (u Unavailable) ReleaseAll(context.Context) error                   { return nil }
func (u Unavailable) Close() error                                       { return nil }
