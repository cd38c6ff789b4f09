package kinds

import "understudy/internal/desktop"

// MouseUp lets go of a mouse button.
var MouseUp = buttonKind("mouse_up", "Let go of a mouse button that mouse_down holds.",
	func(b desktop.Button) desktop.Action { return desktop.ButtonUp{Button: b} })
