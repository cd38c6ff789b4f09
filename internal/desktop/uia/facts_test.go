package uia

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// told returns what a provider tells, by property.
func told(props map[property]any) func(property) any {
	return func(p property) any {
		if v, ok := props[p]; ok {
			return v
		}
		return unsupported{}
	}
}

func controlType(name string) int32 {
	return int32(firstControlType + slices.Index(controlTypes, name))
}

func TestFactsOfProviders(t *testing.T) {
	type props = map[property]any
	const on = desktop.Enabled | desktop.Showing | desktop.Visible
	for say, c := range map[string]struct {
		type_   string
		props   props
		role    desktop.Role
		states  desktop.States
		actions []string
		text    string
		value   *desktop.Range
	}{
		"a button":                         {"Button", props{propCanInvoke: true, propFocusable: true}, "button", on | desktop.Focusable, []string{"click"}, "", nil},
		"a button that switches":           {"Button", props{propCanToggle: true, propToggleState: int32(1)}, "togglebutton", on | desktop.Pressed, []string{"toggle"}, "", nil},
		"a box that is ticked":             {"CheckBox", props{propCanToggle: true, propToggleState: int32(1)}, "checkbox", on | desktop.Checked, []string{"toggle"}, "", nil},
		"a box that is neither":            {"CheckBox", props{propCanToggle: true, propToggleState: int32(2)}, "checkbox", on | desktop.Indeterminate, []string{"toggle"}, "", nil},
		"a radio button":                   {"RadioButton", props{propCanSelect: true, propSelected: true}, "radiobutton", on | desktop.Checked, []string{"select"}, "", nil},
		"an entry of a list":               {"ListItem", props{propCanSelect: true, propSelected: true}, "listitem", on | desktop.Selectable | desktop.Selected, []string{"select"}, "", nil},
		"a field":                          {"Edit", props{propCanValue: true, propValue: "Ada"}, "entry", on | desktop.Editable, nil, "Ada", nil},
		"a field that cannot be changed":   {"Edit", props{propCanValue: true, propValue: "Ada", propValueReadOnly: true}, "entry", on | desktop.ReadOnly, nil, "Ada", nil},
		"a password":                       {"Edit", props{propCanValue: true, propValue: "secret", propPassword: true}, "password", on | desktop.Editable, nil, "", nil},
		"a password of an older program":   {"Edit", props{propCanLegacy: true, propLegacyValue: "secret", propLegacyState: int32(0x20000000)}, "password", on, nil, "", nil},
		"a document that is written":       {"Document", props{propCanText: true}, "text", on | desktop.Editable | desktop.MultiLine, nil, "", nil},
		"a page":                           {"Document", props{propCanText: true, propFramework: "Chrome"}, "document", on, nil, "", nil},
		"a combo box that is closed":       {"ComboBox", props{propCanExpand: true, propExpandState: int32(0), propCanValue: true, propValue: "red"}, "combobox", on | desktop.Collapsed | desktop.Editable, []string{"expand"}, "red", nil},
		"a branch that is open":            {"TreeItem", props{propCanExpand: true, propExpandState: int32(1)}, "treeitem", on | desktop.Expanded, []string{"collapse"}, "", nil},
		"a leaf":                           {"TreeItem", props{propCanExpand: true, propExpandState: int32(3)}, "treeitem", on, nil, "", nil},
		"a slider":                         {"Slider", props{propCanRange: true, propNumber: 3.0, propMaximum: 10.0}, "slider", on, nil, "", &desktop.Range{Now: 3, Max: 10}},
		"words":                            {"Text", props{propCanLegacy: true, propLegacyValue: "old"}, "label", on, nil, "", nil},
		"pages":                            {"Tab", nil, "pagetablist", on, nil, "", nil},
		"an item of a menu that is ticked": {"MenuItem", props{propCanToggle: true, propToggleState: int32(1)}, "checkmenuitem", on | desktop.Checked, []string{"toggle"}, "", nil},
		"a button of an older program":     {"Button", props{propCanLegacy: true, propLegacyDefault: "Press"}, "button", on, []string{"click"}, "", nil},
		"a window within":                  {"Window", props{propCanWindow: true, propModal: true}, "frame", on | desktop.IsModal, []string{"close"}, "", nil},
		"what has scrolled away":           {"Button", props{propOffscreen: true}, "button", desktop.Enabled, nil, "", nil},
	} {
		all := props{propControlType: controlType(c.type_), propEnabled: true}
		maps.Copy(all, c.props)
		f := factsOf(told(all))
		if f.role() != c.role || f.states != c.states || !slices.Equal(f.actions(), c.actions) || f.text != c.text || !cmp.Equal(f.value, c.value) {
			t.Errorf("%s is a %s %v %q with the text %q and the value %v, want %s %v %q %q %v", say, f.role(), f.states.Names(), f.actions(), f.text, f.value, c.role, c.states.Names(), c.actions, c.text, c.value)
		}
	}
}

func TestIdentityOfProviders(t *testing.T) {
	f := factsOf(told(map[property]any{
		propName: "OK", propAutomationID: "ok-button", propClass: "Button", propHelp: "Saves", propProcess: int32(7), propHandle: int32(0x1234),
		propBox: []float64{-10, 20, 30, 40}, propAriaRole: "switch",
	}))
	if f.name != "OK" || f.id != "ok-button" || f.class != "Button" || f.help != "Saves" || f.pid != 7 || f.handle != 0x1234 || f.aria != "switch" {
		t.Errorf("the element is %+v", f)
	}
	if want := (desktop.Rect{X: -10, Y: 20, W: 30, H: 40}); f.box != want {
		t.Errorf("the box is %v, want %v", f.box, want)
	}
}

// Each control type has a role, as each role of AT-SPI has.
func TestControlTypesHaveRoles(t *testing.T) {
	for _, name := range controlTypes {
		f := facts{raw: name}
		if f.role() == "" {
			t.Errorf("%s has no role", name)
		}
	}
}

// The action of a window within another one is not what a press on it means.
func TestNothingIsClosedByDefault(t *testing.T) {
	f := factsOf(told(map[property]any{propControlType: controlType("Window"), propCanWindow: true}))
	if got := f.action(""); got != "" {
		t.Errorf("the default action is %q, want none", got)
	}
	if got := f.action("Close"); got != "close" {
		t.Errorf("the action Close is %q", got)
	}
}
