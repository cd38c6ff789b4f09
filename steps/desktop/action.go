package desktop

import (
	"context"
	"fmt"
	"image"
	"reflect"
	"time"
)

// An Actor acts on a desktop. It returns when the display or the application
// has taken the action. An action that it does not support fails with
// ErrUnavailable.
type Actor interface {
	Do(ctx context.Context, a Action) error
}

// An Action is one thing to do to a desktop: a value of a type of this file.
type Action interface{ action() }

// MovePointer moves the pointer to a point of the screen.
type MovePointer struct{ To Point }

// ButtonDown presses a mouse button and keeps it down until ButtonUp or
// ReleaseAll.
type ButtonDown struct {
	Button Button
	// Follows says that it may be one of a multiple click with the press before.
	// Otherwise it rests until it is taken for a click of its own.
	Follows bool
}

// ButtonUp releases a mouse button.
type ButtonUp struct{ Button Button }

// Click moves to the point and presses and releases the button Count times,
// quickly enough to count as one multiple click.
type Click struct {
	At     Point
	Button Button
	Count  int // 0 is 1
	// In is the window that was seen at the point. When it is not there any
	// more, or not where it was seen, nothing is pressed and the click fails
	// with ErrMoved; when it moves meanwhile, with ErrUnclear. Systems that
	// cannot tell ignore it. nil clicks whatever is there.
	In *Window
	// On is the element that was seen at the point, if any.
	On *Element
}

// Scroll turns the wheel where the pointer is: DX to the right, DY down.
type Scroll struct{ DX, DY int }

// KeyDown presses a key and keeps it down until KeyUp or ReleaseAll.
type KeyDown struct{ Key Key }

// KeyUp releases a key.
type KeyUp struct{ Key Key }

// Press presses a chord's modifiers, its key, and releases them in reverse.
type Press struct {
	Chord Chord
	// Global receives whether a program takes the chord wherever it is pressed,
	// such as a shortcut of the window manager, unless nil. Systems that cannot
	// tell leave it alone.
	Global *bool
	Ask    bool // only tell that, and press nothing
}

// Type enters text exactly, whatever the layout and CapsLock, and returns when
// the application has read it, as far as it can be asked. No text at all only
// waits until it has read what was sent before.
type Type struct{ Text string }

// Manage changes one window and returns when the change can be seen.
type Manage struct {
	Window WindowID
	Do     WindowAction
	Bounds Rect // of Place: where it goes, with its frame; a zero size keeps the size
}

// WriteClipboard puts text on the clipboard.
type WriteClipboard struct{ Text string }

// Invoke does the named action of an element; "" is its default action.
type Invoke struct {
	Element Handle
	Action  string
}

// SetText replaces the text of an element.
type SetText struct {
	Element Handle
	Text    string
}

// InsertText inserts text into an element where its caret is, and leaves the
// caret behind it.
type InsertText struct {
	Element Handle
	Text    string
}

// SetNumber sets the value of an element.
type SetNumber struct {
	Element Handle
	Value   float64
}

// Select selects, or deselects, a child of a container by its index.
type Select struct {
	Container Handle
	Child     int
	On        bool
}

// GrabFocus moves the keyboard focus to an element.
type GrabFocus struct{ Element Handle }

// Reveal scrolls an element into view.
type Reveal struct {
	Element Handle
	// Then receives the chord that brings it into view, where the application
	// scrolls to nothing but what has the focus, which it then got. Unless nil.
	Then *Chord
}

// RestoreFocus brings the user back to where SaveFocus found them.
type RestoreFocus struct{ State FocusState }

// Launch starts an application by command line, desktop file or name.
type Launch struct {
	App     string
	Started *App // receives the program that was started, unless nil
	// Vet is asked before it starts; its error keeps it from starting. Nil:
	// everything may start.
	Vet func(LaunchTarget) error
}

// LaunchTarget is what Launch has found to start.
type LaunchTarget struct {
	Args     []string // the program as it is named, and its arguments
	File     string   // where the program is; empty when that is not known
	Entry    string   // the desktop file that names it; empty: the caller did
	Terminal bool     // the desktop file wants a terminal, or is one
}

// OpenURL opens an address with the user's preferred program, and waits to
// hear that it could. That program may stay as long as what it opened.
type OpenURL struct {
	URL  string
	Seen <-chan struct{} // closed by a caller who sees that it is open, to end the wait; nil if nobody looks
}

// Mark draws a frame for a while, or until Unmark when For is zero, and
// returns at once.
type Mark struct {
	Area  Rect
	Label string
	For   time.Duration
}

// Unmark removes all frames.
type Unmark struct{}

// Panel shows a picture above all windows, in the place of the one that was shown
// before; without a picture there is none. It is no window of the list, and takes
// clicks, which Watch tells, but never the keyboard.
type Panel struct {
	At      Point
	Picture *image.RGBA
}

func (MovePointer) action()    {}
func (ButtonDown) action()     {}
func (ButtonUp) action()       {}
func (Click) action()          {}
func (Scroll) action()         {}
func (KeyDown) action()        {}
func (KeyUp) action()          {}
func (Press) action()          {}
func (Type) action()           {}
func (Manage) action()         {}
func (WriteClipboard) action() {}
func (Invoke) action()         {}
func (SetText) action()        {}
func (InsertText) action()     {}
func (SetNumber) action()      {}
func (Select) action()         {}
func (GrabFocus) action()      {}
func (Reveal) action()         {}
func (RestoreFocus) action()   {}
func (Launch) action()         {}
func (OpenURL) action()        {}
func (Mark) action()           {}
func (Unmark) action()         {}
func (Panel) action()          {}

// NameOf is the name of an action's type, such as "Click".
func NameOf(a Action) string { return reflect.TypeOf(a).Name() }

// Unsupported is the error for an action that a driver does not have.
func Unsupported(a Action) error {
	return &MissingError{What: fmt.Sprintf("%s is not possible on this desktop", NameOf(a))}
}
