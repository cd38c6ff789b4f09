package desktop

import (
	"cmp"
	"slices"
	"strings"
)

// Role is the type of an element, as we print it.
type Role string

// Trait is a set of properties that roles share.
type Trait uint16

// The traits of roles.
const (
	Operable   Trait = 1 << iota // a person acts on it, so it matters when it is disabled
	Control                      // is the target of a press on it, not its descendants
	Worded                       // is named by the words on it, and not by a label beside it
	Labelled                     // is named by a label beside it
	NoText                       // takes no typed text
	Option                       // can be chosen from a list
	Toggle                       // is on or off
	InMenu                       // is a menu or an item of one
	OpensMenu                    // can have a menu open, over the rest
	Rows                         // may create its children on demand, too many to be listed
	Container                    // only holds or separates others
	TakesWheel                   // the wheel may do more than scroll over it, such as change a number
	Recycled                     // may show another row when its list changes or is scrolled
)

// roles lists each role with its traits, the names that mean any element of it (the
// first is the one that we print, the others are those of other automation tools),
// and the toolkits' roles that count as it: in a selector such a name means that role
// only. Names are compared by their roleKey, and must be unique.
var roles = []struct {
	traits     Trait
	names      []string
	particular []string
}{
	{0, []string{"alert", "alert dialog"}, []string{"notification"}},
	{0, []string{"application", "app"}, nil},
	{Operable | Control | Worded | NoText, []string{"button", "split button"}, []string{"push button menu"}},
	{TakesWheel, []string{"calendar"}, []string{"date editor"}},
	{TakesWheel, []string{"canvas"}, []string{"drawing area"}},
	{Control | Option | Recycled, []string{"cell", "table cell", "dataitem", "grid cell", "data"}, nil},
	{Operable | Control | Worded | NoText | Toggle, []string{"checkbox"}, nil},
	{Operable | Control | NoText | Option | Toggle | InMenu, []string{"checkmenuitem", "menu item checkbox"}, nil},
	{TakesWheel, []string{"colorchooser"}, nil},
	{Control | NoText, []string{"columnheader", "headeritem"}, []string{"table column header"}},
	{Operable | Control | Worded | Labelled | OpensMenu, []string{"combobox", "popup button"}, nil},
	{0, []string{"desktop", "desktop frame"}, nil},
	{0, []string{"desktopicon"}, nil},
	{0, []string{"dialog"}, []string{"file chooser", "font chooser", "option pane"}},
	{0, []string{"document"}, []string{"document frame", "document web", "document text", "document spreadsheet", "document presentation", "document email"}},
	{TakesWheel, []string{"editbar"}, []string{"autocomplete"}},
	{0, []string{"embedded", "embedded component"}, nil},
	{Operable | Control | Labelled, []string{"entry", "edit", "textbox", "text field", "entry text", "searchbox", "input", "url", "url field", "text area"}, nil},
	{Container, []string{"filler"}, []string{"layered pane", "glass pane", "root pane", "viewport", "scroll pane", "split pane", "option group", "internal frame", "redundant object", "directory pane", "html container", "focus traversable"}},
	{0, []string{"footer"}, []string{"footnote"}},
	{0, []string{"form"}, nil},
	{0, []string{"frame", "window"}, []string{"input method window"}},
	{Container, []string{"group", "grouping", "semantic zoom"}, nil},
	{0, []string{"header"}, nil},
	{NoText, []string{"heading"}, nil},
	{NoText, []string{"icon"}, nil},
	{NoText, []string{"image", "picture", "graphic", "img"}, []string{"animation", "arrow", "image map"}},
	{NoText, []string{"label", "static", "static text"}, []string{"caption", "description term", "description value", "accelerator label", "subscript", "superscript"}},
	{Operable | Control | Worded, []string{"link", "hyperlink"}, nil},
	{Rows, []string{"list"}, []string{"list box", "description list"}},
	{Operable | Control | Option | Recycled, []string{"listitem", "option"}, nil},
	{TakesWheel, []string{"media"}, []string{"audio", "video"}},
	{Operable | NoText | InMenu | OpensMenu, []string{"menu"}, nil},
	{NoText | OpensMenu, []string{"menubar"}, nil},
	{Operable | Control | Worded | NoText | Option | InMenu | OpensMenu, []string{"menuitem"}, []string{"tearoff menu item"}},
	{Operable | Control | Worded | NoText | Option | TakesWheel, []string{"pagetab", "tab", "tabitem"}, nil},
	{TakesWheel, []string{"pagetablist", "tablist"}, nil},
	{Container, []string{"panel", "pane", "custom", "taskbar"}, []string{"section", "article", "block quote", "landmark", "content deletion", "content insertion", "mark", "suggestion", "figure", "definition", "chart", "page", "comment", "math", "math fraction", "math root", "feed", "tab panel", "radio group", "region", "navigation", "main", "complementary", "banner", "content info", "search", "note", "term", "time", "code", "insertion", "deletion", "row group"}},
	{0, []string{"paragraph"}, nil},
	{Operable | Control | Labelled, []string{"password", "password text", "passwordbox"}, nil},
	{OpensMenu, []string{"popup", "popup menu"}, nil},
	{NoText, []string{"progressbar", "meter"}, []string{"level bar"}},
	{Operable | Control | Worded | NoText | Option | Toggle, []string{"radiobutton", "radio"}, nil},
	{Operable | Control | NoText | Option | Toggle | InMenu, []string{"radiomenuitem", "menu item radio"}, nil},
	{Recycled, []string{"row", "table row"}, nil},
	{NoText, []string{"rowheader"}, []string{"table row header"}},
	{0, []string{"ruler"}, nil},
	{NoText | TakesWheel, []string{"scrollbar"}, nil},
	{NoText | Container, []string{"separator"}, nil},
	{Operable | Control | Labelled | NoText | TakesWheel, []string{"slider", "thumb"}, []string{"dial", "rating"}},
	{Operable | Control | Labelled | TakesWheel, []string{"spinbutton", "spin box", "spinner"}, nil},
	{NoText, []string{"statusbar", "status"}, []string{"info bar", "timer", "log", "marquee"}},
	{Operable | Control | Worded | Labelled | NoText | Toggle, []string{"switch"}, nil},
	{Rows, []string{"table", "grid", "datagrid"}, nil},
	{TakesWheel, []string{"terminal"}, nil},
	{Operable | Control | Labelled, []string{"text", "multiline text"}, nil},
	{0, []string{"titlebar", "title"}, nil},
	{Operable | Control | Worded | NoText, []string{"togglebutton"}, nil},
	{NoText, []string{"toolbar", "appbar"}, nil},
	{NoText, []string{"tooltip"}, nil},
	{Rows, []string{"tree"}, nil},
	{Operable | Control | Option | Recycled, []string{"treeitem"}, nil},
	{Rows, []string{"treetable", "tree grid"}, nil},
	{Container, []string{"unknown", "static object"}, []string{"invalid", "extended"}},
}

