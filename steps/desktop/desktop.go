// Package desktop says what a desktop is: the words that every part of the
// program uses for it (Point, Key, Element, Window), the small interfaces through
// which it is seen, and the actions, which are values that are given to one
// method, Do. Drivers implement the interfaces; kinds use them; nothing in this
// package acts.
//
// It imports only the standard library, so that everything may import it.
package desktop

import (
	"context"
	"image"
	"time"
)

// A Desktop is one desktop, put together from its parts. A part that this
// machine lacks is an Unavailable value, so a Desktop has no nil parts and a
// kind need not ask before it uses one.
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
	Session
}

// A Machine opens the desktop of the computer it runs on and says what that
// desktop needs. It is what main hands to the command line.
type Machine interface {
	// Open connects to a display, or starts a virtual one.
	Open(ctx context.Context, o Options) (*Desktop, error)
	// Diagnose checks everything that Open and its result rely on.
	Diagnose(ctx context.Context, o Options) []Finding
}

// Seat is the display of the person at the machine, and no other instead of it.
const Seat = "seat"

// Portal is the Wayland session of the person at the machine, operated by what a person
// allows in a dialog of the desktop.
const Portal = "portal"

// Options say which display to use.
type Options struct {
	Display string // "auto" (or empty), Seat, Portal, "virtual", "virtual:NAME", or a display name such as ":0"
	Screen  Size   // the size of a virtual screen; zero means 1920×1080
	Layout  string // of a virtual keyboard, such as "de"
	Dir     string // where a virtual display keeps its cookie and sockets

	// Name makes a virtual desktop a lasting one of that name: it is started
	// when it is not there, and Close leaves it. Without it a virtual desktop
	// ends with Close.
	Name string
	// Asks is told when a person is asked in a dialog whether the display may be used,
	// and what. Without it nobody is asked, and a display that needs that is not opened.
	Asks func(text string)
	// Look opens a display that needs that without asking: it cannot be used then.
	Look bool

	// Birth, if set, is that of the desktop that is meant: another of its name
	// will not do.
	Birth string
	// Run is the run that it is started for, or empty.
	Run string
	// Owner is the credential that it belongs to; empty: the person at the machine.
	Owner string
	// Worker is who executes that run, in a fleet; empty: it is of this machine.
	Worker string
	// Linger is how long it stays when nobody uses it; 0: until it is ended.
	Linger time.Duration
	// OwnHome gives its programs a home folder of their own.
	OwnHome bool
}

// A Finding is one line of a diagnosis.
type Finding struct {
	Name   string `json:"name"`             // what was looked at, such as "display"
	OK     bool   `json:"ok"`               // whether it works
	Detail string `json:"detail"`           // what was found
	Mend   string `json:"mend,omitempty"`   // the one command that mends it
	Needed bool   `json:"needed,omitempty"` // false when only some kinds miss it

	Applications []string `json:"applications,omitempty"` // that are installed, as runs of a fleet may need them
}

// Pointer says where the mouse is.
type Pointer interface {
	PointerPosition(ctx context.Context) (Point, error)
	// RestBeforeClick waits until a click is taken for one of its own, and not as
	// a double click with the one before.
	RestBeforeClick(ctx context.Context, c Click) error
}

// Screen sees pixels.
type Screen interface {
	Monitors(ctx context.Context) ([]Monitor, error)
	// Capture takes a picture of an area, clipped to the screen. The zero
	// Rect is the whole screen.
	Capture(ctx context.Context, area Rect) (*image.RGBA, error)
	// Snap takes a picture of the whole screen, and returns as soon as that is
	// taken. What is left to do is done by a call of what it returns, which must
	// come, once, and may come while other things go on.
	Snap(ctx context.Context) (develop func() *image.RGBA, err error)
	// LastDrawn is a time after which nothing was drawn in an area of a window,
	// or with no window on the whole screen: now, where nothing is known, as when
	// it is asked of a window for the first time.
	LastDrawn(ctx context.Context, id WindowID, area Rect) (time.Time, error)
}

