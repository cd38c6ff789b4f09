//go:build linux

package atspi

import "understudy/steps/desktop"

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
	bitReadOnly           = 43
)

// stateTable pairs their states with ours.
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
	{bitSensitive, desktop.Enabled}, // GTK 4 says only this
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