// A roleEntry is the meaning of a role's name.
type roleEntry struct {
	role, class Role // the same unless the role is a particular one
	traits      Trait
}

// The roles by the roleKey of each of their names, and by role.
var roleByKey, roleEntries = func() (map[string]roleEntry, map[Role]roleEntry) {
	byKey, byRole := map[string]roleEntry{}, map[Role]roleEntry{}
	add := func(name string, r roleEntry) { byKey[roleKey(name)], byRole[r.role] = r, r }
	for _, r := range roles {
		class := Role(r.names[0])
		for _, n := range r.names {
			add(n, roleEntry{class, class, r.traits})
		}
		for _, n := range r.particular {
			add(n, roleEntry{Role(n), class, r.traits})
		}
	}
	return byKey, byRole
}()

// withoutBlanks drops the characters in which spellings of a name differ.
var withoutBlanks = strings.NewReplacer(" ", "", "_", "", "-", "")

// roleKey normalises a role's name: without case, spaces, hyphens and the "push"
// that older toolkits put before a button.
func roleKey(name string) string {
	return strings.TrimPrefix(withoutBlanks.Replace(strings.ToLower(strings.TrimSpace(name))), "push")
}

func (r Role) Is(t Trait) bool { return roleEntries[r].traits&t != 0 }

