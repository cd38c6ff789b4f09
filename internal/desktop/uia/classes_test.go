package uia

import (
	"testing"

	"understudy/internal/desktop"
)

func TestClassesHaveRoles(t *testing.T) {
	for _, c := range []struct {
		class  string
		style  uintptr
		role   desktop.Role
		action string
		states desktop.States
	}{
		{"Button", 0, "button", "click", 0},
		{"Button", 1, "button", "click", 0}, // the default one
		{"Button", 3, "checkbox", "toggle", 0},
		{"Button", 0x1003, "togglebutton", "toggle", 0},
		{"Button", 9, "radiobutton", "select", 0},
		{"Button", 7, "group", "", 0},
		{"Button", 0xe, "button", "click", 0}, // a command link
		{"Edit", 0, "entry", "", desktop.Editable},
		{"Edit", 0x20, "password", "", desktop.Editable},
		{"Edit", 0x4, "text", "", desktop.Editable | desktop.MultiLine},
		{"Edit", 0x800, "entry", "", desktop.ReadOnly},
		{"RICHEDIT50W", 0x4, "text", "", desktop.Editable | desktop.MultiLine},
		{"Static", 0, "label", "", 0},
		{"Static", 0xe, "image", "", 0},
		{"ListBox", 0x8, "list", "", desktop.MultiSelectable},
		{"ComboBox", 3, "combobox", "", 0},
		{"msctls_trackbar32", 0, "slider", "", 0},
		{"SysTreeView32", 0, "tree", "", 0},
		{"#32770", 0, "dialog", "", 0},
		{"WindowsForms10.BUTTON.app.0.141b42a_r6_ad1", 3, "checkbox", "toggle", 0},
		{"TEdit", 0, "entry", "", desktop.Editable},
		{"TMemo", 0x4, "text", "", desktop.Editable | desktop.MultiLine},
		{"Canvas", 0, "canvas", "", 0},
		{"Afx:400000:8", 0, "panel", "", 0},
	} {
		f := ofClass(c.class, c.style)
		if f.role() != c.role || f.action("") != c.action || f.states != c.states {
			t.Errorf("%s with style %#x is a %s, %q, %v; want %s, %q, %v", c.class, c.style, f.role(), f.action(""), f.states.Names(), c.role, c.action, c.states.Names())
		}
	}
}

func TestMnemonicsAreNotShown(t *testing.T) {
	for text, want := range map[string]string{"&Open": "Open", "Save &As…": "Save As…", "R&&D": "R&D", "plain": "plain", "&": "&", "Größe &ändern": "Größe ändern"} {
		if got := withoutMnemonic(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
