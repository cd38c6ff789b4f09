package steps

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// RarelyUsed are the arguments that most callers never need. They stand in many
// kinds, and would fill what a model can keep in mind.
var RarelyUsed = []string{
	"alternative_selectors", "fallback_selectors", "fallback_point", "retries", "threshold", "click_type",
	"verify_timeout_ms", "tree_max_depth", "tree_from_selector", "include_detailed_attributes", "tree_output_format",
	"enable_window_management", "bring_to_front", "maximize_target", "minimize_always_on_top", "restore_focus",
	"include_window_screenshot", "include_monitor_screenshots", "highlight_before_action", "try_focus_before", "try_click_before",
}

// idle begins what is said of arguments that are taken and not used.
const idle = "accepted and without effect"

// ToolArgs is the schema of the arguments without those that are seldom needed,
// for tools that models are offered. It is open, because the others may be
// given all the same; Run checks them.
func (k Kind) ToolArgs() *jsonschema.Schema {
	s := k.Args.CloneSchemas()
	unneeded := func(name string) bool {
		p := s.Properties[name]
		return slices.Contains(RarelyUsed, name) || p != nil && strings.HasPrefix(p.Description, idle) || k.Touches == Look && name == "include_tree_after_action"
	}
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), unneeded)
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return unneeded(name) })
	if len(s.Properties) < len(k.Args.Properties) {
		s.AdditionalProperties = nil
	}
	return s
}
