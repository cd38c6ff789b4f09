package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"understudy/steps/desktop/selector"
)

// Within says in which application and window to look.
type Within struct {
	Process        string   `json:"process,omitzero" jsonschema:"the application's process name, such as mousepad"`
	WindowSelector Selector `json:"window_selector,omitzero" jsonschema:"the window inside the application, such as role:frame && name~:Untitled"`
}

// Target says which element a step means, and how long to look for it.
type Target struct {
	Within
	Selector             Selector  `json:"selector,omitzero" jsonschema:"the element, such as role:button && name:Save; without one the window itself is meant"`
	Ref                  string    `json:"ref,omitzero" jsonschema:"an element of the last tree that was shown, such as e12"`
	Targets              Selectors `json:"targets,omitzero" jsonschema:"selectors of the same element; the first that matches exactly one element is used"`
	AlternativeSelectors Selectors `json:"alternative_selectors,omitzero" jsonschema:"further selectors, tried together with selector"`
	FallbackSelectors    Selectors `json:"fallback_selectors,omitzero" jsonschema:"selectors that are tried when the others found nothing in time"`
	TimeoutMS            Millis    `json:"timeout_ms,omitzero" jsonschema:"how long to wait until the element is there and ready"`
	Retries              Count     `json:"retries,omitzero" jsonschema:"how many more times to wait that long; what was begun is never repeated"`
}

// lookFor is how long an action looks for its element.
const lookFor Millis = 3000

// aimed are the defaults of a Target.
var aimed = Target{TimeoutMS: lookFor}

// Named says whether anything names an element.
func (t *Target) Named() bool {
	return t.Selector != "" || t.Ref != "" || len(t.Targets) > 0 || len(t.AlternativeSelectors) > 0 ||
		len(t.FallbackSelectors) > 0 || t.Within != Within{}
}

// Validate wants something that names an element, and only one way of doing so.
func (t *Target) Validate() error {
	if !t.Named() {
		return errors.New("wanted a selector, targets or a ref: nothing names the element")
	}
	if t.Ref != "" && (t.Selector != "" || len(t.Targets) > 0) {
		return errors.New("wanted either a ref or a selector, found both")
	}
	return nil
}

// Place is a point of the screen in arguments, when it is given.
type Place struct {
	X *int `json:"x,omitzero" jsonschema:"the distance from the left edge of the screen, in pixels"`
	Y *int `json:"y,omitzero" jsonschema:"the distance from the top edge of the screen, in pixels"`
}

// Given says whether there is a point; half a point is an error.
func (p Place) Given() (bool, error) {
	if (p.X == nil) != (p.Y == nil) {
		return false, errors.New("wanted both x and y, found one of them")
	}
	return p.X != nil, nil
}

// Selectors is a list of selectors; one string may hold several, set apart by
// commas.
type Selectors []Selector

// UnmarshalJSON reads a list or a string.
func (s *Selectors) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*s = nil
	switch v := v.(type) {
	case nil:
	case string:
		*s = splitSelectors(v)
	case []any:
		for _, x := range v {
			text, ok := x.(string)
			if !ok {
				return fmt.Errorf("wanted selectors, found %v", x)
			}
			*s = append(*s, Selector(text))
		}
	default:
		return fmt.Errorf("wanted a selector or a list of them, found %v", v)
	}
	return nil
}

// nextSelector is a comma behind which a selector begins: not one inside a
// name, nor the one of pos:10,20.
var nextSelector = regexp.MustCompile(`,\s*[A-Za-z]+[~-]?[:\d]`)

func splitSelectors(text string) []Selector {
	var all []Selector
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, Selector(part))
		}
	}
	for {
		at := nextSelector.FindStringIndex(text)
		if at == nil {
			add(text)
			return all
		}
		add(text[:at[0]])
		text = text[at[0]+1:]
	}
}

// parseAll understands selectors.
func parseAll(texts []Selector) ([]*selector.Selector, error) {
	all := make([]*selector.Selector, len(texts))
	for i, text := range texts {
		s, err := selector.Parse(string(text))
		if err != nil {
			return nil, err
		}
		all[i] = s
	}
	return all, nil
}
