package robot

import "github.com/go-vgo/robotgo/win"

// robotgo waits after each key unless it is told not to.
func init() { win.KeySleep = 0 }

var toolkit = kit{
	move: win.Move, location: win.Location, toggle: win.Toggle, scroll: win.Scroll,
	keyTap: win.KeyTap, keyToggle: win.KeyToggle, typeText: win.Type,
	size: win.GetScreenSize, scale: win.ScaleF, capture: win.Capture,
}
