package steps

import (
	"time"

	"understudy/steps/desktop"
)

// OpenApplication starts an application and waits for its window.
var OpenApplication = Define[OpenArgs, OpenResult](Kind{
	Name:    "open_application",
	Summary: "Start an application and wait for its window.",
	Toolset: Core,
	Touches: Act,
	Focus:   Take,
	Timeout: 2 * time.Minute,
}, OpenArgs{Around: around, WaitForWindow: true, TimeoutMS: 30_000}, nil)

// OpenArgs says which application to start.
type OpenArgs struct {
	AppName       string `json:"app_name" jsonschema:"a command line, a desktop file's name, or an application's name"`
	WaitForWindow bool   `json:"wait_for_window,omitzero" jsonschema:"wait until it shows a window"`
	Title         string `json:"title,omitzero" jsonschema:"wait for a window with this in its title"`
	TimeoutMS     Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
	Around
}

// OpenResult says what was started.
type OpenResult struct {
	PID    int             `json:"pid" jsonschema:"the number of the process"`
	Window *desktop.Window `json:"window,omitzero" jsonschema:"its window, when it was waited for"`
	After
}