// ParseRole returns the role of an element from the toolkit's name of its role.
func ParseRole(name string) (Role, bool) {
	r, ok := roleByKey[roleKey(name)]
	return r.class, ok
}

// WantedRole returns the role that a selector means by a name: a particular one of a
// toolkit ("page"), or any of a class ("panel", "Pane").
func WantedRole(name string) (Role, bool) {
	key := roleKey(name)
	if mac, ok := strings.CutPrefix(key, "ax"); ok {
		key = cmp.Or(macRoles[mac], mac)
	}
	r, ok := roleByKey[key]
	return r.role, ok
}

// macRoles are the roles of macOS that have another name here, by their names without AX.
var macRoles = map[string]string{
	"browser": "treetable", "busyindicator": "progressbar", "colorwell": "colorchooser", "column": "columnheader", "datefield": "dateeditor",
	"disclosuretriangle": "togglebutton", "drawer": "panel", "helptag": "tooltip", "incrementor": "spinbutton", "layoutarea": "panel",
	"levelindicator": "levelbar", "menubaritem": "menu", "menubutton": "button", "outline": "tree", "popover": "popup",
	"progressindicator": "progressbar", "scrollarea": "scrollpane", "searchfield": "entry", "securetextfield": "password", "sheet": "dialog",
	"splitgroup": "splitpane", "splitter": "separator", "systemwide": "desktop", "tabgroup": "pagetablist", "timefield": "dateeditor",
	"valueindicator": "slider", "webarea": "document",
}

// RoleNames returns all names of all roles, in alphabetical order.
func RoleNames() []string {
	var all []string
	for _, r := range roles {
		all = append(append(all, r.names...), r.particular...)
	}
	slices.Sort(all)
	return all
}

// HasRole reports whether an element has a role that WantedRole returned.
func (e *Element) HasRole(want Role) bool {
	written := strings.Fields(e.Attributes["xml-roles"])
	if want.OnlyWritten() && slices.Contains(written, withoutBlanks.Replace(string(want))) {
		return true
	}
	if want == "alert" && e.Role == "dialog" && slices.Contains(written, "alertdialog") { // as Firefox calls it
		return true
	}
	if class := roleEntries[want].class; class != want && class != "" {
		return e.Role == class && e.ParticularRole() == want
	}
	return e.Role.Matches(want)
}

// OnlyWritten reports whether toolkits map a role of a page to another one, so that only the
// attribute in which the page writes it tells it.
func (r Role) OnlyWritten() bool {
	switch r {
	case "switch", "feed", "tab panel", "radio group", "region", "navigation", "main", "complementary", "banner", "content info", "search", "note", "term", "time", "code", "insertion", "deletion", "row group":
		return true
	}
	return false
}

// ParticularRole returns the toolkit's role of an element within its class, or "".
func (e *Element) ParticularRole() Role {
	if r := roleByKey[roleKey(e.RawRole)]; r.class != r.role && r.class == e.Role {
		return r.role
	}
	return ""
}

// Matches reports whether an element with role r has the wanted role. "text" and
// "entry" match each other, because toolkits do not agree on which is which; a
// password box matches only its own role.
func (r Role) Matches(want Role) bool {
	if r == want {
		return true
	}
	text := func(x Role) bool { return x == "text" || x == "entry" }
	return text(r) && text(want)
}

// Holds reports whether elements of this role only hold or separate others, and mean
// nothing to a reader without a name.
func (r Role) Holds() bool { return r == "" || r.Is(Container) }
