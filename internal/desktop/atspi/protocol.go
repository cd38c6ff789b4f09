//go:build linux

package atspi

import "understudy/internal/desktop"

// The interfaces of the accessibility bus that are used here.
const (
	ifaceAccessible  = "org.a11y.atspi.Accessible"
	ifaceAction      = "org.a11y.atspi.Action"
	ifaceApplication = "org.a11y.atspi.Application"
	ifaceCache       = "org.a11y.atspi.Cache"
	ifaceComponent   = "org.a11y.atspi.Component"
	ifaceEditable    = "org.a11y.atspi.EditableText"
	ifaceRegistry    = "org.a11y.atspi.Registry"
	ifaceSelection   = "org.a11y.atspi.Selection"
	ifaceTable       = "org.a11y.atspi.Table"
	ifaceText        = "org.a11y.atspi.Text"
	ifaceValue       = "org.a11y.atspi.Value"
	ifaceProperties  = "org.freedesktop.DBus.Properties"
)

// offers is a set of interfaces that an object implements.
type offers uint16

const (
	offersAction offers = 1 << iota
	offersComponent
	offersEditable
	offersSelection
	offersTable
	offersText
	offersValue
)

var offerByName = map[string]offers{
	ifaceAction:    offersAction,
	ifaceComponent: offersComponent,
	ifaceEditable:  offersEditable,
	ifaceSelection: offersSelection,
	ifaceTable:     offersTable,
	ifaceText:      offersText,
	ifaceValue:     offersValue,
}

func offersOf(names []string) offers {
	var o offers
	for _, n := range names {
		o |= offerByName[n]
	}
	return o
}

// roleExtended is the number of a role that only has a name.
const roleExtended = 70

// roleNames are the roles of the accessibility bus, by number.
var roleNames = []string{
	"invalid", "accelerator label", "alert", "animation", "arrow", "calendar", "canvas", "check box",
	"check menu item", "color chooser", "column header", "combo box", "date editor", "desktop icon",
	"desktop frame", "dial", "dialog", "directory pane", "drawing area", "file chooser", "filler",
	"focus traversable", "font chooser", "frame", "glass pane", "html container", "icon", "image",
	"internal frame", "label", "layered pane", "list", "list item", "menu", "menu bar", "menu item",
	"option pane", "page tab", "page tab list", "panel", "password text", "popup menu", "progress bar",
	"push button", "radio button", "radio menu item", "root pane", "row header", "scroll bar", "scroll pane",
	"separator", "slider", "spin button", "split pane", "status bar", "table", "table cell",
	"table column header", "table row header", "tearoff menu item", "terminal", "text", "toggle button",
	"tool bar", "tool tip", "tree", "tree table", "unknown", "viewport", "window", "extended", "header",
	"footer", "paragraph", "ruler", "application", "autocomplete", "editbar", "embedded", "entry", "chart",
	"caption", "document frame", "heading", "page", "section", "redundant object", "form", "link",
	"input method window", "table row", "tree item", "document spreadsheet", "document presentation",
	"document text", "document web", "document email", "comment", "list box", "grouping", "image map",
	"notification", "info bar", "level bar", "title bar", "block quote", "audio", "video", "definition",
	"article", "landmark", "log", "marquee", "math", "rating", "timer", "static", "math fraction", "math root",
	"subscript", "superscript", "description list", "description term", "description value", "footnote",
	"content deletion", "content insertion", "mark", "suggestion", "push button menu", "switch",
}

func roleName(number uint32) string {
	if int(number) < len(roleNames) {
		return roleNames[number]
	}
	return "unknown"
}

// roleOf converts a toolkit's role; one that is not known to us is "unknown".
func roleOf(raw string) desktop.Role {
	if r, ok := desktop.ParseRole(raw); ok {
		return r
	}
	return "unknown"
}

// desktopRole returns the role of a node.
func (n *node) desktopRole() desktop.Role { return roleOf(roleName(n.role)) }

// The states of the accessibility bus that are used here, by their bit.
const (
	bitActive             = 1
	bitChecked            = 4
	bitCollapsed          = 5
	bitDefunct            = 6
	bitEditable           = 7
	bitEnabled            = 8
	bitExpandable         = 9
	bitExpanded           = 10
	bitFocusable          = 11
	bitFocused            = 12
	bitModal              = 16
	bitMultiLine          = 17
	bitMultiSelectable    = 18
	bitPressed            = 20
	bitSelectable         = 22
	bitSelected           = 23
	bitSensitive          = 24
	bitShowing            = 25
	bitVisible            = 30
	bitManagesDescendants = 31
	bitIndeterminate      = 32
	bitRequired           = 33
	bitDefault            = 39
	bitReadOnly           = 43
)

// stateTable pairs the states of the bus with ours.
var stateTable = []struct {
	bit int
	is  desktop.States
}{
	{bitActive, desktop.Active},
	{bitChecked, desktop.Checked},
	{bitCollapsed, desktop.Collapsed},
	{bitDefunct, desktop.Defunct},
	{bitEditable, desktop.Editable},
	{bitEnabled, desktop.Enabled},
	{bitSensitive, desktop.Enabled}, // all that GTK 4 reports
	{bitExpanded, desktop.Expanded},
	{bitFocusable, desktop.Focusable},
	{bitFocused, desktop.Focused},
	{bitIndeterminate, desktop.Indeterminate},
	{bitModal, desktop.IsModal},
	{bitMultiLine, desktop.MultiLine},
	{bitMultiSelectable, desktop.MultiSelectable},
	{bitPressed, desktop.Pressed},
	{bitReadOnly, desktop.ReadOnly},
	{bitRequired, desktop.Required},
	{bitSelectable, desktop.Selectable},
	{bitSelected, desktop.Selected},
	{bitShowing, desktop.Showing},
	{bitVisible, desktop.Visible},
}

func has(bits uint64, bit int) bool { return bits&(1<<bit) != 0 }

func statesOf(bits uint64) desktop.States {
	var s desktop.States
	for _, t := range stateTable {
		if has(bits, t.bit) {
			s |= t.is
		}
	}
	if has(bits, bitExpandable) && !has(bits, bitExpanded) {
		s |= desktop.Collapsed
	}
	return s
}
