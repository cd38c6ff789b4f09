package observe

import (
	"understudy/steps"
	"understudy/steps/aim"
)

// ActionOptions are the arguments of every action: what to do before it and what to
// observe afterwards.
type ActionOptions struct {
	VerifyOptions
	DiffOptions
	aim.WindowOptions
	HighlightBeforeAction bool `json:"highlight_before_action,omitzero" use:"rare" jsonschema:"show a frame around the element first"`
}

// DefaultActionOptions are the defaults of ActionOptions.
var DefaultActionOptions = ActionOptions{VerifyOptions: defaultVerify, DiffOptions: DiffOptions{TreeOptions: DefaultTreeOptions}, WindowOptions: aim.DefaultWindowOptions}

// AsksForMore reports whether anything besides the action is asked for that concerns
// its window.
func (a *ActionOptions) AsksForMore() bool {
	return a.VerifyElementExists != "" || a.VerifyElementNotExists != "" || a.UIDiffBeforeAfter || a.IncludeTreeAfterAction || a.IncludeWindowScreenshot
}

// LookOptions are the arguments of kinds that only look, besides those of their own
// answer.
type LookOptions struct {
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" use:"rare" jsonschema:"show the window's elements too"`
	TreeOptions
	PictureOptions
}

// DefaultLookOptions are the defaults of LookOptions.
var DefaultLookOptions = LookOptions{TreeOptions: DefaultTreeOptions}

// PictureOptions are the pictures that a kind that only looks can add to its result. It
// ignores the options of actions.
type PictureOptions struct {
	IncludeWindowScreenshot  bool `json:"include_window_screenshot,omitzero" use:"rare" jsonschema:"keep a picture of the window too"`
	IncludeMonitorScreenshot bool `json:"include_monitor_screenshots,omitzero" use:"rare" jsonschema:"keep a picture of the whole screen too"`

	_ struct{} `ignored:"verify_element_exists verify_element_not_exists verify_timeout_ms enable_window_management bring_to_front maximize_target minimize_always_on_top restore_focus"`
}

// DiffOptions ask for the changes of the elements of a window.
type DiffOptions struct {
	UIDiffBeforeAfter      bool `json:"ui_diff_before_after,omitzero" use:"rare" jsonschema:"say what the action changed in the window"`
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" use:"rare" jsonschema:"show the window's elements afterwards"`
	TreeOptions
}

// TreeOptions configure how elements are shown.
type TreeOptions struct {
	TreeMaxDepth              steps.Count    `json:"tree_max_depth,omitzero" use:"rare" jsonschema:"how many levels to show; what only holds others counts for none"`
	TreeFromSelector          steps.Selector `json:"tree_from_selector,omitzero" use:"rare" jsonschema:"show only what is below this element"`
	IncludeDetailedAttributes bool           `json:"include_detailed_attributes,omitzero" use:"rare" jsonschema:"with verbose_json: also show descriptions, actions and attributes"`
	TreeOutputFormat          TreeFormat     `json:"tree_output_format,omitzero" use:"rare" jsonschema:"how to write the elements; clustered_yaml is compact_yaml, as all come from one place"`
}

// DefaultTreeOptions are the defaults of TreeOptions.
var DefaultTreeOptions = TreeOptions{TreeMaxDepth: 30, TreeOutputFormat: CompactYAML}

// TreeFormat is how elements are written.
type TreeFormat string

func (TreeFormat) Words() []string {
	return []string{"compact_yaml", "verbose_json", "clustered_yaml"}
}

// The ways to write elements.
const (
	CompactYAML TreeFormat = "compact_yaml"
	VerboseJSON TreeFormat = "verbose_json"
)

// VerifyOptions name the elements that must, or must not, be there after an action.
type VerifyOptions struct {
	VerifyElementExists    steps.Selector `json:"verify_element_exists,omitzero" use:"rare" jsonschema:"an element that must be there afterwards"`
	VerifyElementNotExists steps.Selector `json:"verify_element_not_exists,omitzero" use:"rare" jsonschema:"an element that must be gone afterwards"`
	VerifyTimeoutMS        steps.Millis   `json:"verify_timeout_ms,omitzero" use:"rare" jsonschema:"how long to wait for that"`
}

var defaultVerify = VerifyOptions{VerifyTimeoutMS: 2000}
