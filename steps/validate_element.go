package steps

import (
	"context"
	"slices"
	"time"

	"understudy/steps/desktop"
)

// ValidateElement says whether an element is there.
var ValidateElement = Define(Kind{
	Name:    "validate_element",
	Summary: "Say whether an element is there and what it is like; it does not fail when there is none.",
	Details: "Looks once, unless timeout_ms says how long to wait for it.",
	Toolset: Desktop,
	Touches: Look,
	Reads:   true,
}, ValidateArgs{Beside: beside}, validateElement)

// ValidateArgs says which element to look for. Unless a timeout is given, it
// looks once.
type ValidateArgs struct {
	Target
	Beside
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
	Seen
}

func validateElement(ctx context.Context, env *Env, a ValidateArgs) (ValidateResult, error) {
	q, err := a.query()
	if err != nil {
		return ValidateResult{}, err
	}
	all := slices.Concat(q.first, q.fallbacks)
	r := ValidateResult{}
	err = env.until(ctx, a.TimeoutMS.Std()*time.Duration(1+a.Retries), func(ctx context.Context) error {
		found, err := env.allSought(ctx, query{ref: q.ref, first: all})
		r.describe(found)
		return err
	})
	if CodeOf(err) == NotFound && ctx.Err() == nil {
		err = nil
	}
	if err == nil {
		r.Seen, err = env.beside(ctx, a.Beside, r.Element)
	}
	return r, err
}

// allSought are all elements that a query names now; none is NotFound.
func (e *Env) allSought(ctx context.Context, q query) ([]*desktop.Element, error) {
	if q.ref != "" {
		el, err := e.byRef(ctx, q.ref)
		if err != nil {
			return nil, err
		}
		return []*desktop.Element{el}, nil
	}
	s, err := e.look(ctx, q.first, manner{likeness: q.likeness})
	if err != nil {
		return nil, err
	}
	if len(s.found) == 0 {
		if err := s.none(); err != nil {
			return nil, err // whether it is there is not known
		}
		_, err = s.one()
	}
	return s.found, err
}

// describe says what the first of the elements is like.
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
	r.Text = el.Text
	r.Element = plain(el)
}
