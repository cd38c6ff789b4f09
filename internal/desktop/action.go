package desktop

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	// Follows allows the press to make a multiple click with the press before.
	// Otherwise the driver waits until the press counts as a click of its own.
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
	// In is the window that was seen at the point. If it is gone or has moved,
	// nothing is pressed and the click fails with ErrMoved; if it moves meanwhile,
	// with ErrUnclear. Systems that cannot tell ignore it. nil clicks whatever is
	// there.
	In *Window
	// On is the element that was seen at the point, if any.
	On *Element
}

// Scroll turns the wheel at the pointer by notches: DX to the right, DY down.
type Scroll struct{ DX, DY int }

// KeyDown presses a key and keeps it down until KeyUp or ReleaseAll.
type KeyDown struct {
	Key Key
	In  *Window // as in Type
}

// KeyUp releases a key.
type KeyUp struct{ Key Key }

// Press presses a chord's modifiers, its key, and releases them in reverse.
type Press struct {
	Chord Chord
	// Global, unless nil, receives whether a program takes the chord whatever has
	// the focus, such as a shortcut of the window manager. Systems that cannot tell
	// leave it unchanged.
	Global *bool
	Ask    bool    // only set Global, and press nothing
	In     *Window // as in Type
}

// Type enters text exactly, whatever the layout and CapsLock, and returns when
// the application has read it, as far as that can be found out. An empty text only
// waits until it has read the keys that were sent before.
type Type struct {
	Text string
	// In is the window that must have the keyboard. Where the window system can tell,
	// keys are sent only while it has it, or else typing ends with an ElsewhereError.
	In *Window
}

// Manage changes one window and returns when the change is visible.
type Manage struct {
	Window WindowID
	Do     WindowAction
	Bounds Rect // for Place: the new bounds, with the frame; a zero size keeps the size
}

// WriteClipboard puts text on the clipboard.
type WriteClipboard struct{ Text string }

// Invoke performs the named action of an element; "" is its default action.
type Invoke struct {
	Element Handle
	Action  string
}

// SetText replaces the text of an element.
type SetText struct {
	Element Handle
	Text    string
}

// InsertText inserts text at the caret of an element, and moves the caret behind
// it.
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
	// Then, unless nil, receives the chord that scrolls to the element, if the
	// application scrolls only to the focused element, which it then is.
	Then *Chord
}

// RestoreFocus restores the state that SaveFocus read.
type RestoreFocus struct{ State FocusState }

// Setting tells where a program starts, and with which environment, to which the desktop adds
// its own variables. What is empty is that of this process.
type Setting struct {
	Dir     string
	Environ []string
}

// Abs returns the absolute form of a path in the setting.
func (s Setting) Abs(path string) string {
	if filepath.IsAbs(path) || s.Dir == "" {
		return path
	}
	return filepath.Join(s.Dir, path)
}

// Variables returns the environment.
func (s Setting) Variables() []string {
	if s.Environ != nil {
		return slices.Clone(s.Environ)
	}
	return os.Environ()
}

// Variable returns the value of a variable of the environment, or "".
func (s Setting) Variable(name string) string {
	if s.Environ == nil {
		return os.Getenv(name)
	}
	for _, v := range slices.Backward(s.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// Launch starts an application by command line, desktop file or name.
type Launch struct {
	App  string
	File string // the path of a file for it to open, unless empty
	Setting
	Started *App // receives the program that was started, unless nil
	// Vet, unless nil, is called before the program starts; its error prevents the
	// start.
	Vet func(LaunchTarget) error
}

// LaunchTarget is the program that Launch has found.
type LaunchTarget struct {
	Args  []string // the program as it is named, and its arguments
	File  string   // the path of the program; empty if it is not known
	Entry Entry    // the desktop file that names it; zero if the caller did
}

// OpenURL opens an address with the user's preferred program, and waits until the
// opener has exited. It may run as long as the program that it started.
type OpenURL struct {
	URL string
	Setting
	Seen <-chan struct{} // closed by the caller to end the wait, because the address is open; may be nil
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

// Panel shows a picture above all windows, in place of the previous one; without a
// picture it removes that. The panel is not in the list of windows. It takes clicks,
// which Watch reports, but never the keyboard.
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

// NameOf returns the name of an action's type, such as "Click".
func NameOf(a Action) string { return reflect.TypeOf(a).Name() }

// Unsupported returns the error for an action that a driver does not have.
func Unsupported(a Action) error {
	return &MissingError{What: fmt.Sprintf("%s is not possible on this desktop", NameOf(a))}
}
