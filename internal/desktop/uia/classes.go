package uia

import (
	"strings"

	"understudy/internal/desktop"
)

// Styles of the controls of the system.
const (
	buttonTypes               = 0xf
	buttonPushLike            = 0x1000
	editMultiLine             = 0x4
	editPassword              = 0x20
	editReadOnly              = 0x800
	staticTypes               = 0x1f
	listMultiple, listExtends = 0x8, 0x800
)

// classes are the control types of the classes of windows that the system has. That of a
// button and of a picture depends on its style.
var classes = map[string]string{
	"button": "Button", "edit": "Edit", "static": "Text", "combobox": "ComboBox", "comboboxex32": "ComboBox", "listbox": "List", "combolbox": "List",
	"scrollbar": "ScrollBar", "msctls_trackbar32": "Slider", "msctls_progress32": "ProgressBar", "msctls_updown32": "Spinner",
	"msctls_statusbar32": "StatusBar", "toolbarwindow32": "ToolBar", "rebarwindow32": "Pane", "systabcontrol32": "Tab", "systreeview32": "Tree",
	"syslistview32": "List", "sysheader32": "Header", "sysmonthcal32": "Calendar", "sysdatetimepick32": "Pane", "sysipaddress32": "Pane",
	"syslink": "Hyperlink", "richedit": "Edit", "richedit20a": "Edit", "richedit20w": "Edit", "richedit50w": "Edit", "memo": "Edit",
	"#32768": "Menu", "#32770": "dialog", "tooltips_class32": "ToolTip",
}

// buttonKinds are the control types of buttons, by their style.
var buttonKinds = map[uintptr]string{
	2: "CheckBox", 3: "CheckBox", 5: "CheckBox", 6: "CheckBox", 4: "RadioButton", 9: "RadioButton", 7: "Group", 0xc: "SplitButton", 0xd: "SplitButton",
}

// baseClass returns the class of the system that a class is named for: toolkits put letters
// before it, or words around it.
func baseClass(class string) string {
	base := strings.ToLower(class)
	if rest, ok := strings.CutPrefix(base, "windowsforms10."); ok {
		base, _, _ = strings.Cut(rest, ".")
	}
	if rest, ok := strings.CutPrefix(class, "T"); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
		base = strings.ToLower(rest) // Delphi
	}
	return base
}

// ofClass returns the facts that the class and the style of a window tell. A class that the
// system does not have may be named like a role; otherwise the window is a pane.
func ofClass(class string, style uintptr) (f facts) {
	f.class, f.offers = class, map[pattern]bool{}
	base := baseClass(class)
	switch f.raw = classes[base]; {
	case base == "button":
		f.ofButton(style)
	case f.raw == "Edit":
		f.password = style&editPassword != 0
		f.offers[patValue] = true
		f.states = desktop.Editable
		if style&editReadOnly != 0 {
			f.states = desktop.ReadOnly
		}
		if style&editMultiLine != 0 {
			f.states |= desktop.MultiLine
		}
	case base == "static" && (style&staticTypes == 0x3 || style&staticTypes == 0xe):
		f.raw = "Image"
	case f.raw == "List" && style&(listMultiple|listExtends) != 0 && base == "listbox":
		f.states = desktop.MultiSelectable
	case f.raw == "Slider":
		f.offers[patRange] = true
	case f.raw == "":
		if f.raw = "Pane"; isRole(base) {
			f.raw = base
		}
	}
	return f
}

func isRole(name string) bool {
	_, ok := desktop.ParseRole(name)
	return ok
}

// ofButton adds what the style of a button tells.
func (f *facts) ofButton(style uintptr) {
	if kind, ok := buttonKinds[style&buttonTypes]; ok {
		f.raw = kind
	}
	switch {
	case f.raw == "CheckBox" && style&buttonPushLike != 0:
		f.raw = "Button"
		f.offers[patToggle] = true
	case f.raw == "CheckBox":
		f.offers[patToggle] = true
	case f.raw == "RadioButton":
		f.offers[patSelect] = true
	case f.raw != "Group":
		f.offers[patInvoke] = true
	}
}

// withoutMnemonic returns the text of a control as it is drawn: & underlines the letter after
// it, and && is one.
func withoutMnemonic(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '&' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
