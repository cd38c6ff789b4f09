package kinds

import "understudy/internal/desktop"

// MinimizeWindow hides a window.
var MinimizeWindow = windowKind("minimize_window", "Minimize a window.", desktop.Minimize,
	func(w desktop.Window) bool { return w.Minimized })
