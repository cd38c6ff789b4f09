package viewer

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"path"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/movie"
)

// A step is shown for as long as it took, within these bounds, so that its caption can be
// read and waits do not bore.
const (
	shortestScene = 900 * time.Millisecond
	longestScene  = 2500 * time.Millisecond
)

// Movie returns the scenes of a run: for each step its screen with the point where it acted,
// then the screen that it left. At speed 2 they last half as long.
func Movie(ctx context.Context, runs engine.Runs, id string, speed float64) iter.Seq2[movie.Scene, error] {
	return func(yield func(movie.Scene, error) bool) {
		p, err := pageOf(ctx, runs, id, true)
		if err != nil {
			yield(movie.Scene{}, err)
			return
		}
		show := func(address string, s movie.Scene) bool {
			if address != "" {
				raw, err := runs.File(ctx, engine.Captures, path.Base(address))
				if err == nil {
					s.Picture, err = desktop.DecodePicture(bytes.NewReader(raw))
				}
				if err != nil {
					return yield(s, fmt.Errorf("the picture %s: %w", path.Base(address), err))
				}
			}
			s.For = time.Duration(float64(s.For) / speed)
			return yield(s, nil)
		}
		for _, x := range p.Executions {
			lasts := min(max(time.Duration(x.DurationMS)*time.Millisecond, shortestScene), longestScene)
			act := movie.Scene{Caption: x.caption(), At: x.At, Box: x.Box, Bad: x.Error != nil, For: lasts}
			if x.Before == "" { // the point of the act is drawn on the only picture
				if !show(x.After, act) {
					return
				}
				continue
			}
			left := movie.Scene{Caption: act.Caption, Bad: act.Bad, For: shortestScene}
			if !show(x.Before, act) || x.After != "" && !show(x.After, left) {
				return
			}
		}
		end := movie.Scene{Caption: name(engine.Header{Workflow: p.Workflow}) + ": " + string(p.Status), Bad: p.Error != nil, For: longestScene}
		if p.Outcome != "" {
			end.Caption += ", " + string(p.Outcome)
		}
		show("", end)
	}
}

// caption says what a step does, or why it failed.
func (x *execution) caption() string {
	parts := []string{fmt.Sprint(x.N), x.Name()}
	if x.Kind != "" && x.Kind != x.Name() {
		parts = append(parts, x.Kind)
	}
	if x.Error != nil {
		parts = append(parts, string(x.Error.Code)+": "+x.Error.Message)
	}
	return strings.Join(parts, " · ")
}
