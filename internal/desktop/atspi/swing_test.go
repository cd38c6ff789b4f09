//go:build linux

package atspi

import (
	"testing"

	"understudy/internal/desktop"
)

func TestAWindowOfSwingIsWhereTheWindowSystemHasIt(t *testing.T) {
	window := desktop.Window{Inside: desktop.Rect{X: 301, Y: 220, W: 618, H: 435}}
	pane := &node{basics: basics{role: rolePane}, box: desktop.Rect{X: 1, Y: 20, W: 618, H: 435}, parent: &node{}}
	button := &node{box: desktop.Rect{X: 1, Y: 430, W: 618, H: 25}, parent: pane}
	if got, want := (frameWindow{window: window}).onScreen(button), (desktop.Rect{X: 301, Y: 630, W: 618, H: 25}); got != want {
		t.Errorf("the button is at %v, wanted %v", got, want)
	}
	if got := (frameWindow{window: window, popup: true}).onScreen(button); got != button.box {
		t.Errorf("in a popup it is at %v, wanted %v", got, button.box)
	}
	pane.box.W = 500 // it has not followed yet
	if got := (frameWindow{window: window}).onScreen(button); got != button.box {
		t.Errorf("before it follows it is at %v, wanted %v", got, button.box)
	}
}
