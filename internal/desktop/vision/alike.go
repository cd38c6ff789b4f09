package vision

import (
	"image"
	"image/draw"
	"math"
	"runtime"
	"slices"
	"sync"

	"understudy/internal/desktop"
)

// gray is the brightness of a picture, with the sums from which the mean and the
// spread of any part of it are computed in constant time.
type gray struct {
	w, h int
	p    []float32
	sums []float64 // of the brightness above and left of each pixel
	sqrs []float64 // of the squares of that
}

func newGray(w, h int) *gray { return &gray{w: w, h: h, p: make([]float32, w*h)} }

func brightness(m *image.RGBA) *gray {
	g := newGray(m.Rect.Dx(), m.Rect.Dy())
	for y := range g.h {
		from, to := m.Pix[y*m.Stride:][:4*g.w], g.p[y*g.w:][:g.w]
		for x := range to {
			c := from[4*x : 4*x+3 : 4*x+3]
			to[x] = 0.299*float32(c[0]) + 0.587*float32(c[1]) + 0.114*float32(c[2])
		}
	}
	return g
}

// half returns the picture at half its size.
func (g *gray) half() *gray {
	s := newGray(g.w/2, g.h/2)
	for y := range s.h {
		a, b, to := g.p[2*y*g.w:][:2*s.w], g.p[(2*y+1)*g.w:][:2*s.w], s.p[y*s.w:][:s.w]
		for x := range to {
			to[x] = (a[2*x] + a[2*x+1] + b[2*x] + b[2*x+1]) / 4
		}
	}
	return s
}

func (g *gray) sum() {
	w := g.w + 1
	g.sums, g.sqrs = make([]float64, w*(g.h+1)), make([]float64, w*(g.h+1))
	for y := range g.h {
		var s, q float64
		for x, v := range g.p[y*g.w:][:g.w] {
			s += float64(v)
			q += float64(v) * float64(v)
			i := (y+1)*w + x + 1
			g.sums[i], g.sqrs[i] = g.sums[i-w]+s, g.sqrs[i-w]+q
		}
	}
}

// spread returns how much the brightness of a part varies: the sum of the squares of
// the distances from the mean.
func (g *gray) spread(x, y, w, h int) float64 {
	a, b := y*(g.w+1)+x, (y+h)*(g.w+1)+x
	s := g.sums[b+w] - g.sums[b] - g.sums[a+w] + g.sums[a]
	q := g.sqrs[b+w] - g.sqrs[b] - g.sqrs[a+w] + g.sqrs[a]
	return q - s*s/float64(w*h)
}

// A pattern is a template with its mean subtracted.
type pattern struct {
	*gray
	length float64
}

func newPattern(g *gray) pattern {
	var sum, squares float64
	for _, v := range g.p {
		sum += float64(v)
	}
	mean := float32(sum / float64(len(g.p)))
	z := newGray(g.w, g.h)
	for i, v := range g.p {
		z.p[i] = v - mean
		squares += float64(z.p[i]) * float64(z.p[i])
	}
	return pattern{z, math.Sqrt(squares)}
}

// flat is the spread for a pixel under which a part is one colour, which is
// like nothing.
const flat = 0.01

// likeness is how alike a pattern is to the part of a picture at a place,
// from -1 to 1, whatever the brightness and contrast of either.
func (g *gray) likeness(t pattern, x, y int) float64 {
	v := g.spread(x, y, t.w, t.h)
	if v < flat*float64(t.w*t.h) || t.length == 0 {
		return 0
	}
	var sum float32
	for row := range t.h {
		sum += dot(g.p[(y+row)*g.w+x:][:t.w], t.p[row*t.w:][:t.w])
	}
	return min(float64(sum)/(math.Sqrt(v)*t.length), 1)
}

// dot uses four sums, because additions to one would have to wait for each other.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

const (
	// leastSide is the shortest side that a template may have after it was made
	// smaller: with less, everything looks alike.
	leastSide = 12
	// mostHalvings bounds how often pictures are made smaller.
	mostHalvings = 2
	// slack is the least likeness of the right place on a small copy, where it falls
	// between pixels.
	slack = 0.55
)

// alike finds the places that look like the template, the best first. It searches
// small copies everywhere, and larger ones only at the best places.
func alike(m, t *image.RGBA) []Match {
	pictures, patterns := []*gray{brightness(m)}, []*gray{brightness(t)}
	for n := 0; n < mostHalvings && min(patterns[n].w, patterns[n].h)/2 >= leastSide; n++ {
		pictures, patterns = append(pictures, pictures[n].half()), append(patterns, patterns[n].half())
	}
	last := len(pictures) - 1
	pictures[last].sum()
	ms := peaks(pictures[last], newPattern(patterns[last]))
	for n := last - 1; n >= 0; n-- {
		refine(pictures[n], newPattern(patterns[n]), ms)
	}
	for i := range ms {
		ms[i].Likeness = likenessInColour(m, t, ms[i].Bounds)
	}
	return apart(ms)
}

