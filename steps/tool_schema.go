package steps

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// The tags of argument fields express what schemas cannot:
//
//	Retries Count `json:"retries,omitzero" use:"rare" jsonschema:"…"`
//	Text string `json:"text" use:"typed" jsonschema:"…"`
//
// A typed argument may go into a password field: it is a secret until the kind calls
// NoteTyped. A rare argument is left out of the schema that models are offered, to save
// their context. One with use:"old" is a spelling that is only read.

// absent are the arguments of other programs that no kind has, each with what to write
// instead. They pass Check as long as they ask for nothing; see asksNothing.
var absent = map[string]string{
	"browser_dom_max_elements": "the elements of web pages are in the tree: bound it with max_elements",
	"include_browser_dom":      "the elements of web pages are in the tree already",
	"include_gemini_vision":    "find pictures with find_image, and text with read_text",
	"include_omniparser":       "find pictures with find_image, and text with read_text",
	"index":                    "give ref: what was #12 of a tree is e12",
	"show_overlay":             "show an element with highlight_element",
	"vision_type":              "give the ref alone: get_window_tree shows elements, and with include_ocr words; find pictures with find_image",
}

// asksNothing reports whether a value of an absent argument changes nothing. The refs of
// words are like those of elements, so it need not be said which of them one is.
func asksNothing(name string, v any) bool {
	return v == nil || v == false || name == "vision_type" && (v == "ui_tree" || v == "ocr" || v == "dom")
}

// readTags collects the rare and typed arguments, and the groups, of a type.
func (sh *shape) readTags(t reflect.Type, group string) {
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		in := group
		if tag, ok := f.Tag.Lookup("in"); ok {
			in = tag
		}
		if f.Anonymous {
			sh.readTags(f.Type, in)
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		sh.note(f, name, in)
		switch f.Tag.Get("use") {
		case "rare":
			sh.rare = append(sh.rare, name)
		case "typed":
			sh.typed = append(sh.typed, name)
		}
	}
}

// Typed returns the arguments whose text may go into a password field.
func (k Kind) Typed() []string { return k.shape().typed }

// HasTarget reports whether the kind takes an element, by a ref or a selector.
func (k Kind) HasTarget() bool { return k.shape().groups[TargetArgument] != nil }

// ToolArgs returns the schema of the arguments for tools that models are offered: a target
// as a text, no rare arguments, and only what a model needs to make a call. It allows more
// properties if some are left out, because those stay valid; Run checks them.
func (k Kind) ToolArgs() *jsonschema.Schema {
	s := k.Args().CloneSchemas()
	left := func(name string) bool {
		if name == timeoutArgument && !slices.Contains(k.shape().rare, name) {
			return k.HasTarget() && !k.waits() // whoever waits for an element for long calls a kind that waits
		}
		return slices.Contains(k.shape().rare, name) || k.shape().groups[name] != nil && name != TargetArgument
	}
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), left)
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return left(name) })
	if len(s.Properties) < len(k.shape().fields.Properties) {
		s.AdditionalProperties = nil
	}
	for name, p := range s.Properties {
		if terse(p); slices.Contains(speaking, name) && p.Type != "" && !(name == timeoutArgument && k.HasTarget()) {
			p.Description = ""
		}
	}
	if k.HasTarget() {
		s.Properties[TargetArgument] = &jsonschema.Schema{Type: "string"}
		if k.shape().groups[TargetArgument]["x"] != "" { // the tool that a model reads first tells it for all
			s.Properties[TargetArgument].Description = "ref (e12), selector, or x,y"
		}
	}
	return s
}

// timeoutArgument is how long a kind waits for what it needs.
const timeoutArgument = "timeout_ms"

// speaking are arguments whose names tell a model all that their descriptions do.
var speaking = []string{
	timeoutArgument, "app_name", "button", "condition", "direction", "file", "include_hidden", "max_elements",
	"option_name", "process", "region", "text_to_type", "url",
}

// waits reports whether the kind is there to wait.
func (k Kind) waits() bool { return k.Timeout >= time.Hour }

// terse removes from a schema what only editors and checks use.
func terse(s *jsonschema.Schema) {
	s.Format, s.Minimum, s.AdditionalProperties = "", nil, nil
	for _, p := range s.Properties {
		terse(p)
	}
	if s.Items != nil {
		terse(s.Items)
	}
}
