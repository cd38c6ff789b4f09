package recorder

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

// Seen is an element as it was when a person used it, with selectors that find it again.
type Seen struct {
	desktop.Element
	// New: its program did not have it at the previous press.
	New bool `json:"new,omitempty"`
	// In are the elements around it, the nearest first.
	In []Ancestor `json:"in,omitempty"`
	// Selectors find it inside its program, the best first.
	Selectors []selector.Candidate `json:"selectors,omitempty"`
}

// Ancestor is an element around another.
type Ancestor struct {
	Role desktop.Role `json:"role"`
	Name string       `json:"name,omitempty"`
}

// Secret reports whether text typed into it must not be written. That is so for an unknown element.
func (s *Seen) Secret() bool { return s == nil || s.Role == "password" }

// TakesText reports whether it is a field for text.
func (s *Seen) TakesText() bool {
	return s != nil && (s.Role == "password" || s.Role == "entry" || s.Role == "editbar" || s.States.Has(desktop.Editable))
}

// DropDown reports whether it is a combo box that takes no text and has its options in it. What a page
// only gives that role has them elsewhere, and its script shows what is chosen in its own way.
func (s *Seen) DropDown() bool {
	return s != nil && s.Role == "combobox" && !s.States.Has(desktop.Editable) && (!s.InPage() || s.Attributes["tag"] == "select")
}

// InPage reports whether it is in a page of a browser.
func (s *Seen) InPage() bool { return s != nil && s.Attributes["tag"] != "" }

// Slider reports whether it is set to a number by moving it.
func (s *Seen) Slider() bool { return s != nil && s.Role == "slider" && s.Value != nil }

// ShowsContent reports whether its text is data or a result, which may differ in the next run.
func ShowsContent(s *Seen) bool {
	return s.TakesText() || slices.Contains([]desktop.Role{"text", "document", "paragraph", "terminal", "spinbutton"}, s.Role)
}

// lineHeight is more than a field of one line has.
const lineHeight = 60

// MultiLine reports whether Enter begins a new line in it.
func (s *Seen) MultiLine() bool {
	return s != nil && (s.States.Has(desktop.MultiLine) || s.Role == "text" && s.Bounds.H > lineHeight)
}

// The values of a toggle.
const (
	On  = "on"
	Off = "off"
)

// Shown returns the choice that an element shows: On or Off, a number, or its text, which
// some toolkits expose as its name.
func Shown(e *desktop.Element) string {
	switch s := (&Seen{Element: *e}); {
	case IsToggle(s) && e.States.Has(desktop.Checked):
		return On
	case IsToggle(s):
		return Off
	case s.Slider():
		return strconv.FormatFloat(e.Value.Now, 'f', -1, 64)
	}
	if e.Text != "" {
		return e.Text
	}
	return e.Name
}

// InMenu reports whether an element is a menu or an item of one.
func InMenu(s *Seen) bool { return s.Role.Is(desktop.InMenu) }

// IsToggle reports whether an element is on or off.
func IsToggle(s *Seen) bool { return s.Role.Is(desktop.Toggle) && !InMenu(s) }

// Selectable reports whether an element of a role shows by being selected that it is chosen.
func Selectable(role desktop.Role) bool {
	return role == "pagetab" || role == "listitem" || role == "treeitem"
}

// Pressable reports whether it has an effect when pressed, without a change of its own.
func Pressable(s *Seen) bool {
	inBox := slices.ContainsFunc(s.In, func(a Ancestor) bool { return a.Role == "combobox" })
	return !inBox && (s.Role == "button" || s.Role == "togglebutton" || s.Role == "link")
}

// IsOption reports whether an element of a role can be an option of a list.
func IsOption(role desktop.Role) bool {
	return slices.Contains([]desktop.Role{"menuitem", "listitem", "cell", "label", "row", "combobox", "menu"}, role)
}

// IsContainer reports whether an element is so large that its place means little.
func IsContainer(s *Seen) bool {
	return slices.Contains([]desktop.Role{"frame", "window", "dialog", "document", "filler", "panel"}, s.Role)
}

// MaxPart is the largest size of an element that is one thing to a person who clicks it.
const MaxPart = 240

// Drawn reports whether it may draw its content itself: what a place in it shows is another thing
// once it is resized, or shows other data.
func (s *Seen) Drawn() bool {
	if s == nil {
		return false
	}
	content := IsContainer(s) || s.Role.Is(desktop.Container) || ShowsContent(s) && s.Role != "terminal"
	return s.Role == "canvas" || s.Role == "pagetablist" || s.Role.Is(desktop.Rows) || content && max(s.Bounds.W, s.Bounds.H) > MaxPart
}

// positional matches a part of a selector that counts elements, or is a point.
var positional = regexp.MustCompile(`(?:^|&& |>> |\()(?:nth[:-]|pos:)`)

// Positional reports whether a selector counts elements, or names a point.
func Positional(selector string) bool { return positional.MatchString(selector) }

// toolkitName matches a selector with the name of a part of a toolkit: GTK 4 names
// elements without a name by their class, as in role:text && name:EditorSourceView.
var toolkitName = regexp.MustCompile(`name:"?(?:(?:Gtk|Gdk|Adw|Hdy)[A-Z]\w*|Q[A-Z][a-z]\w*|File Chooser Widget)\b|role:(?:text|filler|panel|list|table|tree|canvas|image|scrollpane) && name:(?:[A-Z][a-z]+){2,}(?:[ )]|$)`)

// NamesToolkit reports whether a selector names a part of the toolkit.
func NamesToolkit(selector string) bool { return toolkitName.MatchString(selector) }

// Named reports whether it has a name that is neither its content nor its class.
func (s *Seen) Named() bool {
	name := strings.TrimSpace(s.Name)
	return name != "" && !(s.Name == s.Text && ShowsContent(s)) && !NamesToolkit("role:"+string(s.Role)+" && name:"+selector.Quote(name))
}

// slip is how far the pointer may slip during a click, in pixels.
const slip = 5

// Near reports whether two points are close enough to be one click.
func Near(a, b desktop.Point) bool {
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx*dx+dy*dy <= slip*slip
}

// KeepsFocus reports whether a key without text leaves the focus in its field.
func KeepsFocus(k desktop.Key) bool {
	return slices.Contains([]desktop.Key{"backspace", "delete", "left", "right", "home", "end", "insert"}, k)
}

// Edits reports whether a chord edits the text of a field, or moves the caret on its line.
func Edits(k desktop.Key, mods []desktop.Key) bool {
	switch k {
	case "a", "c", "v", "x", "z", "y":
		return slices.Equal(mods, []desktop.Key{desktop.Ctrl})
	}
	return KeepsFocus(k) && !slices.ContainsFunc(mods, func(m desktop.Key) bool { return m != desktop.Ctrl && m != desktop.Shift })
}

// MovesCaret reports whether a chord in a field only moves the caret, selects or copies.
func MovesCaret(k desktop.Key, mods []desktop.Key) bool {
	switch k {
	case "left", "right", "home", "end", "up", "down", "pageup", "pagedown":
		return true
	case "a", "c":
		return slices.Equal(mods, []desktop.Key{desktop.Ctrl})
	}
	return false
}
