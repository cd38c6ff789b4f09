package kinds

import (
	"slices"
	"strings"
	"testing"

	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/workflows"
	"understudy/workflows/dialect"
)

// The arguments that sequences written for the program that these kinds have
// their names from give to them, by the groups in which it gives them out.
const (
	naming    = "process window_selector selector alternative_selectors fallback_selectors"
	trying    = "timeout_ms retries " + verifying
	verifying = "verify_element_exists verify_element_not_exists verify_timeout_ms"
	framing   = "highlight_before_action"
	showing   = "tree_max_depth tree_from_selector include_detailed_attributes tree_output_format"
	differing = "ui_diff_before_after " + showing
	listing   = "include_tree_after_action " + showing
	picturing = "include_monitor_screenshots include_window_screenshot"
	managing  = "enable_window_management maximize_target minimize_always_on_top bring_to_front restore_focus"
	looking   = naming + " " + trying + " " + listing + " " + picturing + " " + managing
	acting    = naming + " " + trying + " " + framing + " " + differing + " " + picturing + " " + managing
)

var ofOthers = map[string]string{
	"click_element":      "x y click_type click_position restore_cursor " + acting,
	"invoke_element":     acting,
	"type_into_element":  "text_to_type clear_before_typing try_focus_before try_click_before " + acting,
	"press_key":          "key try_focus_before try_click_before " + acting,
	"press_key_global":   "process key " + verifying + " " + differing + " " + picturing + " " + managing,
	"set_value":          "value " + acting,
	"select_option":      "option_name " + acting,
	"set_selected":       "state " + acting,
	"scroll_element":     "direction amount " + acting,
	"mouse_drag":         "start_x start_y end_x end_y " + acting,
	"open_application":   "app_name " + verifying + " " + listing + " " + picturing + " " + managing,
	"activate_element":   looking,
	"get_window_tree":    "process title " + listing + " " + picturing + " " + managing,
	"capture_screenshot": "entire_monitor max_dimension " + looking,
	"highlight_element":  "color duration_ms text text_position font_size font_bold font_color include_element_info " + looking,
	"validate_element":   looking,
	"wait_for_element":   "condition " + looking,
	"delay":              "delay_ms",
}

// A sequence that was written for another program, and gives every argument
// that it has to give there, is taken as it is.
func TestSequencesOfOthersAreTaken(t *testing.T) {
	for name, list := range ofOthers {
		i := slices.IndexFunc(All(), func(k steps.Kind) bool { return k.Name == name })
		if i < 0 {
			t.Errorf("there is no kind %s", name)
			continue
		}
		for arg := range strings.FieldsSeq(list) {
			if row, _ := dialect.Find(dialect.Argument, name, arg); !All()[i].Has(arg) && row.Why == "" {
				t.Errorf("%s does not take %s", name, arg)
			}
		}
	}
}

// What a caller has to give elsewhere and does not want, "" or false, changes
// nothing; and what only looks shows the tree and the pictures that are wanted.
func TestLookingTakesWhatActionsTake(t *testing.T) {
	empty := func(more ...any) map[string]any {
		return args(append([]any{
			"selector", "name:Save", "verify_element_exists", "", "verify_element_not_exists", "", "include_tree_after_action", false,
			"bring_to_front", true, "restore_focus", true, "tree_output_format", "clustered_yaml",
		}, more...)...)
	}
	has := func(field string) map[string]any { return map[string]any{field: true} }
	for _, p := range []play{
		{say: "validate_element", kind: ValidateElement, args: empty(), result: has("exists"), journal: []string{}, acted: steps.ActedNo},
		{say: "wait_for_element", kind: WaitForElement, args: empty("condition", "visible"), journal: []string{}, acted: steps.ActedNo},
		{say: "highlight_element", kind: HighlightElement, args: empty("color", 255.0, "font_bold", true), acted: steps.ActedNo},
	} {
		p.args = workflows.CallArguments(&p.kind, p.args)
		p.run(t)
	}
	for _, k := range []steps.Kind{ValidateElement, WaitForElement} {
		play{
			say: k.Name + " shows the tree", kind: k, args: args("selector", "name:Save", "include_tree_after_action", true),
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if tree, _ := o.Result["ui_tree"].(string); !strings.Contains(tree, `slider "Size"`) {
					t.Errorf("the tree: %q", tree)
				}
			},
		}.run(t)
	}
}
