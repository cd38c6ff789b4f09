package steps

// Diff asks what an action changed among the elements of its window.
type Diff struct {
	UIDiffBeforeAfter      bool `json:"ui_diff_before_after,omitzero" jsonschema:"say what the action changed in the window"`
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" jsonschema:"show the window's elements afterwards"`
	TreeOptions
}
