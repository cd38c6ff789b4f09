//go:build linux

package atspi

import (
	"testing"

	"understudy/steps/desktop"
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
