// Package kinds declares every kind of step, each in a file of its name; All, in
// catalog.go, lists them. Package aim finds and presses elements, package observe looks
// at the screen before and after an action, and package pagecontrol sets the controls of
// web pages.
package kinds
