package vision

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"slices"

	"understudy/internal/desktop"
)

const (
	// margin is how much better than the others the best match must be to be the only
	// one.
	margin = 0.02
	// mostMatches bounds how many places are examined closely.
	mostMatches = 64
)

// A Match is a place where a template was found.
type Match struct {
	Bounds   desktop.Rect
	Likeness float64 // 1 is exact
}

// An AmbiguousError is the number of places in which a template was found.
type AmbiguousError int

func (e AmbiguousError) Error() string {
	return fmt.Sprintf("the picture is in %d places: give a larger part, or the area to look in", int(e))
}

// An AbsentError reports that a template was not found, and the nearest match.
type AbsentError struct {
	Nearest Match // zero if there is none
	Wanted  float64
}

func (e *AbsentError) Error() string {
	if e.Nearest.Bounds.Empty() {
		return "the picture is not there"
	}
	return fmt.Sprintf("the picture is not there: the most alike is %.2f at %s, wanted %.2f", e.Nearest.Likeness, e.Nearest.Bounds, e.Wanted)
}

func (e *AbsentError) Unwrap() error { return desktop.ErrNotFound }

// Rivals reports whether m is so nearly as good as the best match that neither can be
// meant alone.
func (m Match) Rivals(best Match) bool { return best.Likeness-m.Likeness < margin }

// All returns the places whose likeness to a template is at least least, up to 1, the
// best first. Without any it fails with desktop.ErrNotFound, naming the nearest.
func All(img, template image.Image, least float64) ([]Match, error) {
	m, t := rgba(img), rgba(template)
	if t.Rect.Empty() || t.Rect.Dx() > m.Rect.Dx() || t.Rect.Dy() > m.Rect.Dy() {
		return nil, fmt.Errorf("a picture of %dx%d cannot be in one of %dx%d: %w", t.Rect.Dx(), t.Rect.Dy(), m.Rect.Dx(), m.Rect.Dy(), desktop.ErrNotFound)
	}
	found := exact(m, t)
	if len(found) == 0 {
		found = alike(m, t)
	}
	good := 0
	for good < len(found) && found[good].Likeness >= least {
		good++
	}
	if good > 0 {
		return found[:good], nil
	}
	e := &AbsentError{Wanted: least}
	if len(found) > 0 {
		e.Nearest = found[0]
	}
	return nil, e
}

// exact finds the places, up to mostMatches, that equal the template, and takes the first of
// those that overlap: a part of a plain button equals the part beside it. It searches for
// the row with the most changes of colour: a row of a single colour would match everywhere.
func exact(m, t *image.RGBA) []Match {
	w, h := t.Rect.Dx(), t.Rect.Dy()
	row := tellingRow(t)
	want := t.Pix[row*t.Stride:][:4*w]
	var found []Match
	for y := row; y+h-row <= m.Rect.Dy(); y++ {
		line := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for from := 0; len(found) < mostMatches; {
			i := bytes.Index(line[from:], want)
			if i < 0 {
				break
			}
			from += i
			at := desktop.Rect{X: from / 4, Y: y - row, W: w, H: h}
			if from%4 == 0 && !overlaps(found, at) && same(m, t, at.X, at.Y) {
				found = append(found, Match{at, 1})
			}
			from++
		}
	}
	return found
}

// tellingRow returns the row of a template in which the colour changes most often.
func tellingRow(t *image.RGBA) int {
	best, most := 0, -1
	for y := range t.Rect.Dy() {
		p, changes := t.Pix[y*t.Stride:][:4*t.Rect.Dx()], 0
		for i := 4; i+4 <= len(p); i += 4 {
			if [4]byte(p[i:]) != [4]byte(p[i-4:]) {
				changes++
			}
		}
		if changes > most {
			best, most = y, changes
		}
	}
	return best
}

func same(m, t *image.RGBA, x, y int) bool {
	w := 4 * t.Rect.Dx()
	for row := range t.Rect.Dy() {
		if !bytes.Equal(m.Pix[(y+row)*m.Stride+4*x:][:w], t.Pix[row*t.Stride:][:w]) {
			return false
		}
	}
	return true
}

// apart keeps the best of matches that overlap, the best first.
func apart(ms []Match) []Match {
	slices.SortStableFunc(ms, func(a, b Match) int { return cmp.Compare(b.Likeness, a.Likeness) })
	var kept []Match
	for _, m := range ms {
		if !overlaps(kept, m.Bounds) {
			kept = append(kept, m)
		}
	}
	return kept
}

// overlaps reports whether a place is near one of the matches.
func overlaps(ms []Match, at desktop.Rect) bool {
	return slices.ContainsFunc(ms, func(m Match) bool { return near(m.Bounds, at) })
}

// near reports whether two places of the same size overlap by more than half in both
// directions.
func near(a, b desktop.Rect) bool {
	return max(a.X-b.X, b.X-a.X) < (a.W+1)/2 && max(a.Y-b.Y, b.Y-a.Y) < (a.H+1)/2
}
