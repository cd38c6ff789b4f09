package steps

// Around is what may be asked of every action: what to do before it, and what
// to look at after it.
type Around struct {
	Verify
	Diff
	WindowOptions
	HighlightBeforeAction bool `json:"highlight_before_action,omitzero" jsonschema:"show a frame around the element first"`
}

// around are the defaults of an Around.
var around = Around{Verify: verify, Diff: Diff{TreeOptions: treeOptions}, WindowOptions: windowOptions}

// WindowOptions say what to do with windows before and after.
type WindowOptions struct {
	EnableWindowManagement   bool  `json:"enable_window_management,omitzero" jsonschema:"false leaves all windows as they are"`
	BringToFront             bool  `json:"bring_to_front,omitzero" jsonschema:"bring the element's window to the front first"`
	MaximizeTarget           bool  `json:"maximize_target,omitzero" jsonschema:"maximize the element's window first"`
	MinimizeAlwaysOnTop      bool  `json:"minimize_always_on_top,omitzero" jsonschema:"minimize windows that cover the element"`
	RestoreFocus             *bool `json:"restore_focus,omitzero" jsonschema:"give focus and caret back afterwards; without it the kind decides"`
	IncludeWindowScreenshot  bool  `json:"include_window_screenshot,omitzero" jsonschema:"keep a picture of the window afterwards"`
	IncludeMonitorScreenshot bool  `json:"include_monitor_screenshots,omitzero" jsonschema:"keep a picture of the whole screen afterwards"`
}

var windowOptions = WindowOptions{EnableWindowManagement: true, BringToFront: true}

// After is what was seen after an action.
type After struct {
	Verified     bool     `json:"verified" jsonschema:"whether what the action was to bring about was read back and is so"`
	HasUIChanges *bool    `json:"has_ui_changes,omitzero" jsonschema:"whether the window's elements changed, when that was asked"`
	UIDiff       string   `json:"ui_diff,omitzero" jsonschema:"which elements came, went and changed"`
	UITree       string   `json:"ui_tree,omitzero" jsonschema:"the window's elements afterwards"`
	Screenshots  []string `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
}
