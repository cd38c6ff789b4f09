package mcpserver

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// seldom are the fields of results that stand in many kinds, and are there only
// when a caller asked for them.
var seldom = []string{"screenshots", "screenshot_areas", "not_seen", "has_ui_changes", "ui_diff", "ui_tree"}

// shallow is the outline of a schema: the names and types of an object's
// fields. A client can still check results by it, and a model that is shown
// every tool need not read what the fields are made of.
func shallow(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "object", Required: s.Required}
	if len(s.Properties) == 0 {
		return out
	}
	out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
	for name, p := range s.Properties {
		if slices.Contains(seldom, name) && !slices.Contains(s.Required, name) {
			continue
		}
		out.Properties[name] = &jsonschema.Schema{Type: p.Type, Types: p.Types}
		if p.Type == "" && len(p.Types) == 0 {
			out.Properties[name] = anything()
		}
	}
	return out
}

// anything is a schema that every value fits. Written out it is an object, as
// versions before 2026-07-28 want it, and not just true.
func anything() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"null", "boolean", "number", "string", "array", "object"}}
}
