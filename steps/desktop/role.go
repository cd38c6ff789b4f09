package desktop

import (
	"slices"
	"strings"
)

// Role is what sort of thing an element is, in the words that we print.
type Role string

// Trait is what roles have in common.
type Trait uint16

// The traits of roles.
const (
	Operable  Trait = 1 << iota // a person acts on it, so it matters when it is disabled
	Control                     // is meant by a press on it, and not what is in it
	Worded                      // the words on it name it, and nothing beside it
	Labelled                    // is known by the words beside it
	NoText                      // nobody can type into it
	Option                      // can be chosen from a list
	Toggle                      // is on or off
	InMenu                      // is a menu or an item of one
	OpensMenu                   // can have a menu open, over the rest
	Rows                        // may make its children on demand, too many to be listed
	Container                   // only holds or parts others
)

// roles lists each role with its traits and its names: the one that we print, the
// toolkits' own, with their blanks, and those that users of other automation
// tools know. A name may stand in one list only.
var roles = []struct {
	traits Trait
	names  []string
}{
	{0, []string{"alert", "alert dialog", "notification"}},
	{0, []string{"application", "app"}},
	{Operable | Control | Worded | NoText, []string{"button", "push button", "button menu", "push button menu", "split button", "splitbutton"}},
	{0, []string{"calendar", "date editor"}},
	{0, []string{"canvas", "drawing area"}},
	{Control | Option, []string{"cell", "table cell", "dataitem", "grid cell"}},
	{Operable | Control | Worded | NoText | Toggle, []string{"checkbox", "check box"}},
	{Operable | Control | NoText | Option | Toggle | InMenu, []string{"checkmenuitem", "check menu item"}},
	{0, []string{"colorchooser", "color chooser"}},
	{Control | NoText, []string{"columnheader", "column header", "table column header", "headeritem", "header item"}},
	{Operable | Control | Worded | Labelled | OpensMenu, []string{"combobox", "combo box"}},
	{0, []string{"desktop", "desktop frame"}},
	{0, []string{"desktopicon", "desktop icon"}},
	{0, []string{"dialog", "file chooser", "font chooser", "option pane"}},
	{0, []string{"document", "document frame", "document web", "document text", "document spreadsheet", "document presentation", "document email"}},
	{0, []string{"editbar", "edit bar", "autocomplete"}},
	{0, []string{"embedded", "embedded component"}},
	{Operable | Control | Labelled, []string{"entry", "edit", "textbox", "text box", "text field", "textfield", "entry text", "searchbox", "search box", "input"}},
	{Container, []string{"filler", "layered pane", "glass pane", "root pane", "viewport", "view port", "scroll pane", "split pane", "option group", "internal frame", "redundant object", "directory pane", "html container", "focus traversable"}},
	{0, []string{"footer", "foot note", "footnote"}},
	{0, []string{"form"}},
	{0, []string{"frame", "window", "input method window"}},
	{Container, []string{"group", "grouping"}},
	{0, []string{"header"}},
	{NoText, []string{"heading"}},
	{NoText, []string{"icon"}},
	{NoText, []string{"image", "picture", "graphic", "animation", "arrow", "image map"}},
	{NoText, []string{"label", "caption", "static", "description term", "description value", "accelerator label", "subscript", "superscript"}},
	{Operable | Control | Worded, []string{"link", "hyperlink"}},
	{Rows, []string{"list", "list box", "listbox", "description list"}},
	{Operable | Control | Option, []string{"listitem", "list item"}},
	{0, []string{"media", "audio", "video"}},
	{Operable | NoText | InMenu | OpensMenu, []string{"menu"}},
	{NoText | OpensMenu, []string{"menubar", "menu bar"}},
	{Operable | Control | Worded | NoText | Option | InMenu | OpensMenu, []string{"menuitem", "menu item", "tearoff menu item"}},
	{Operable | Control | Worded | NoText | Option, []string{"pagetab", "page tab", "tab", "tabitem", "tab item"}},
	{0, []string{"pagetablist", "page tab list", "tablist", "tab list"}},
	{Container, []string{"panel", "pane", "section", "article", "block quote", "landmark", "content deletion", "content insertion", "mark", "suggestion", "figure", "definition", "custom", "chart", "page", "comment", "math", "math fraction", "math root"}},
	{0, []string{"paragraph"}},
	{Operable | Control | Labelled, []string{"password", "password text", "passwordbox"}},
	{OpensMenu, []string{"popup", "popup menu", "pop up menu", "popupmenu"}},
	{NoText, []string{"progressbar", "progress bar", "level bar"}},
	{Operable | Control | Worded | NoText | Option | Toggle, []string{"radiobutton", "radio button"}},
	{Operable | Control | NoText | Option | Toggle | InMenu, []string{"radiomenuitem", "radio menu item"}},
	{0, []string{"row", "table row"}},
	{NoText, []string{"rowheader", "row header", "table row header"}},
	{0, []string{"ruler"}},
	{NoText, []string{"scrollbar", "scroll bar"}},
	{NoText | Container, []string{"separator"}},
	{Operable | Control | Labelled | NoText, []string{"slider", "dial", "rating"}},
	{Operable | Control | Labelled, []string{"spinbutton", "spin button", "spin box", "spinbox", "spinner"}},
	{NoText, []string{"statusbar", "status bar", "info bar", "timer", "log", "marquee", "status"}},
	{Operable | Control | Worded | Labelled | NoText | Toggle, []string{"switch"}},
	{Rows, []string{"table", "grid", "datagrid", "data grid"}},
	{0, []string{"terminal"}},
	{Operable | Control | Labelled, []string{"text", "multiline text", "multi line text"}},
	{0, []string{"titlebar", "title bar"}},
	{Operable | Control | Worded | NoText, []string{"togglebutton", "toggle button"}},
	{NoText, []string{"toolbar", "tool bar", "appbar", "app bar"}},
	{NoText, []string{"tooltip", "tool tip"}},
	{Rows, []string{"tree"}},
	{Operable | Control | Option, []string{"treeitem", "tree item"}},
	{Rows, []string{"treetable", "tree table"}},
	{Container, []string{"unknown", "invalid", "extended", "static object"}},
}

var roleByName, traits = func() (map[string]Role, map[Role]Trait) {
	byName, traits := map[string]Role{}, map[Role]Trait{}
	for _, r := range roles {
		traits[Role(r.names[0])] = r.traits
		for _, n := range r.names {
			byName[n] = Role(r.names[0])
		}
	}
	return byName, traits
}()

// Is reports whether a role has a trait.
func (r Role) Is(t Trait) bool { return traits[r]&t != 0 }

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
	for _, r := range roles {
		all = append(all, r.names...)
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
func (r Role) Holds() bool { return r == "" || r.Is(Container) }
