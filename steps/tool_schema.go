package steps

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The fields of arguments say in their tags what schemas cannot:
//
//	Retries Count `json:"retries,omitzero" use:"rare" jsonschema:"…"`
//	Text string `json:"text" use:"typed" jsonschema:"…"`
//	_ struct{} `ignored:"color font_size"`
//
// An argument that is typed may go into a password field: it is a secret until the
// kind has said with NoteTyped that it does not. An argument of rare use is left out of the schema that models are offered, as it
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
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch f.Tag.Get("use") {
		case "rare":
			k.rare = append(k.rare, name)
		case "typed":
			k.typed = append(k.typed, name)
		}
		for name := range strings.FieldsSeq(f.Tag.Get("ignored")) {
			if ignored[name] == "" {
				panic("steps: " + k.Name + " ignores " + name + " without a reason")
			}
			k.ignored = append(k.ignored, name)
		}
	}
}

// Typed are the arguments whose text may go into a password field.
func (k Kind) Typed() []string { return k.typed }

// Ignored are the arguments that the kind lets pass, each with the reason why it
// does nothing.
func (k Kind) Ignored() map[string]string {
	all := map[string]string{}
	for _, name := range k.ignored {
		all[name] = ignored[name]
	}
	return all
}

// TargetArgument names an element in calls of tools: it stands for the arguments
// that it takes the place of, which stay valid beside it.
const TargetArgument = "target"

// targetStands are what TargetArgument stands for in the list of tools.
var targetStands = []string{"process", "window_selector", "selector", "ref", "targets"}

// HasTarget reports whether the kind takes an element, by a ref or a selector.
func (k Kind) HasTarget() bool {
	return k.Args.Properties["ref"] != nil && k.Args.Properties["selector"] != nil
}

// refPattern matches a ref such as e12.
var refPattern = regexp.MustCompile(`^e\d+$`)

// SplitTarget returns the arguments of a tool call as the kind takes them: what
// TargetArgument says is a ref or a selector.
func (k Kind) SplitTarget(args map[string]any) map[string]any {
	text, ok := args[TargetArgument].(string)
	if !ok || !k.HasTarget() || args["ref"] != nil || args["selector"] != nil {
		return args
	}
	args = maps.Clone(args)
	delete(args, TargetArgument)
	if text = strings.TrimSpace(text); refPattern.MatchString(text) {
		args["ref"] = text
	} else {
		args["selector"] = text
	}
	return args
}

// ToolArgs is the schema of the arguments for tools that models are offered: one
// property for the element, none of rare use, and nothing that a model does not need
// to make a call. It is open when something is left out, because that may be given all
// the same; Run checks it.
func (k Kind) ToolArgs() *jsonschema.Schema {
	s := k.Args.CloneSchemas()
	left := func(name string) bool {
		return slices.Contains(k.rare, name) || k.HasTarget() && slices.Contains(targetStands, name)
	}
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), left)
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return left(name) })
	if len(s.Properties) < len(k.Args.Properties) || len(k.ignored) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		terse(p)
	}
	if k.HasTarget() {
		s.Properties[TargetArgument] = &jsonschema.Schema{Type: "string", Description: "ref (e12) or selector"}
		s.PropertyOrder = append([]string{TargetArgument}, s.PropertyOrder...)
	}
	return s
}

// terse drops from a schema what only editors and checks read.
func terse(s *jsonschema.Schema) {
	s.Format, s.Minimum, s.AdditionalProperties = "", nil, nil
	for _, p := range s.Properties {
		terse(p)
	}
	if s.Items != nil {
		terse(s.Items)
	}
}
