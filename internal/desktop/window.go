package desktop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// WindowID identifies a window for the window system.
type WindowID uint64

// Window is one top-level window.
type Window struct {
	ID      WindowID `json:"id"`
	Title   string   `json:"title"`
	Process string   `json:"process"`         // the program's name
	Class   string   `json:"class,omitempty"` // as the application names itself
	Aliases []string `json:"-"`               // other names of the program
	PID     int      `json:"pid"`
	Bounds  Rect     `json:"bounds"` // with its frame
	// Unplaced is the size of a window whose position is not known; such a window has
	// no Bounds.
	Unplaced  Size `json:"unplaced,omitzero"`
	Active    bool `json:"active,omitempty"`
	Minimized bool `json:"minimized,omitempty"`
	Maximized bool `json:"maximized,omitempty"`
	// Hidden windows are on another workspace.
	Hidden bool `json:"hidden,omitempty"`
	// Modal windows are dialogs that block their parent.
	Modal bool `json:"modal,omitempty"`
	// Popup windows are menus and tooltips, which no window manager manages.
	Popup bool `json:"popup,omitempty"`
	// Content is the part that the application draws, without frame and shadow, on
	// window systems where applications do not know the position of their windows.
	// Elsewhere it is zero.
	Content Rect `json:"-"`
	// Inside is the part within the frame that the window manager draws, without the
	// window's shadow; zero if only Bounds are known.
	Inside Rect `json:"-"`
	// Dialog windows are secondary windows of an application.
	Dialog bool `json:"-"`
	// Splash windows show that the application is starting.
	Splash bool `json:"-"`
	// Tooltip windows are popups that are dismissed when the pointer moves.
	Tooltip bool `json:"-"`
}

// WindowAction is an action of Manage.
type WindowAction string

// The actions of Manage.
const (
	Activate WindowAction = "activate"
	Close    WindowAction = "close"
	Minimize WindowAction = "minimize"
	Maximize WindowAction = "maximize"
	Restore  WindowAction = "restore"
	Place    WindowAction = "place"
)

// Shows reports whether a window is on the screen, covered or not.
func (w *Window) Shows() bool { return !w.Minimized && !w.Hidden }

// Sized reports whether a window has a size, even if its position is not known.
func (w *Window) Sized() bool { return !w.Bounds.Empty() || !w.Unplaced.Empty() }

// Real reports whether a person would call it a window: it has a size, and is no
// menu, tooltip or splash.
func (w *Window) Real() bool { return !w.Popup && !w.Tooltip && !w.Splash && w.Sized() }

// Windows is a list of windows from the bottom of the stack to its top.
type Windows []Window

func (d *Desktop) Windows(ctx context.Context) (Windows, error) {
	all, err := d.WindowLister.Windows(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the windows: %w", err)
	}
	return all, nil
}

// topmost returns the topmost window that matches, or nil.
func (ws Windows) topmost(match func(*Window) bool) *Window {
	for i := range slices.Backward(ws) {
		if match(&ws[i]) {
			return &ws[i]
		}
	}
	return nil
}

// At returns the window that is meant at a point, or nil: the topmost that is not a
// tooltip, because a tooltip is dismissed when the pointer moves there.
func (ws Windows) At(p Point) *Window {
	return ws.topmost(func(w *Window) bool { return w.Shows() && !w.Tooltip && w.Bounds.Contains(p) })
}

// PressedAt returns the window that a press at a point reaches now, or nil: the
// topmost, which may be a tooltip.
func (ws Windows) PressedAt(p Point) *Window {
	return ws.topmost(func(w *Window) bool { return w.Shows() && w.Bounds.Contains(p) })
}

// Active returns the window that has the keyboard, or nil.
func (ws Windows) Active() *Window { return ws.topmost(func(w *Window) bool { return w.Active }) }

// Foremost returns the real window that a person works with: the active one, or else
// the topmost that shows, or else the topmost of all; nil if there is none.
func (ws Windows) Foremost() *Window {
	return cmp.Or(
		ws.topmost(func(w *Window) bool { return w.Active && w.Real() }),
		ws.topmost(func(w *Window) bool { return w.Shows() && w.Real() }),
		ws.topmost((*Window).Real),
	)
}

// TopPopup returns the topmost popup that shows and is no tooltip, or nil.
func (ws Windows) TopPopup() *Window {
	return ws.topmost(func(w *Window) bool { return w.Popup && w.Shows() && !w.Tooltip })
}

// ByID returns the window with an ID, or nil.
func (ws Windows) ByID(id WindowID) *Window {
	return ws.topmost(func(w *Window) bool { return w.ID == id })
}

// Of returns the windows in a scope.
func (ws Windows) Of(s Scope) (in Windows) {
	for _, w := range ws {
		if (s.Window == 0 || s.Window == w.ID) && (s.PID == 0 || s.PID == w.PID) && s.Admits(&w) {
			in = append(in, w)
		}
	}
	return in
}

// Without returns the windows that another list lacks.
func (ws Windows) Without(other Windows) (left Windows) {
	for _, w := range ws {
		if other.ByID(w.ID) == nil {
			left = append(left, w)
		}
	}
	return left
}

// Blocker returns the modal dialog of the same program above a window, or nil. It
// takes the input that is meant for the window, even where it does not cover it.
func (ws Windows) Blocker(id WindowID) *Window {
	i := slices.IndexFunc(ws, func(w Window) bool { return w.ID == id })
	if i < 0 || ws[i].PID == 0 {
		return nil
	}
	for j := range ws[i+1:] {
		if w := &ws[i+1+j]; w.Modal && w.Shows() && w.PID == ws[i].PID {
			return w
		}
	}
	return nil
}

// Admits reports whether the program and the title of a window are in the scope.
func (s Scope) Admits(w *Window) bool {
	if s.Process != "" && !IsCalled(s.Process, w.PID, w.Process, w.Aliases) {
		return false
	}
	return s.Titled(w.Title)
}

// Titled reports whether a title contains that of the scope, as selectors compare: case is
// ignored, and a run of white space is one blank.
func (s Scope) Titled(title string) bool {
	return s.Title == "" || strings.Contains(strings.ToLower(CollapseSpace(title)), strings.ToLower(CollapseSpace(s.Title)))
}

// CollapseSpace joins runs of white space and trims both ends.
func CollapseSpace(text string) string {
	for i := range len(text) {
		if c := text[i]; c <= ' ' && (c != ' ' || i == 0 || i == len(text)-1 || text[i+1] == ' ') || c >= 0x80 {
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text
}
