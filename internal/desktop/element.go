package desktop

import (
	"encoding/json"
	"fmt"
	"image"
	"math/bits"
	"slices"
)

// Handle identifies an element for a driver. It is opaque to everyone else, and
// invalid after the element is gone.
type Handle string

// Element is one element as it was read.
type Element struct {
	Handle      Handle            `json:"-"`
	Ref         string            `json:"ref,omitempty"` // bound to the tree it came with
	Role        Role              `json:"role"`          // normalised
	RawRole     string            `json:"raw_role,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Text        string            `json:"text,omitempty"` // that it shows or holds
	Label       string            `json:"label,omitempty"`
	ID          string            `json:"id,omitempty"` // the toolkit's id, the DOM's id
	Class       string            `json:"class,omitempty"`
	Process     string            `json:"process,omitempty"`
	Aliases     []string          `json:"-"` // of a root: other names of the program
	PID         int               `json:"pid,omitempty"`
	Window      WindowID          `json:"window,omitempty"`
	WindowTitle string            `json:"window_title,omitempty"`
	Bounds      Rect              `json:"bounds"`
	States      States            `json:"states,omitempty"`
	Actions     []string          `json:"actions,omitempty"`
	Value       *Range            `json:"value,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	Note        string            `json:"note,omitempty"` // for readers, such as which rows of a table show
	Leaf        bool              `json:"-"`              // the application was asked for children, and reports none
	Index       int               `json:"-"`              // its position among its parent's children
	// Read is the picture of a word that was read off the screen, of which no application
	// reports an element; nil for elements.
	Read image.Image `json:"-"`
	// WindowBounds are the bounds of the window when the element was read.
	WindowBounds Rect `json:"-"`
	// Unsettled is true if the window has just been moved or resized, so that the
	// application may not know its position yet.
	Unsettled bool `json:"-"`
	// Guessed is true if the application reports the boxes of its elements late, so
	// that this one may not be at the given point. Sure is true if such an
	// application found it there by its own hit test.
	Guessed, Sure bool `json:"-"`
	// Default is true for the button that Enter presses in the other elements of its window.
	Default bool `json:"-"`
	// Loose is how much further to the right and below Bounds the element may be.
	Loose Point `json:"-"`
	// Hits are the elements at the given point, from the innermost up to this one,
	// which is the one that a person would name.
	Hits     []Handle   `json:"-"`
	Parent   *Element   `json:"-"`
	Children []*Element `json:"children,omitempty"`
}

// Range is the value of a slider, a spin button or a progress bar.
type Range struct {
	Now float64 `json:"now"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Tree is a part of the accessibility tree, read at one time.
type Tree struct {
	ID      string     `json:"id"` // refs are bound to it
	Roots   []*Element `json:"roots"`
	Omitted int        `json:"omitted,omitempty"` // counts the elements that the scope left out
	// Unread names the applications that did not answer in time.
	Unread []string `json:"unread,omitempty"`
}

// Scope selects a part of the accessibility tree. The zero Scope is everything that
// shows.
type Scope struct {
	Process string   // only applications with this name
	PID     int      // only this process
	Window  WindowID // only this window
	Title   string   // only windows whose title contains this text
	Root    Handle   // only below this element
	Depth   int      // at most this many levels, not counting mere containers; 0 means no limit
	Limit   int      // at most this many elements; 0 means no limit
	Hidden  bool     // also elements that do not show
	Full    bool     // also bounds, text, labels, actions, values, IDs and attributes
	IDs     bool     // without Full: also IDs and attributes
	Cell    string   // with Hidden: also the cell with this address, such as B4, of each spreadsheet
	Of      Role     // with Full: these fields only for elements of this role
	CellAt  *Point   // of each spreadsheet only the cell at this point of the screen
}

// Walk calls f for the element and its descendants, parents first, until f returns
// false.
func (e *Element) Walk(f func(*Element) bool) bool {
	if !f(e) {
		return false
	}
	for _, c := range e.Children {
		if !c.Walk(f) {
			return false
		}
	}
	return true
}

// Enclosing returns the nearest of the elements around this one that fits, or nil.
func (e *Element) Enclosing(fits func(*Element) bool) *Element {
	for p := e.Parent; p != nil; p = p.Parent {
		if fits(p) {
			return p
		}
	}
	return nil
}

// Walk calls f for every element of the tree, parents first, until f returns false.
func (t *Tree) Walk(f func(*Element) bool) {
	for _, r := range t.Roots {
		if !r.Walk(f) {
			return
		}
	}
}

// States is a set of states of an element.
type States uint32

// The states of an element.
const (
	Active States = 1 << iota
	Checked
	Collapsed
	Editable
	Enabled
	Expanded
	Focusable
	Focused
	Indeterminate
	IsModal
	MultiLine
	MultiSelectable
	Pressed
	ReadOnly
	Required
	Selectable
	Selected
	Showing
	Visible
	Defunct
)

var stateNames = []string{
	"active", "checked", "collapsed", "editable", "enabled", "expanded", "focusable", "focused",
	"indeterminate", "modal", "multi_line", "multi_selectable", "pressed", "read_only", "required",
	"selectable", "selected", "showing", "visible", "defunct",
}

// Has reports whether every state of o is in s.
func (s States) Has(o States) bool { return s&o == o }

// Names returns the names of the states in the set, in alphabetical order.
func (s States) Names() []string {
	names := make([]string, 0, bits.OnesCount32(uint32(s)))
	for i, n := range stateNames {
		if s&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// StateNames returns the names of all states.
func StateNames() []string { return slices.Clone(stateNames) }

// ParseState returns the state with a name.
func ParseState(name string) (States, bool) {
	i := slices.Index(stateNames, name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

func (s States) MarshalJSON() ([]byte, error) { return json.Marshal(s.Names()) }

func (s *States) UnmarshalJSON(b []byte) error {
	var names []string
	if err := json.Unmarshal(b, &names); err != nil {
		return err
	}
	*s = 0
	for _, n := range names {
		v, ok := ParseState(n)
		if !ok {
			return fmt.Errorf("state %q is not known", n)
		}
		*s |= v
	}
	return nil
}
