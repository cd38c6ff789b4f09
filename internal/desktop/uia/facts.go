package uia

import (
	"maps"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// facts are what a source tells of an element.
type facts struct {
	raw         string // the control type, by its name in UI Automation
	name, text  string
	id, class   string
	help, aria  string
	pid         int
	handle      uintptr // of the window that is the element itself, or 0
	box         desktop.Rect
	states      desktop.States
	offers      map[pattern]bool
	value       *desktop.Range
	password    bool
	web         bool // it is part of a page of a browser
	legacyPress bool // its only action is that of older programs
}

// unsupported is the value of a property that an element does not have.
type unsupported struct{}

// as returns a value of a type, or its zero value.
func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

// The states that patterns tell, as numbers.
const (
	toggleOn, toggleMixed             = 1, 2
	expandedState, partly, leafExpand = 1, 2, 3
	legacyReadOnly                    = 0x40
	legacyProtected                   = 0x2000_0000 // STATE_SYSTEM_PROTECTED
)

// factsOf returns the facts that the properties of an element are. The text of a password is
// not among them.
func factsOf(get func(property) any) facts {
	is := func(p property) bool { return as[bool](get(p)) }
	text := func(p property) string { return as[string](get(p)) }
	f := facts{
		name: text(propName), id: text(propAutomationID), class: text(propClass), help: text(propHelp), aria: text(propAriaRole),
		pid: int(as[int32](get(propProcess))), handle: uintptr(as[int32](get(propHandle))),
		web: text(propFramework) == "Chrome" || text(propFramework) == "Gecko", offers: map[pattern]bool{},
	}
	if n := int(as[int32](get(propControlType))) - firstControlType; n >= 0 && n < len(controlTypes) {
		f.raw = controlTypes[n]
	}
	if b := as[[]float64](get(propBox)); len(b) == 4 {
		f.box = desktop.Rect{X: int(b[0]), Y: int(b[1]), W: int(b[2]), H: int(b[3])}
	}
	for p := range maps.Values(patterns) {
		if is(p.available) {
			f.offers[p.pattern] = true
		}
	}
	legacy := as[int32](get(propLegacyState))
	f.password = is(propPassword) || f.offers[patLegacy] && legacy&legacyProtected != 0
	f.states = f.statesOf(get)
	if f.offers[patValue] && !f.password {
		f.text = text(propValue)
	} else if f.offers[patLegacy] && !f.password && f.raw != "Text" {
		f.text = text(propLegacyValue)
	}
	if f.offers[patRange] {
		f.value = &desktop.Range{Now: as[float64](get(propNumber)), Min: as[float64](get(propMinimum)), Max: as[float64](get(propMaximum))}
	}
	f.legacyPress = f.offers[patLegacy] && text(propLegacyDefault) != ""
	return f
}

// statesOf returns the states that the properties of an element tell.
func (f *facts) statesOf(get func(property) any) (s desktop.States) {
	is := func(p property) bool { return as[bool](get(p)) }
	number := func(p property) int { return int(as[int32](get(p))) }
	set := func(on bool, which desktop.States) {
		if on {
			s |= which
		}
	}
	set(is(propEnabled), desktop.Enabled)
	set(is(propFocusable), desktop.Focusable)
	set(is(propFocused), desktop.Focused)
	set(!is(propOffscreen), desktop.Showing|desktop.Visible)
	set(is(propRequired), desktop.Required)
	set(is(propSelectsMany), desktop.MultiSelectable)
	set(is(propModal), desktop.IsModal)
	if f.offers[patToggle] {
		set(number(propToggleState) == toggleOn, f.onState())
		set(number(propToggleState) == toggleMixed, desktop.Indeterminate)
	}
	if f.offers[patSelect] {
		if f.raw == "RadioButton" || f.raw == "MenuItem" {
			set(is(propSelected), desktop.Checked)
		} else {
			set(true, desktop.Selectable)
			set(is(propSelected), desktop.Selected)
		}
	}
	if f.offers[patExpand] && number(propExpandState) != leafExpand {
		open := number(propExpandState) == expandedState || number(propExpandState) == partly
		set(open, desktop.Expanded)
		set(!open, desktop.Collapsed)
	}
	if f.takesText() {
		readOnly := f.offers[patValue] && is(propValueReadOnly) || f.offers[patLegacy] && number(propLegacyState)&legacyReadOnly != 0
		set(readOnly, desktop.ReadOnly)
		set(!readOnly && (f.offers[patValue] || f.offers[patText]), desktop.Editable)
		set(f.raw == "Document", desktop.MultiLine)
	}
	return s
}

// onState returns the state of an element that is switched on.
func (f *facts) onState() desktop.States {
	if f.raw == "Button" {
		return desktop.Pressed
	}
	return desktop.Checked
}

// takesText reports whether text can be typed into an element of this type.
func (f *facts) takesText() bool {
	return f.raw == "Edit" || f.raw == "Document" && !f.web || f.raw == "ComboBox" || f.raw == "Spinner"
}

// role returns the role of an element. The names of UI Automation are those of our roles, but
// for those whose meaning depends on more than the control type.
func (f *facts) role() desktop.Role {
	switch {
	case f.password:
		return "password"
	case f.raw == "Text":
		return "label"
	case f.raw == "Tab":
		return "pagetablist"
	case f.raw == "Button" && f.offers[patToggle]:
		return "togglebutton"
	case f.raw == "MenuItem" && f.offers[patToggle]:
		return "checkmenuitem"
	case f.raw == "MenuItem" && f.offers[patSelect]:
		return "radiomenuitem"
	case f.raw == "Document" && f.states.Has(desktop.Editable), f.raw == "Edit" && f.states.Has(desktop.MultiLine):
		return "text"
	}
	r, _ := desktop.ParseRole(f.raw)
	return r
}

// The names of the actions of elements, the default ones first.
const (
	actClick, actToggle, actSelect, actExpand, actCollapse, actClose = "click", "toggle", "select", "expand", "collapse", "close"
)

// actions returns what an element can be asked to do, its default action first.
func (f *facts) actions() (list []string) {
	for _, a := range []struct {
		has  bool
		name string
	}{
		{f.offers[patInvoke], actClick},
		{f.offers[patToggle], actToggle},
		{f.offers[patSelect], actSelect},
		{f.offers[patExpand] && f.states.Has(desktop.Collapsed), actExpand},
		{f.offers[patExpand] && f.states.Has(desktop.Expanded), actCollapse},
	} {
		if a.has {
			list = append(list, a.name)
		}
	}
	if len(list) == 0 && f.legacyPress {
		list = []string{actClick}
	}
	if f.offers[patWindow] {
		list = append(list, actClose)
	}
	return list
}

// action returns the action that is meant by a name, "" being the default one; "" if there is
// none.
func (f *facts) action(name string) string {
	all := f.actions()
	if name == "" && len(all) > 0 && all[0] != actClose {
		return all[0]
	}
	if i := slices.IndexFunc(all, func(a string) bool { return strings.EqualFold(a, name) }); i >= 0 {
		return all[i]
	}
	return ""
}
