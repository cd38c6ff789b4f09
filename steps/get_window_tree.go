package steps

import "understudy/steps/desktop"

// GetWindowTree shows the elements of a window.
var GetWindowTree = Define[WindowTreeArgs, WindowTreeResult](Kind{
	Name:    "get_window_tree",
	Summary: "Show the elements of a window, each with a ref that later steps can use.",
	Details: "Without process, title and window_selector it shows the active window. Only what is visible is shown.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
}, WindowTreeArgs{TreeOptions: treeOptions, MaxElements: 400}, nil)

// WindowTreeArgs says which window, and how much of it.
type WindowTreeArgs struct {
	Within
	Title         string `json:"title,omitzero" jsonschema:"part of the window's title"`
	MaxElements   Count  `json:"max_elements,omitzero" jsonschema:"how many elements to show at most"`
	IncludeHidden bool   `json:"include_hidden,omitzero" jsonschema:"also show what is not visible"`
	TreeOptions
}

// WindowTreeResult is the tree, written out.
type WindowTreeResult struct {
	UITree  string           `json:"ui_tree" jsonschema:"the elements"`
	TreeID  string           `json:"tree_id" jsonschema:"which reading of the screen the refs belong to"`
	Shown   int              `json:"shown" jsonschema:"how many elements are shown"`
	Omitted int              `json:"omitted" jsonschema:"how many were left out"`
	Unread  []string         `json:"unread,omitzero" jsonschema:"applications that did not answer in time"`
	Windows []desktop.Window `json:"windows,omitzero" jsonschema:"the windows that were read"`
}
