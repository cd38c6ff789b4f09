package vision

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"slices"

	"understudy/steps/desktop"
)

// Options say how alike is alike enough. The zero Options are the usual ones.
type Options struct {
	// Threshold is the least likeness of a match, up to 1; zero means 0.9.
	Threshold float64
	// Margin is by how much the best match must be better than the next, so
	// that it is not one of several; zero means 0.02, and negative that
	// several do not matter.
	Margin float64
}

const (
	usualThreshold = 0.9
	usualMargin    = 0.02
	// mostMatches bounds how many places are looked at closely.
	mostMatches = 64
)

// Match is where a template was found.
type Match struct {
	Bounds   desktop.Rect
	Likeness float64 // 1 is exact
}

// An AmbiguousError says that a template was found in several places.
type AmbiguousError struct{ Matches []Match }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the picture is in %d places: give a larger part, or the area to look in", len(e.Matches))
}

// An AbsentError says that a template was not found, and how near it came.
type AbsentError struct {
	Nearest Match // empty when nothing is like it at all
	Wanted  float64
}

func (e *AbsentError) Error() string {
	if e.Nearest.Bounds.Empty() {
		return "the picture is not there"
	}
	return fmt.Sprintf("the picture is not there: the most alike is %.2f at %s, wanted %.2f", e.Nearest.Likeness, e.Nearest.Bounds, e.Wanted)
}

func (e *AbsentError) Unwrap() error { return desktop.ErrNotFound }

// One is the best of the matches of All, unless another is nearly as good:
// then it fails with an AmbiguousError.
func One(found []Match, o Options) (Match, error) {
	o = o.usual()
	rivals := 1
	for rivals < len(found) && found[0].Likeness-found[rivals].Likeness < o.Margin {
		rivals++
	}
	if rivals > 1 {
		return found[0], &AmbiguousError{found[:rivals]}
	}
	return found[0], nil
}

// All are the places where a template may be, the best first: at least one, or
// it fails with desktop.ErrNotFound, saying how near it came.
func All(img, template image.Image, o Options) ([]Match, error) {
	o = o.usual()
	m, t := rgba(img), rgba(template)
	if t.Rect.Empty() || t.Rect.Dx() > m.Rect.Dx() || t.Rect.Dy() > m.Rect.Dy() {
		return nil, fmt.Errorf("a picture of %dx%d cannot be in one of %dx%d: %w", t.Rect.Dx(), t.Rect.Dy(), m.Rect.Dx(), m.Rect.Dy(), desktop.ErrNotFound)
	}
	found := exact(m, t)
	if len(found) == 0 {
		found = alike(m, t)
	}
	if len(found) == 0 || found[0].Likeness < o.Threshold {
		e := &AbsentError{Wanted: o.Threshold}
		if len(found) > 0 {
			e.Nearest = found[0]
		}
		return nil, e
	}
	good := 1
	for good < len(found) && found[good].Likeness >= o.Threshold {
		good++
	}
	return found[:good], nil
}

func (o Options) usual() Options {
	o.Threshold = cmp.Or(o.Threshold, usualThreshold)
	o.Margin = cmp.Or(o.Margin, usualMargin)
	return o
}

// exact finds the places, up to mostMatches, that are the template to the
// byte. It looks for the most telling row: one of a single colour would
// stop everywhere.
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
			if from%4 == 0 && same(m, t, from/4, y-row) {
				found = append(found, Match{desktop.Rect{X: from / 4, Y: y - row, W: w, H: h}, 1})
			}
			from++
		}
	}
	return found
}

// tellingRow is the row of a template in which the colour changes most often.
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

// apart keeps the best of matches that overlap, best first.
func apart(ms []Match) []Match {
	slices.SortStableFunc(ms, func(a, b Match) int { return cmp.Compare(b.Likeness, a.Likeness) })
	var kept []Match
	for _, m := range ms {
		if !slices.ContainsFunc(kept, func(k Match) bool { return near(k.Bounds, m.Bounds) }) {
			kept = append(kept, m)
		}
	}
	return kept
}

// near says whether two places of the same size overlap by more than a half
// each way.
func near(a, b desktop.Rect) bool {
	return max(a.X-b.X, b.X-a.X) < (a.W+1)/2 && max(a.Y-b.Y, b.Y-a.Y) < (a.H+1)/2
}
