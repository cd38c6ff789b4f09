package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
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

// Sought is a picture and where to look for it.
type Sought struct {
	aim.Within
	Image     steps.Path    `json:"image" jsonschema:"the picture: a PNG file"`
	Threshold float64       `json:"threshold,omitzero" use:"rare" jsonschema:"how like the picture it must be, from 0 to 1"`
	Region    *desktop.Rect `json:"region,omitzero" jsonschema:"look only in this area of the screen"`
}

func (a *Sought) Validate() error {
	if a.Image == "" {
		return errors.New("image: wanted the file of a picture")
	}
	if err := checkRegion(a.Region, false); err != nil {
		return err
	}
	return aim.CheckThreshold(a.Threshold)
}

// look looks for the picture once.
func (a *Sought) look(ctx context.Context, hand *aim.Hand) (aim.SearchResult, error) {
	q, err := aim.PictureQuery(a.Within, a.Image, a.Threshold)
	if err != nil {
		return aim.SearchResult{}, err
	}
	return aim.Search(ctx, hand, q.First, aim.SearchOptions{Likeness: a.Threshold, Region: a.Region})
}

// FindImageArgs says what to look for.
type FindImageArgs struct {
	Sought
}

// FindImageResult says where the picture is.
type FindImageResult struct {
	Found   bool    `json:"found" jsonschema:"whether it is there, more like the picture than any other place"`
	Matches []Match `json:"matches" jsonschema:"the places that are like it, the best first"`
}

// Match is a place that is like a picture.
type Match struct {
	Area  desktop.Rect  `json:"area" jsonschema:"the area of the screen"`
	At    desktop.Point `json:"at" jsonschema:"its middle"`
	Score float64       `json:"score" jsonschema:"how like the picture it is, from 0 to 1"`
}

func matchOf(p aim.PictureMatch) Match { return Match{p.Bounds, p.Bounds.Center(), p.Likeness} }

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
