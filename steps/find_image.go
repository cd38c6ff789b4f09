package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps/desktop"
)

// FindImage looks for a picture on the screen.
var FindImage = Define(Kind{
	Name:    "find_image",
	Summary: "Look for a picture on the screen; it does not fail when it is not there.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
}, FindImageArgs{Sought: Sought{Threshold: likeness}}, findImage)

// Sought is a picture and where to look for it.
type Sought struct {
	Within
	Image     Path          `json:"image" jsonschema:"the picture: a PNG file"`
	Threshold float64       `json:"threshold,omitzero" jsonschema:"how like the picture it must be, from 0 to 1"`
	Region    *desktop.Rect `json:"region,omitzero" jsonschema:"look only in this area of the screen"`
}

// Validate wants a threshold that means something.
func (a *Sought) Validate() error {
	if a.Image == "" {
		return errors.New("image: wanted the file of a picture")
	}
	if a.Region != nil && a.Region.Empty() {
		return errors.New("region: the area is empty")
	}
	return checkThreshold(a.Threshold)
}

func checkThreshold(likeness float64) error {
	if likeness <= 0 || likeness > 1 {
		return errors.New("threshold: wanted more than 0 and at most 1")
	}
	return nil
}

// look looks for the picture once.
func (a *Sought) look(ctx context.Context, env *Env) (sight, error) {
	q, err := pictureQuery(a.Within, a.Image, a.Threshold)
	if err != nil {
		return sight{}, err
	}
	return env.look(ctx, q.first, manner{likeness: a.Threshold, region: a.Region})
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

func matchOf(p place) Match { return Match{p.Bounds, p.Bounds.Center(), p.Likeness} }

func findImage(ctx context.Context, env *Env, a FindImageArgs) (FindImageResult, error) {
	s, err := a.look(ctx, env)
	if err != nil {
		return FindImageResult{}, err
	}
	if len(s.found) == 0 {
		if err := s.none(); err != nil { // whether it is there is not known
			return FindImageResult{}, err
		}
	}
	r := FindImageResult{Found: len(s.found) == 1, Matches: []Match{}}
	for _, p := range s.places {
		r.Matches = append(r.Matches, matchOf(p))
	}
	return r, nil
}

// WaitForImage waits until a picture is on the screen, or gone from it.
var WaitForImage = Define(Kind{
	Name:    "wait_for_image",
	Summary: "Wait until a picture is on the screen, or gone from it.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
	Timeout: time.Hour,
}, WaitForImageArgs{Sought: Sought{Threshold: likeness}, TimeoutMS: 10_000}, waitForImage)

// WaitForImageArgs says what to wait for, and how long.
type WaitForImageArgs struct {
	Sought
	Gone      bool   `json:"gone,omitzero" jsonschema:"wait until it is no longer there"`
	TimeoutMS Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait"`
}

// WaitForImageResult says how long it took.
type WaitForImageResult struct {
	WaitedMS int64  `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Match    *Match `json:"match,omitzero" jsonschema:"where it is, unless it is gone"`
}

func waitForImage(ctx context.Context, env *Env, a WaitForImageArgs) (WaitForImageResult, error) {
	start := time.Now()
	var r WaitForImageResult
	err := env.until(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		s, err := a.look(ctx, env)
		if err != nil {
			return err
		}
		if a.Gone {
			return s.none()
		}
		if _, err = s.one(); err == nil {
			m := matchOf(s.places[0])
			r.Match = &m
		}
		return err
	})
	r.WaitedMS = time.Since(start).Milliseconds()
	switch CodeOf(err) {
	case NotFound, Unexpected:
		if err != nil && ctx.Err() == nil {
			err = &Error{Code: Timeout, Err: fmt.Errorf("the picture is not %s: %w", a.wanted(), err), Next: AsError(err).Next, Candidates: AsError(err).Candidates}
		}
	}
	return r, err
}

// wanted is what is waited for, in words.
func (a *WaitForImageArgs) wanted() string {
	if a.Gone {
		return "gone"
	}
	return "there"
}
