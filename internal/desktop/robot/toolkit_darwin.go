package robot

import "github.com/go-vgo/robotgo/darwin"

// robotgo waits after each key unless it is told not to.
func init() { darwin.KeySleep = 0 }

var toolkit = kit{
	move: darwin.Move, location: darwin.Location, toggle: darwin.Toggle, scroll: darwin.Scroll,
	keyTap: darwin.KeyTap, keyToggle: darwin.KeyToggle, typeText: darwin.Type,
	size: darwin.GetScreenSize, scale: darwin.ScaleF, capture: darwin.Capture,
}
