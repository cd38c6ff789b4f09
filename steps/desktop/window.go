package desktop

import "slices"

// WindowID is how the window system knows a window.
type WindowID uint64

// Window is one top-level window.
type Window struct {
	ID        WindowID `json:"id"`
	Title     string   `json:"title"`
	Process   string   `json:"process"`         // the program's name
	Class     string   `json:"class,omitempty"` // the application's own name for itself
	PID       int      `json:"pid"`
	Bounds    Rect     `json:"bounds"` // with its frame
	Active    bool     `json:"active,omitempty"`
	Minimized bool     `json:"minimized,omitempty"`
	Maximized bool     `json:"maximized,omitempty"`
	// Hidden windows are on another workspace.
	Hidden bool `json:"hidden,omitempty"`
	// Modal windows are dialogs that block their parent.
	Modal bool `json:"modal,omitempty"`
	// Popup windows are menus and tooltips, which no window manager manages.
	Popup bool `json:"popup,omitempty"`
	// Tooltip windows are those popups that go when the pointer moves.
	Tooltip bool `json:"-"`
}

// WindowAction is what can be done with a window.
type WindowAction string

// What can be done with a window.
const (
	Activate WindowAction = "activate"
	Close    WindowAction = "close"
	Minimize WindowAction = "minimize"
	Maximize WindowAction = "maximize"
	Restore  WindowAction = "restore"
	Place    WindowAction = "place"
)

// Blocker is a modal dialog of the same program above a window: it takes what is
// meant for the window, also where it does not cover it. The windows are listed
// from the bottom to the top. It is nil when there is none.
func Blocker(windows []Window, id WindowID) *Window {
	i := slices.IndexFunc(windows, func(w Window) bool { return w.ID == id })
	if i < 0 || windows[i].PID == 0 {
		return nil
	}
	for _, w := range windows[i+1:] {
		if w.Modal && !w.Minimized && !w.Hidden && w.PID == windows[i].PID {
			return &w
		}
	}
	return nil
}
