package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
)

// FindImage looks for a picture on the screen.
var FindImage = steps.Define(steps.Kind{
	Name:    "find_image",
	Summary: "Look for a picture on the screen; it does not fail when it is not there.",
	Toolset: steps.Vision,
	Reads:   true,
	Whole:   true,
}, FindImageArgs{Sought: Sought{Threshold: aim.Likeness}}, aim.With(findImage))

// FindImageArgs says what to look for.
type FindImageArgs struct {
	Sought
}

// FindImageResult says where the picture is.
type FindImageResult struct {
	Found   bool    `json:"found" jsonschema:"whether it is there, and matches better than any other place"`
	Matches []Match `json:"matches" jsonschema:"the places that match, the best first"`
}

func findImage(ctx context.Context, hand *aim.Hand, a FindImageArgs) (FindImageResult, error) {
	s, err := a.look(ctx, hand)
	if err != nil {
		return FindImageResult{}, err
	}
	if len(s.Found) == 0 {
		if err := s.None(); err != nil { // whether it is there is not known
			return FindImageResult{}, err
		}
	}
	r := FindImageResult{Found: len(s.Found) == 1, Matches: []Match{}}
	for _, p := range s.Places {
		r.Matches = append(r.Matches, matchOf(p))
	}
	return r, nil
}
