// Package kinds declares every kind of step, each in a file of its name; All, in
// catalog.go, lists them. What several kinds share is in files.go, keys.go, pictures.go,
// pointer.go and windows.go. Package aim finds and presses elements, package observe looks
// at the screen before and after an action, and package pagecontrol sets the controls of
// web pages.
package kinds