// WindowLister lists windows.
type WindowLister interface {
	// Windows lists the windows from the bottom of the stack to its top.
	Windows(ctx context.Context) ([]Window, error)
}

// Clipboard reads the clipboard's text: "" when it holds nothing. It fails with
// ErrRefused when it holds something that is no text.
type Clipboard interface {
	ReadClipboard(ctx context.Context) (string, error)
}

// Elements reads the accessibility tree.
type Elements interface {
	// Tree reads the elements in a scope.
	Tree(ctx context.Context, s Scope) (*Tree, error)
	// ElementAt is the meaningful element under a point of the screen.
	ElementAt(ctx context.Context, at Point) (*Element, error)
	// Hit is the element that a click at a point reaches. It is ElementAt, save
	// where that is Guessed: then the application itself looks, which takes it
	// some frames. One that does not answer leaves it Guessed.
	Hit(ctx context.Context, at Point) (*Element, error)
	// Refresh reads one element again, without its children. It fails with
	// ErrNotFound when the element is gone.
	Refresh(ctx context.Context, h Handle) (*Element, error)
}

// Focus says where the user is, for RestoreFocus to bring them back.
type Focus interface {
	SaveFocus(ctx context.Context) (FocusState, error)
}

// Changes says that something changed, and never to what: who wants to know
// reads it. So nothing that a password field holds comes this way.
type Changes interface {
	// WatchFocus calls f when the keyboard may have moved to another element,
	// until the context ends. The first call is when nothing is missed any more.
	WatchFocus(ctx context.Context, f func()) error
	// WatchElement calls f when an element may show something else, such as
	// another text or number, until the context ends. The first call is when
	// nothing is missed any more; one for several changes is enough, but one
	// follows the last. Of an element that changes very often it hears less.
	WatchElement(ctx context.Context, h Handle, f func()) error
}

// Input watches what a person does. Our own injected input is left out.
type Input interface {
	// Watch calls f for each event, in order, until the context ends, and
	// returns its cause. The first is WatchBegan.
	Watch(ctx context.Context, f func(InputEvent)) error
}

// Session is the life of the connection to the desktop.
type Session interface {
	// Info describes the desktop: what replays are compared with.
	Info(ctx context.Context) (Info, error)
	// Ping fails with ErrUnavailable when the display is lost.
	Ping(ctx context.Context) error
	// ReleaseAll lets go of every key and button that we hold down.
	ReleaseAll(ctx context.Context) error
	Close() error
}

// Info is the fingerprint of a desktop.
type Info struct {
	System   string    `json:"system"`            // "linux", "windows", "darwin"
	Display  string    `json:"display,omitempty"` // such as ":99"
	Virtual  bool      `json:"virtual,omitempty"`
	Instead  string    `json:"instead,omitempty"` // why it stands in for the screen of a person who sits here
	Name     string    `json:"name,omitempty"`    // of a lasting one
	Birth    string    `json:"birth,omitempty"`   // which tells it from others of its name
	Layout   string    `json:"layout,omitempty"`  // of the keyboard, when it was chosen
	Manager  string    `json:"manager,omitempty"` // the window manager
	Monitors []Monitor `json:"monitors"`
	Env      []string  `json:"-"` // what a child needs to reach this desktop: DISPLAY=…, XAUTHORITY=…
}

// App is a program that was started.
type App struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	// Status says how the program is now; nil where that cannot be known.
	Status func() AppStatus `json:"-"`
}

// AppStatus is what is known of a program that was started.
type AppStatus struct {
	Ended bool
	Err   error  // how it ended, unless well
	Said  string // the last lines of its standard error
}

// FocusState is where the user was: window, element, caret and pointer.
type FocusState struct {
	Window  WindowID
	Element Handle
	Caret   int // -1 when the element has none
	// Selection is the selected text, as offsets; equal when nothing is.
	Selection [2]int
	// Length is how many characters the element held, and Begin the first of them. One
	// that holds another text by the time it gets the focus back keeps its caret.
	Length  int
	Begin   string
	Pointer Point
	// PointerUnknown says that nobody tells where the pointer was: it stays where it is.
	PointerUnknown bool
}
