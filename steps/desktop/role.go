package desktop

import (
	"slices"
	"strings"
)

// Role is what sort of thing an element is, in the words that we print.
type Role string

// roles lists each role with its other names: the toolkits' own, with their
// blanks, and those that users of other automation tools know. The first name
// is the one we print. A name may stand in one list only.
var roles = [][]string{
	{"alert", "alert dialog", "notification"},
	{"application", "app"},
	{"button", "push button", "button menu", "push button menu", "split button", "splitbutton"},
	{"calendar", "date editor"},
	{"canvas", "drawing area"},
	{"cell", "table cell", "dataitem", "grid cell"},
	{"checkbox", "check box"},
	{"checkmenuitem", "check menu item"},
	{"colorchooser", "color chooser"},
	{"columnheader", "column header", "table column header", "headeritem", "header item"},
	{"combobox", "combo box"},
	{"desktop", "desktop frame"},
	{"desktopicon", "desktop icon"},
	{"dialog", "file chooser", "font chooser", "option pane"},
	{"document", "document frame", "document web", "document text", "document spreadsheet", "document presentation", "document email"},
	{"editbar", "edit bar", "autocomplete"},
	{"embedded", "embedded component"},
	{"entry", "edit", "textbox", "text box", "text field", "textfield", "entry text", "searchbox", "search box", "input"},
	{"filler", "layered pane", "glass pane", "root pane", "viewport", "view port", "scroll pane", "split pane", "option group", "internal frame", "redundant object", "directory pane", "html container", "focus traversable"},
	{"footer", "foot note", "footnote"},
	{"form"},
	{"frame", "window", "input method window"},
	{"group", "grouping"},
	{"header"},
	{"heading"},
	{"icon"},
	{"image", "picture", "graphic", "animation", "arrow", "image map"},
	{"label", "caption", "static", "description term", "description value", "accelerator label", "subscript", "superscript"},
	{"link", "hyperlink"},
	{"list", "list box", "listbox", "description list"},
	{"listitem", "list item"},
	{"media", "audio", "video"},
	{"menu"},
	{"menubar", "menu bar"},
	{"menuitem", "menu item", "tearoff menu item"},
	{"pagetab", "page tab", "tab", "tabitem", "tab item"},
	{"pagetablist", "page tab list", "tablist", "tab list"},
	{"panel", "pane", "section", "article", "block quote", "landmark", "content deletion", "content insertion", "mark", "suggestion", "figure", "definition", "custom", "chart", "page", "comment", "math", "math fraction", "math root"},
	{"paragraph"},
	{"password", "password text", "passwordbox"},
	{"popup", "popup menu", "pop up menu", "popupmenu"},
	{"progressbar", "progress bar", "level bar"},
	{"radiobutton", "radio button"},
	{"radiomenuitem", "radio menu item"},
	{"row", "table row"},
	{"rowheader", "row header", "table row header"},
	{"ruler"},
	{"scrollbar", "scroll bar"},
	{"separator"},
	{"slider", "dial", "rating"},
	{"spinbutton", "spin button", "spin box", "spinbox", "spinner"},
	{"statusbar", "status bar", "info bar", "timer", "log", "marquee", "status"},
	{"switch"},
	{"table", "grid", "datagrid", "data grid"},
	{"terminal"},
	{"text", "multiline text", "multi line text"},
	{"titlebar", "title bar"},
	{"togglebutton", "toggle button"},
	{"toolbar", "tool bar", "appbar", "app bar"},
	{"tooltip", "tool tip"},
	{"tree"},
	{"treeitem", "tree item"},
	{"treetable", "tree table"},
	{"unknown", "invalid", "extended", "static object"},
}

var roleByName = func() map[string]Role {
	m := map[string]Role{}
	for _, names := range roles {
		for _, n := range names {
			m[n] = Role(names[0])
		}
	}
	return m
}()

// ParseRole is the role with a name, in any of its spellings; case, blanks at
// the ends, underscores and hyphens do not matter.
func ParseRole(name string) (Role, bool) {
	n := strings.ToLower(strings.TrimSpace(name))
	n = strings.NewReplacer("_", " ", "-", " ").Replace(n)
	r, ok := roleByName[n]
	return r, ok
}

// RoleNames are all names of all roles, in alphabetical order.
func RoleNames() []string {
	var all []string
	for _, names := range roles {
		all = append(all, names...)
	}
	slices.Sort(all)
	return all
}

// Matches says whether an element with role r is what someone means who asks
// for role want. "text" and "entry" each match what takes text, because
// toolkits do not agree on which is which; a password box only by its name.
func (r Role) Matches(want Role) bool {
	if r == want {
		return true
	}
	text := func(x Role) bool { return x == "text" || x == "entry" }
	return text(r) && text(want)
}

// Holds says whether something of this role only holds or parts others, and is
// nothing to a reader when it has no name.
func (r Role) Holds() bool {
	switch r {
	case "filler", "panel", "group", "unknown", "separator", "":
		return true
	}
	return false
}
