package kinds

import "understudy/internal/desktop"

// MaximizeWindow makes a window as large as its screen.
var MaximizeWindow = windowKind("maximize_window", "Make a window as large as its screen.", desktop.Maximize,
	func(w desktop.Window) bool { return w.Maximized && !w.Minimized })
