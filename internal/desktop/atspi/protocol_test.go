//go:build linux

package atspi

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

func TestEveryRoleNameOfTheBusNormalises(t *testing.T) {
	for number, raw := range roleNames {
		if _, ok := desktop.ParseRole(raw); !ok {
			t.Errorf("role %d, %q, has no role of ours", number, raw)
		}
	}
	if got := roleOf(roleName(9_999)); got != "unknown" {
		t.Errorf("a role from the future is %q, want unknown", got)
	}
}

func TestRolesThatToolkitsPrintAreWhatPeopleCallThem(t *testing.T) {
	for number, want := range map[uint32]desktop.Role{
		43: "button", 7: "checkbox", 11: "combobox", 40: "password", 79: "entry", 61: "text",
		23: "frame", 39: "panel", 20: "filler", 88: "link", 37: "pagetab", 62: "togglebutton", 130: "switch",
	} {
		if got := roleOf(roleName(number)); got != want {
			t.Errorf("role %d (%s) is %q, want %q", number, roleName(number), got, want)
		}
	}
}

// classes are the names that mean several roles of the bus, with those roles.
var classes = map[string][]string{
	"alert": {"alert", "notification"}, "push button": {"push button", "push button menu"}, "calendar": {"calendar", "date editor"},
	"canvas": {"canvas", "drawing area"}, "column header": {"column header", "table column header"},
	"dialog": {"dialog", "file chooser", "font chooser", "option pane"}, "editbar": {"autocomplete", "editbar"},
	"entry": {"entry", "text"}, "text": {"entry", "text"},
	"filler": {"directory pane", "filler", "focus traversable", "glass pane", "html container", "internal frame", "layered pane", "redundant object", "root pane", "scroll pane", "split pane", "viewport"},
	"footer": {"footer", "footnote"}, "frame": {"frame", "input method window", "window"}, "window": {"frame", "input method window", "window"},
	"image":  {"animation", "arrow", "image", "image map"},
	"label":  {"accelerator label", "caption", "description term", "description value", "label", "static", "subscript", "superscript"},
	"static": {"accelerator label", "caption", "description term", "description value", "label", "static", "subscript", "superscript"},
	"list":   {"description list", "list", "list box"}, "menu item": {"menu item", "tearoff menu item"},
	"panel":        {"article", "block quote", "chart", "comment", "content deletion", "content insertion", "definition", "landmark", "mark", "math", "math fraction", "math root", "page", "panel", "section", "suggestion"},
	"progress bar": {"level bar", "progress bar"}, "row header": {"row header", "table row header"}, "slider": {"dial", "rating", "slider"},
	"status bar": {"info bar", "log", "marquee", "status bar", "timer"}, "unknown": {"extended", "invalid", "unknown"},
}

// rolesMatched are the roles of the bus that a selector matches.
func rolesMatched(t *testing.T, role string) []string {
	s, err := selector.Parse("role:" + role)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, raw := range roleNames {
		if len(s.Find([]*desktop.Element{{Role: roleOf(raw), RawRole: raw}})) > 0 {
			found[raw] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func TestARoleOfTheBusIsMatchedByItsNameAndNoOther(t *testing.T) {
	for _, raw := range roleNames {
		want := classes[raw]
		if want == nil {
			want = []string{raw}
		}
		if diff := cmp.Diff(want, rolesMatched(t, raw)); diff != "" {
			t.Errorf("role:%s matches (-want +got)\n%s", raw, diff)
		}
	}
}

func TestNamesOfOtherToolsAndSpellingsMeanTheClass(t *testing.T) {
	for name, class := range map[string]string{
		"Pane": "panel", "Custom": "panel", "Edit": "entry", "Button": "push button", "push_button": "push button", "Window": "frame",
		"Static": "label", "StatusBar": "status bar", "List": "list", "Dialog": "dialog", "Image": "image", "Slider": "slider", "MenuItem": "menu item",
	} {
		if diff := cmp.Diff(classes[class], rolesMatched(t, name)); diff != "" {
			t.Errorf("role:%s matches (-want +got)\n%s", name, diff)
		}
	}
	if got := rolesMatched(t, "document"); len(got) != 6 {
		t.Errorf("role:document matches %v, want each sort of document", got)
	}
	for spelled, raw := range map[string]string{"FileChooser": "file chooser", "info-bar": "info bar", "BlockQuote": "block quote", "list_box": "list box", "button menu": "push button menu"} {
		if diff := cmp.Diff([]string{raw}, rolesMatched(t, spelled)); diff != "" {
			t.Errorf("role:%s matches (-want +got)\n%s", spelled, diff)
		}
	}
}
