package steps

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The fields of arguments say in their tags what schemas cannot:
//
//	Retries Count `json:"retries,omitzero" use:"rare" jsonschema:"…"`
//	_ struct{} `ignored:"color font_size"`
//
// An argument of rare use is left out of the schema that models are offered, as it
// would fill what they can keep in mind. One that is ignored is let pass by Check and
// does nothing: sequences of other programs give it.

// ignored are the arguments that kinds may let pass, each with the reason why it
// does nothing.
var ignored = map[string]string{
	"bring_to_front":            "looking leaves all windows as they are",
	"color":                     "frames are red",
	"enable_window_management":  "looking leaves all windows as they are",
	"font_bold":                 "the text has one font",
	"font_color":                "the text is white",
	"font_size":                 "the text has one size",
	"include_element_info":      "the result always has it",
	"include_tree_after_action": "the elements are what it shows",
	"maximize_target":           "looking leaves all windows as they are",
	"minimize_always_on_top":    "no window but the element's own is touched",
	"restore_focus":             "looking leaves the focus where it is",
	"text_position":             "the text stands above the frame",
	"verify_element_exists":     "nothing is done that could bring it about",
	"verify_element_not_exists": "nothing is done that could bring it about",
	"verify_timeout_ms":         "nothing is verified",
}

// readTags collects the arguments of rare use and the ignored ones of a type.
func (k *Kind) readTags(t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		if f.Anonymous {
			k.readTags(f.Type)
		}
		if f.Tag.Get("use") == "rare" {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			k.rare = append(k.rare, name)
		}
		for name := range strings.FieldsSeq(f.Tag.Get("ignored")) {
			if ignored[name] == "" {
				panic("steps: " + k.Name + " ignores " + name + " without a reason")
			}
			k.ignored = append(k.ignored, name)
		}
	}
}

// Ignored are the arguments that the kind lets pass, each with the reason why it
// does nothing.
func (k Kind) Ignored() map[string]string {
	all := map[string]string{}
	for _, name := range k.ignored {
		all[name] = ignored[name]
	}
	return all
}

// ToolArgs is the schema of the arguments without those of rare use, for tools that
// models are offered. It is open when something is left out, because that may be
// given all the same; Run checks it.
func (k Kind) ToolArgs() *jsonschema.Schema {
	s := k.Args.CloneSchemas()
	rare := func(name string) bool { return slices.Contains(k.rare, name) }
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), rare)
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return rare(name) })
	if len(s.Properties) < len(k.Args.Properties) || len(k.ignored) > 0 {
		s.AdditionalProperties = nil
	}
	return s
}