// likenessInColour is how alike a template is to the part of a picture in bounds, from -1
// to 1, whatever the brightness and contrast, and whatever the tint of the whole. In
// brightness alone a green lamp is as good as a red one.
func likenessInColour(m, t *image.RGBA, bounds desktop.Rect) float64 {
	var shared, ofPart, ofTemplate float64
	n := float64(bounds.W * bounds.H)
	for channel := range 3 {
		var a, b, ab, aa, bb int // the sums of the channel, of its products and of its squares
		for y := range bounds.H {
			part, row := m.Pix[(bounds.Y+y)*m.Stride+4*bounds.X+channel:], t.Pix[y*t.Stride+channel:]
			for x := 0; x < 4*bounds.W; x += 4 {
				p, q := int(part[x]), int(row[x])
				a, b, ab, aa, bb = a+p, b+q, ab+p*q, aa+p*p, bb+q*q
			}
		}
		shared += float64(ab) - float64(a)*float64(b)/n
		ofPart += float64(aa) - float64(a)*float64(a)/n
		ofTemplate += float64(bb) - float64(b)*float64(b)/n
	}
	if ofPart < flat*n || ofTemplate <= 0 {
		return 0
	}
	return min(shared/math.Sqrt(ofPart*ofTemplate), 1)
}

// MiddleLikeness returns how alike the middle of a match in a picture is to that of the template,
// from -1 to 1. A highlight, as around the button under the pointer, may be most of what a picture
// shows; what it surrounds may differ then.
func (m Match) MiddleLikeness(img, template image.Image) float64 {
	middle := func(img image.Image, x, y int) *image.RGBA {
		w, h := m.Bounds.W, m.Bounds.H
		part := image.NewRGBA(image.Rect(0, 0, w-w/2, h-h/2))
		draw.Draw(part, part.Rect, img, img.Bounds().Min.Add(image.Pt(x+w/4, y+h/4)), draw.Src)
		return part
	}
	found, wanted := middle(img, m.Bounds.X, m.Bounds.Y), middle(template, 0, 0)
	if plain(found) && plain(wanted) {
		return 1
	}
	return likenessInColour(found, wanted, desktop.Rect{W: found.Rect.Dx(), H: found.Rect.Dy()})
}

// plain reports whether a picture is of a single colour.
func plain(m *image.RGBA) bool {
	for i := 4; i < len(m.Pix); i += 4 {
		if [4]byte(m.Pix[i:]) != [4]byte(m.Pix) {
			return false
		}
	}
	return true
}

// peaks returns the best of the places that look more alike than those around them.
func peaks(g *gray, t pattern) []Match {
	w, h := g.w-t.w+1, g.h-t.h+1
	scores := make([]float32, w*h)
	var rows sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for k := range workers {
		rows.Go(func() {
			for y := k; y < h; y += workers {
				for x := range w {
					scores[y*w+x] = float32(g.likeness(t, x, y))
				}
			}
		})
	}
	rows.Wait()
	var ms []Match
	for i, s := range scores {
		if s >= slack && isPeak(scores, w, h, i) {
			ms = append(ms, Match{desktop.Rect{X: i % w, Y: i / w, W: t.w, H: t.h}, float64(s)})
		}
	}
	ms = apart(ms)
	return slices.Clip(ms[:min(len(ms), mostMatches)])
}

func isPeak(scores []float32, w, h, i int) bool {
	x, y := i%w, i/w
	for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
		for u := max(x-1, 0); u <= min(x+1, w-1); u++ {
			if scores[v*w+u] > scores[i] {
				return false
			}
		}
	}
	return true
}

// refine finds each match again on a picture of twice the size. Only the parts around
// matches are summed: they are few and small.
func refine(g *gray, t pattern, ms []Match) {
	const around = 3
	for i, m := range ms {
		x0, y0 := max(2*m.Bounds.X-around, 0), max(2*m.Bounds.Y-around, 0)
		x1, y1 := min(2*m.Bounds.X+around, g.w-t.w), min(2*m.Bounds.Y+around, g.h-t.h)
		x0, y0 = min(x0, x1), min(y0, y1)
		part := g.part(x0, y0, x1-x0+t.w, y1-y0+t.h)
		best := Match{desktop.Rect{X: x0, Y: y0, W: t.w, H: t.h}, -1}
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				if s := part.likeness(t, x-x0, y-y0); s > best.Likeness {
					best.Bounds.X, best.Bounds.Y, best.Likeness = x, y, s
				}
			}
		}
		ms[i] = best
	}
}

// part returns a copy of a part of the picture, with its sums.
func (g *gray) part(x, y, w, h int) *gray {
	s := newGray(w, h)
	for row := range h {
		copy(s.p[row*w:][:w], g.p[(y+row)*g.w+x:][:w])
	}
	s.sum()
	return s
}
