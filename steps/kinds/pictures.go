package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// Sought is a picture and where to look for it.
type Sought struct {
	aim.Within
	Image     steps.Path    `json:"image" jsonschema:"the picture: a PNG file"`
	Threshold float64       `json:"threshold,omitzero" use:"rare" jsonschema:"how similar to the picture it must be, from 0 to 1"`
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

// Match is a place that is like a picture.
type Match struct {
	Area  desktop.Rect  `json:"area" jsonschema:"the area of the screen"`
	At    desktop.Point `json:"at" jsonschema:"its middle"`
	Score float64       `json:"score" jsonschema:"how similar to the picture it is, from 0 to 1"`
}

func matchOf(p aim.PictureMatch) Match { return Match{p.Bounds, p.Bounds.Center(), p.Likeness} }

// checkRegion validates the region of arguments, which may not name an element or window
// as well.
func checkRegion(r *desktop.Rect, named bool) error {
	switch {
	case r == nil:
		return nil
	case named:
		return errors.New("wanted either a region or a window or element, found both")
	case r.Empty():
		return errors.New("region: the area is empty")
	}
	return nil
}
