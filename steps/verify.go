package steps

import (
	"context"
	"errors"
	"fmt"

	"understudy/steps/desktop/selector"
)

// Verify says what must, or must not, be on the screen after an action.
type Verify struct {
	VerifyElementExists    Selector `json:"verify_element_exists,omitzero" jsonschema:"an element that must be there afterwards"`
	VerifyElementNotExists Selector `json:"verify_element_not_exists,omitzero" jsonschema:"an element that must be gone afterwards"`
	VerifyTimeoutMS        Millis   `json:"verify_timeout_ms,omitzero" jsonschema:"how long to wait for that"`
}

var verify = Verify{VerifyTimeoutMS: 2000}

// verify waits until the screen is as it must be after an action. It says
// false when nothing was asked for.
func (e *Env) verify(ctx context.Context, v Verify, process string) (bool, error) {
	if v.VerifyElementExists == "" && v.VerifyElementNotExists == "" {
		return false, nil
	}
	within := Within{Process: process}
	err := e.until(ctx, v.VerifyTimeoutMS.Std(), func(ctx context.Context) error {
		if err := e.shows(ctx, within, v.VerifyElementExists, true); err != nil {
			return err
		}
		return e.shows(ctx, within, v.VerifyElementNotExists, false)
	})
	if err != nil && CodeOf(err) != Invalid && ctx.Err() == nil {
		err = &Error{
			Code: Unexpected,
			Err:  fmt.Errorf("the action was done, but what it was to bring about was not seen: %w", err),
			Next: "look at the screen before doing it again",
		}
	}
	return err == nil, err
}

// shows fails unless an element is there, or is not there, as wanted.
func (e *Env) shows(ctx context.Context, within Within, text Selector, want bool) error {
	if text == "" {
		return nil
	}
	alone, err := parsed(text)
	if err != nil {
		return err
	}
	if alone.Scope().Process != "" { // it says itself where to look
		within = Within{}
	}
	all, err := within.inside([]Selector{text})
	if err != nil {
		return err
	}
	s, err := e.look(ctx, all, manner{})
	if err != nil {
		return err
	}
	if want && len(s.found) == 0 {
		return &Error{Code: NotFound, Err: errors.New(s.selector.Explain(s.roots))}
	}
	if !want {
		return s.none()
	}
	return nil
}

// parsed is a selector that the check of arguments has let pass.
func parsed(text Selector) (*selector.Selector, error) {
	s, err := selector.Parse(string(text))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return s, nil
}
