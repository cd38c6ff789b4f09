package steps

import "understudy/steps/desktop"

// GetApplicationsAndWindowsList lists the windows.
var GetApplicationsAndWindowsList = Define[WindowsArgs, WindowsResult](Kind{
	Name:    "get_applications_and_windows_list",
	Summary: "List the open windows with their applications, the topmost first.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
}, WindowsArgs{}, nil)

// WindowsArgs says which windows to list.
type WindowsArgs struct {
	Process string `json:"process,omitzero" jsonschema:"only windows of this application"`
	Title   string `json:"title,omitzero" jsonschema:"only windows with this in their title"`
}

// WindowsResult is the list.
type WindowsResult struct {
	Windows      []desktop.Window `json:"windows" jsonschema:"the windows, the topmost first"`
	Applications []string         `json:"applications" jsonschema:"the names of the applications that have them"`
}
