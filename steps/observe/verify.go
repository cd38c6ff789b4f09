package observe

import (
	"context"
	"errors"

	"understudy/steps"
	"understudy/steps/aim"
)

// Verify waits until the screen is as v says. It reports false if v asks for nothing.
func Verify(ctx context.Context, hand *aim.Hand, v VerifyOptions, process string) (bool, error) {
	if v.VerifyElementExists == "" && v.VerifyElementNotExists == "" {
		return false, nil
	}
	within := aim.Within{Process: process}
	err := aim.WaitUntil(ctx, v.VerifyTimeoutMS.Std(), func(ctx context.Context) error {
		if err := checkShows(ctx, hand, within, v.VerifyElementExists, true); err != nil {
			return err
		}
		return checkShows(ctx, hand, within, v.VerifyElementNotExists, false)
	})
	if err != nil && steps.CodeOf(err) != steps.Invalid && ctx.Err() == nil {
		err = steps.Errorf(steps.Unexpected, "the action was done, but what it was to bring about was not seen: %w", err).
			WithNext("look at the screen before doing it again")
	}
	return err == nil, err
}

// checkShows returns an error unless an element is there, or is not there, as wanted.
func checkShows(ctx context.Context, hand *aim.Hand, within aim.Within, text steps.Selector, want bool) error {
	if text == "" {
		return nil
	}
	alone, err := steps.ParseSelector(text)
	if err != nil {
		return err
	}
	if alone.Scope().Process != "" { // it says itself where to look
		within = aim.Within{}
	}
	all, err := within.Inside([]steps.Selector{text})
	if err != nil {
		return err
	}
	s, err := aim.Search(ctx, hand, all, aim.SearchOptions{})
	if err != nil {
		return err
	}
	if want && len(s.Found) == 0 {
		return &steps.Error{Code: steps.NotFound, Err: errors.New(s.Selector.Explain(s.Roots))}
	}
	if !want {
		return s.None()
	}
	return nil
}
