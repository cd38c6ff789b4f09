package aim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop/selector"
	"understudy/steps"
)

// Query is a parsed Target.
type Query struct {
	within    Within
	Ref       string
	First     []*selector.Selector // tried together
	Fallbacks []*selector.Selector // tried if those found nothing in time
	Likeness  float64              // threshold of picture matches; 0 is the default
}

// Query parses the selectors of a target.
func (t *Target) Query() (Query, error) {
	q := Query{within: t.Within, Ref: t.Ref}
	texts := slices.Concat(t.Selector, []steps.Selector(t.Targets), []steps.Selector(t.AlternativeSelectors))
	var err error
	if q.First, err = t.Within.Inside(texts); err != nil {
		return q, err
	}
	if q.Fallbacks, err = t.Within.Inside(t.FallbackSelectors); err != nil {
		return q, err
	}
	if len(q.First) == 1 {
		if ref, ok := q.First[0].Ref(); ok {
			q.Ref = ref
		}
	}
	if q.Ref == "" && len(q.First) == 0 && len(q.Fallbacks) == 0 {
		window, err := t.Within.selector()
		if err != nil {
			return q, err
		}
		q.First = []*selector.Selector{window}
	}
	return q, nil
}

// selector returns the selector of the window, nil for any.
func (w Within) selector() (*selector.Selector, error) {
	var window *selector.Selector
	if w.WindowSelector != "" {
		var err error
		if window, err = selector.Parse(string(w.WindowSelector)); err != nil {
			return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("window_selector: %w", err)}
		}
	}
	return inside(selector.Process(w.Process), window)
}

// inside scopes a selector to another; each may be nil.
func inside(outer, inner *selector.Selector) (*selector.Selector, error) {
	s, err := selector.In(outer, inner)
	if err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: err}
	}
	return s, nil
}

// Inside parses selectors and scopes them to the window.
func (w Within) Inside(texts []steps.Selector) ([]*selector.Selector, error) {
	all, err := steps.ParseSelectors(texts)
	if err != nil {
		return nil, err
	}
	window, err := w.selector()
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		if _, ref := s.Ref(); ref {
			continue
		}
		if all[i], err = inside(window, s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Within are the arguments that name the application and window to search.
type Within struct {
	Process        string         `json:"process,omitzero" jsonschema:"the application's process name, such as mousepad"`
	WindowSelector steps.Selector `json:"window_selector,omitzero" as:"window" use:"rare" jsonschema:"the window inside the application, such as role:frame && name~:Untitled"`
}

// Target are the arguments that name an element, and how long to search for it.
type Target struct {
	Within
	Selector             steps.SelectorList `json:"selector,omitzero" jsonschema:"the element, such as role:button && name:Save, or several selectors of it, of which the first that matches exactly one element is used; without one the window itself is meant"`
	Ref                  string             `json:"ref,omitzero" jsonschema:"an element of the last tree that was shown, such as e12"`
	Targets              steps.Selectors    `json:"targets,omitzero" use:"old" jsonschema:"selectors of the same element; the first that matches exactly one element is used"`
	AlternativeSelectors steps.Selectors    `json:"alternative_selectors,omitzero" use:"old" jsonschema:"further selectors, tried together with selector"`
	FallbackSelectors    steps.Selectors    `json:"fallback_selectors,omitzero" as:"fallback" use:"rare" jsonschema:"selectors that are tried when the others found nothing in time"`
	TimeoutMS            steps.Millis       `json:"timeout_ms,omitzero" in:"" jsonschema:"how long to wait until it is there and ready"`
	Retries              steps.Count        `json:"retries,omitzero" in:"" use:"rare" jsonschema:"how many more times to wait that long; what was begun is never repeated"`
}

// SearchTime returns how long to search for the element with all retries, at most
// steps.MaxDuration.
func (t *Target) SearchTime() time.Duration {
	most := steps.MaxDuration.Std()
	long := t.TimeoutMS.Std()
	if long > 0 && time.Duration(t.Retries) >= most/long {
		return most
	}
	return long * time.Duration(1+t.Retries)
}

// SearchTime is how long an action searches for its element by default.
const SearchTime steps.Millis = 3000

// DefaultTarget are the default arguments of a Target.
var DefaultTarget = Target{TimeoutMS: SearchTime}

// Named reports whether anything names an element, which may be a whole application.
func (t *Target) Named() bool { return t.NamedInside() || t.Within != Within{} }

// NamedInside reports whether anything names an element inside an application.
func (t *Target) NamedInside() bool {
	return len(t.Selector) > 0 || t.Ref != "" || len(t.Targets) > 0 || len(t.AlternativeSelectors) > 0 || len(t.FallbackSelectors) > 0
}

// Validate requires exactly one way to name an element.
func (t *Target) Validate() error {
	if !t.Named() {
		return errors.New("wanted a selector, targets or a ref: nothing names the element")
	}
	if t.Ref != "" && (len(t.Selector) > 0 || len(t.Targets) > 0) {
		return errors.New("wanted either a ref or a selector, found both")
	}
	return nil
}
