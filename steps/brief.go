package steps

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// seldom are the arguments that most callers never need. They stand in many
// kinds, and would fill what a model can keep in mind.
var seldom = []string{
	"alternative_selectors", "fallback_selectors", "fallback_point", "retries", "threshold", "click_type",
	"verify_timeout_ms", "tree_max_depth", "tree_from_selector", "include_detailed_attributes", "tree_output_format",
	"enable_window_management", "bring_to_front", "maximize_target", "minimize_always_on_top", "restore_focus",
	"include_window_screenshot", "include_monitor_screenshots", "highlight_before_action", "try_focus_before", "try_click_before",
}

// Brief is the schema of the arguments without those that are seldom needed,
// for tools that models are offered. It is open, because the others may be
// given all the same; Run checks them.
func (k Kind) Brief() *jsonschema.Schema {
	s := k.Args.CloneSchemas()
	for _, name := range seldom {
		delete(s.Properties, name)
	}
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), func(name string) bool { return slices.Contains(seldom, name) })
	if len(s.Properties) < len(k.Args.Properties) {
		s.AdditionalProperties = nil
	}
	return s
}
