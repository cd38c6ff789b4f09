package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseRole(t *testing.T) {
	for name, want := range map[string]Role{
		"button": "button", "push button": "button", "Push-Button": "button", "push_button": "button", "SplitButton": "button",
		"CheckBox": "checkbox", "ComboBox": "combobox", "Edit": "entry", "input": "entry", "Text": "text", "Window": "frame",
		"Pane": "panel", "Hyperlink": "link", "ListItem": "listitem", "MenuItem": "menuitem", "MenuBar": "menubar", "TabItem": "pagetab",
		"Tab": "pagetab", "TreeItem": "treeitem", "RadioButton": "radiobutton", "DataGrid": "table", "DataItem": "cell", "Document": "document",
		"Group": "group", "HeaderItem": "columnheader", "ProgressBar": "progressbar", "ScrollBar": "scrollbar", "Slider": "slider",
		"Spinner": "spinbutton", "StatusBar": "statusbar", "TitleBar": "titlebar", "ToolBar": "toolbar", "ToolTip": "tooltip", "Custom": "panel",
	} {
		if got, ok := ParseRole(name); !ok || got != want {
			t.Errorf("ParseRole(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
	if r, ok := ParseRole("buton"); ok {
		t.Errorf("ParseRole(buton) = %q, want none", r)
	}
}

// Each role of WAI-ARIA that an element may show with can be asked for.
func TestRolesOfPages(t *testing.T) {
	for name := range strings.FieldsSeq(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary
		contentinfo definition deletion dialog document feed figure form grid gridcell group heading img insertion link list listbox listitem log main
		mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radio radiogroup region row
		rowgroup rowheader scrollbar search searchbox separator slider spinbutton status subscript suggestion superscript switch tab table tablist tabpanel term
		textbox time timer toolbar tooltip tree treegrid treeitem`) {
		if _, ok := WantedRole(name); !ok {
			t.Errorf("there is no role %s", name)
		}
	}
}

func TestRolesOfMacOS(t *testing.T) {
	for name, want := range map[string]Role{
		"AXButton": "button", "AXWindow": "frame", "AXScrollArea": "scroll pane", "axscrollarea": "scroll pane", "AXTextField": "entry", "AXTextArea": "entry",
		"AXSecureTextField": "password", "AXWebArea": "document", "AXOutline": "tree", "AXTabGroup": "pagetablist", "AXMenuBarItem": "menu", "AXSheet": "dialog",
		"AXPopUpButton": "combobox", "AXRadioGroup": "radio group", "AXStaticText": "label", "AXGroup": "group", "AXUnknown": "unknown",
	} {
		if got, ok := WantedRole(name); !ok || got != want {
			t.Errorf("%s means %q, %v; want %q", name, got, ok, want)
		}
	}
	for mac, ours := range macRoles {
		if _, ok := roleByKey[ours]; !ok {
			t.Errorf("AX%s means %s, which is no role", mac, ours)
		}
	}
	if r, ok := WantedRole("AXNothing"); ok {
		t.Errorf("AXNothing means %q, want nothing", r)
	}
}

func TestEveryRoleNameIsOneRole(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range RoleNames() {
		if seen[name] {
			t.Errorf("%q names two roles", name)
		}
		seen[name] = true
	}
}

func TestScopeAdmits(t *testing.T) {
	for _, c := range []struct {
		what           string
		scope          Scope
		process, title string
		want           bool
	}{
		{"everything", Scope{}, "gedit", "x", true},
		{"a program in any case and without its ending", Scope{Process: "Gedit"}, "gedit.EXE", "x", true},
		{"another program", Scope{Process: "gedit"}, "gedit2", "x", false},
		{"a desktop file", Scope{Process: "mousepad.desktop"}, "mousepad", "x", true},
		{"an application's id", Scope{Process: "org.xfce.mousepad"}, "mousepad", "x", true},
		{"the desktop file of an id", Scope{Process: "org.xfce.mousepad.desktop"}, "Mousepad", "x", true},
		{"another application's id", Scope{Process: "org.gnome.gedit"}, "mousepad", "x", false},
		{"the number of a version is no name", Scope{Process: "12"}, "python3.11.12", "x", false},
		{"what a program is also called", Scope{Process: "gvim"}, "vim.gtk3", "x", true},
		{"its class, by the last word", Scope{Process: "texteditor"}, "gnome-text-editor", "x", true},
		{"the number of its process", Scope{Process: "77"}, "gedit", "x", true},
		{"the number of another process", Scope{Process: "78"}, "gedit", "x", false},
		{"part of a title in any case", Scope{Title: "unTitled"}, "gedit", "*Untitled 1", true},
		{"another title", Scope{Title: "Untitled"}, "gedit", "Notes", false},
		{"the program but another title", Scope{Process: "gedit", Title: "Untitled"}, "gedit", "Notes", false},
	} {
		if got := c.scope.Admits(&Window{Process: c.process, PID: 77, Aliases: []string{"vim", "gvim", "org.gnome.TextEditor"}, Title: c.title}); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestADesktopFilesIdMeansItsProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_DATA_DIRS", filepath.Join(dir, "none"))
	for id, entry := range map[string]string{
		"debian-xterm": "Exec=xterm\nStartupWMClass=XTerm\n", "terms": "Exec=/usr/bin/xterm -T %F\n[Desktop Action more]\nExec=other\n",
		"office-calc": "Exec=office --calc\nStartupWMClass=office-calc\n", "script": "Exec=/usr/bin/python3.11 /opt/script\n",
	} {
		path := filepath.Join(dir, "applications", id+".desktop")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("[Desktop Entry]\n"+entry), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		wanted, process, class string
		want                   bool
	}{
		{"debian-xterm", "xterm", "XTerm", true},
		{"debian-xterm.desktop", "xterm", "XTerm", true},
		{"terms", "xterm", "", true},
		{"terms", "other", "", false},
		{"office-calc", "office", "office-calc", true},
		{"office-calc", "office", "office-writer", false},
		{"script", "python3.11", "", false},
		{"nothing", "xterm", "XTerm", false},
		{"../applications/terms", "xterm", "XTerm", false},
	} {
		if got := IsCalled(c.wanted, 7, c.process, []string{c.class}); got != c.want {
			t.Errorf("%s for %s: %v, want %v", c.wanted, c.process, got, c.want)
		}
	}
}

func TestEachTraitIsOfTheseRoles(t *testing.T) {
	for trait, want := range map[Trait]string{
		Operable:   "button checkbox checkmenuitem combobox entry link listitem menu menuitem pagetab password radiobutton radiomenuitem slider spinbutton switch text togglebutton treeitem",
		Control:    "button cell checkbox checkmenuitem columnheader combobox entry link listitem menuitem pagetab password radiobutton radiomenuitem slider spinbutton switch text togglebutton treeitem",
		Worded:     "button checkbox combobox link menuitem pagetab radiobutton switch togglebutton",
		Labelled:   "combobox entry password slider spinbutton switch text",
		NoText:     "button checkbox checkmenuitem columnheader heading icon image label menu menubar menuitem pagetab progressbar radiobutton radiomenuitem rowheader scrollbar separator slider statusbar switch togglebutton toolbar tooltip",
		Option:     "cell checkmenuitem listitem menuitem pagetab radiobutton radiomenuitem treeitem",
		Toggle:     "checkbox checkmenuitem radiobutton radiomenuitem switch",
		InMenu:     "checkmenuitem menu menuitem radiomenuitem",
		OpensMenu:  "combobox menu menubar menuitem popup",
		Rows:       "list table tree treetable",
		Container:  "filler group panel separator unknown",
		TakesWheel: "calendar canvas colorchooser editbar media pagetab pagetablist scrollbar slider spinbutton terminal",
		Recycled:   "cell listitem row treeitem",
	} {
		var got []string
		for _, r := range roles {
			if name := Role(r.names[0]); name.Is(trait) {
				got = append(got, string(name))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("trait %b is of %v, want %s", trait, got, want)
		}
	}
}

// Firefox calls an alert dialog of a page a dialog.
func TestAnAlertDialogIsFoundInEachBrowser(t *testing.T) {
	want, _ := WantedRole("alertdialog")
	for _, row := range []struct {
		role    Role
		written string
		is      bool
	}{{"alert", "alertdialog", true}, {"dialog", "alertdialog", true}, {"dialog", "dialog", false}, {"panel", "alertdialog", false}} {
		e := &Element{Role: row.role, Attributes: map[string]string{"xml-roles": row.written}}
		if e.HasRole(want) != row.is {
			t.Errorf("a %s that is written %s: %v, want %v", row.role, row.written, !row.is, row.is)
		}
	}
}
