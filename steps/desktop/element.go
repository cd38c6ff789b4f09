package desktop

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
)

// Handle is how a driver knows an element. It means nothing to anyone else,
// and nothing after the element is gone.
type Handle string

// Element is what was known of one element when it was read.
type Element struct {
	Handle      Handle            `json:"-"`
	Ref         string            `json:"ref,omitempty"` // bound to the tree it came with
	Role        Role              `json:"role"`          // normalised
	RawRole     string            `json:"raw_role,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Text        string            `json:"text,omitempty"` // what it shows or holds
	Label       string            `json:"label,omitempty"`
	ID          string            `json:"id,omitempty"` // the toolkit's id, the DOM's id
	Class       string            `json:"class,omitempty"`
	Process     string            `json:"process,omitempty"`
	Aliases     []string          `json:"-"` // of a root: what else people call the program
	PID         int               `json:"pid,omitempty"`
	Window      WindowID          `json:"window,omitempty"`
	WindowTitle string            `json:"window_title,omitempty"`
	Bounds      Rect              `json:"bounds"`
	States      States            `json:"states,omitempty"`
	Actions     []string          `json:"actions,omitempty"`
	Value       *Range            `json:"value,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	Note        string            `json:"note,omitempty"` // what a reader must know of it, such as which of its rows show
	Leaf        bool              `json:"-"`              // the application was asked what it holds, and tells of nothing
	Index       int               `json:"-"`              // its place among its parent's children
	// WindowBounds is where the window was when the element was read.
	WindowBounds Rect `json:"-"`
	// Unsettled says that the window has just been moved or resized, and the
	// application may not know yet where it is.
	Unsettled bool `json:"-"`
	// Guessed says that the application tells late where its elements are, so
	// that this one may not be at the point that was asked for; Sure that such an
	// application found it there itself.
	Guessed, Sure bool `json:"-"`
	// Loose is by how much it may lie further to the right and below than Bounds say.
	Loose Point `json:"-"`
	// Hits are the elements at the point that was asked for, from the innermost
	// up to this one, which is what a person would name.
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

// Tree is what was read of the accessibility tree, at one time.
type Tree struct {
	ID      string     `json:"id"` // refs are bound to it
	Roots   []*Element `json:"roots"`
	Omitted int        `json:"omitted,omitempty"` // how many elements the scope left out
	// Unread names the applications that did not answer in time.
	Unread []string `json:"unread,omitempty"`
}

// Scope says which part of the accessibility tree to read. The zero Scope is
// everything that shows.
type Scope struct {
	Process string   // only applications with this name
	PID     int      // only this process
	Window  WindowID // only this window
	Title   string   // only windows whose title holds this text
	Root    Handle   // only below this element
	Depth   int      // at most this many levels, not counting what only holds others; 0 means no limit
	Limit   int      // at most this many elements; 0 means no limit
	Hidden  bool     // also what does not show
	Full    bool     // also bounds, text, labels, actions, values, ids and attributes
	Cell    string   // with Hidden: also the cell with this address, such as B4, of each spreadsheet
	Of      Role     // with Full: all that only of elements of this role
	CellAt  *Point   // of each spreadsheet only the cell at this point of the screen
}

// Walk calls f for the element and everything below it, parents first, until
// f says false.
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

// Walk calls f for every element of the tree, parents first, until f says false.
func (t *Tree) Walk(f func(*Element) bool) {
	for _, r := range t.Roots {
		if !r.Walk(f) {
			return
		}
	}
}

// States is a set of what an element is.
type States uint32

// What an element can be.
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

// Has says whether every state of o is in s.
func (s States) Has(o States) bool { return s&o == o }

// Names are the names of the states in the set, in alphabetical order.
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

// StateNames are the names of all states.
func StateNames() []string { return slices.Clone(stateNames) }

// ParseState is the state with a name.
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
