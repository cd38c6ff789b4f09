package steps

import "understudy/steps/desktop"

// ElementResult says on which element a step acted, and what was seen then.
type ElementResult struct {
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element, as it was last seen"`
	After
}
