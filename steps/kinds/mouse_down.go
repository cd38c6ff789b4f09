package kinds

import (
	"understudy/internal/desktop"
)

// MouseDown presses a mouse button and keeps it down.
var MouseDown = buttonKind("mouse_down", "Press a mouse button and hold it until mouse_up, or until the run ends.",
	func(b desktop.Button) desktop.Action { return desktop.ButtonDown{Button: b} })
