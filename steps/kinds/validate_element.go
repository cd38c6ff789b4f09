package kinds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ValidateElement reports whether an element is there.
var ValidateElement = steps.Define(steps.Kind{
	Name:    "validate_element",
	Summary: "Say whether an element is there and what it is like; it does not fail when there is none.",
	Details: "Looks once, unless timeout_ms says how long to wait for it.",
	Toolset: steps.Desktop,
	Reads:   true,
	Whole:   true,
}, ValidateArgs{LookOptions: observe.DefaultLookOptions}, aim.With(validateElement))

// ValidateArgs names the element. Without a timeout it looks once.
type ValidateArgs struct {
	aim.Target `in:"target"`
	observe.LookOptions
}

// ValidateResult says what was found.
type ValidateResult struct {
	Exists  bool             `json:"exists" jsonschema:"whether the element is there"`
	Matches int              `json:"matches" jsonschema:"how many elements match"`
	Visible bool             `json:"visible" jsonschema:"whether it shows"`
	Enabled bool             `json:"enabled" jsonschema:"whether it can be used"`
	Focused bool             `json:"focused" jsonschema:"whether it has the focus"`
	Checked bool             `json:"checked" jsonschema:"whether it is checked, selected or pressed"`
	Text    string           `json:"text" jsonschema:"what it shows or holds"`
	Element *desktop.Element `json:"element,omitzero" jsonschema:"the element"`
	observe.Seen
}

func validateElement(ctx context.Context, hand *aim.Hand, a ValidateArgs) (ValidateResult, error) {
	q, err := a.Query()
	if err != nil {
		return ValidateResult{}, err
	}
	r := ValidateResult{}
	err = aim.WaitUntil(ctx, a.SearchTime(), func(ctx context.Context) error {
		found, err := allSought(ctx, hand, q, true)
		r.describe(found)
		return err
	})
	if steps.CodeOf(err) == steps.NotFound && !errors.Is(err, aim.ErrNoRef) && ctx.Err() == nil {
		err = nil
	}
	if err == nil {
		r.Seen, err = observe.Look(ctx, hand.Env, a.LookOptions, r.Element)
	}
	return r, err
}

// allSought returns all elements that match a query or its fallbacks now, with away also those
// that are scrolled out of view. None is the error NotFound.
func allSought(ctx context.Context, hand *aim.Hand, q aim.Query, away bool) ([]*desktop.Element, error) {
	if q.Ref != "" {
		el, err := aim.ByRef(ctx, hand.Env, q.Ref)
		if err != nil {
			return nil, err
		}
		return []*desktop.Element{el}, nil
	}
	s, err := aim.Search(ctx, hand, slices.Concat(q.First, q.Fallbacks), aim.SearchOptions{})
	if err != nil {
		return nil, err
	}
	if len(s.Found) == 0 {
		if err := s.None(); err != nil {
			return nil, err // it is unknown whether it is there
		}
		if away {
			s, failed := aim.SearchAway(ctx, hand, slices.Concat(q.First, q.Fallbacks), s)
			if failed != nil || len(s.Found) > 0 {
				return s.Found, failed
			}
		}
		_, err = s.One()
	}
	return s.Found, err
}

// describe fills the result with the state of the first element.
func (r *ValidateResult) describe(found []*desktop.Element) {
	*r = ValidateResult{Exists: len(found) > 0, Matches: len(found)}
	if len(found) == 0 {
		return
	}
	el := found[0]
	r.Visible = el.States.Has(desktop.Showing) || !el.Bounds.Empty()
	r.Enabled = el.States.Has(desktop.Enabled)
	r.Focused = el.States.Has(desktop.Focused)
	r.Checked = el.States&(desktop.Checked|desktop.Selected|desktop.Pressed) != 0
	r.Element = aim.Told(el)
	r.Text = cmp.Or(el.Text, r.Element.Text)
}
