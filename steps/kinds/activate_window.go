package kinds

import (
	"understudy/internal/desktop"
)

// ActivateWindow brings a window to the front.
var ActivateWindow = windowKind("activate_window", "Bring a window to the front and give it the focus.", desktop.Activate,
	func(w desktop.Window) bool { return w.Active && !w.Minimized })
