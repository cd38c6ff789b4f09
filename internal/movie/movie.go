// Package movie draws the steps of a run as a film: each screen with the point of the act
// on it and a caption below. It writes animated PNG, which browsers show like any picture;
// other formats are made by ffmpeg, if that is installed.
package movie

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"iter"
	"sync"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/words"
)

// A Scene is a screen that is shown for a while.
type Scene struct {
	Picture image.Image    // nil: as before
	At      *desktop.Point // where a step acts on it
	Box     *desktop.Rect  // the element on which it acts
	Caption string
	Bad     bool // the caption is of a failure
	For     time.Duration
}

const (
	side      = 1024 // the longest side of the pictures
	barHeight = 40   // of the caption
	textSize  = 17
	textLeft  = 14
	textBase  = 26
	ringWide  = 15
	lineWide  = 3
)

var (
	markColour = color.RGBA{R: 0xd6, G: 0x00, B: 0x6c, A: 0xff}
	barColour  = color.RGBA{R: 0x1d, G: 0x21, B: 0x27, A: 0xff}
	badColour  = color.RGBA{R: 0x8c, G: 0x1d, B: 0x18, A: 0xff}
)

// A frame is a scene as it is drawn. All frames of a film have the same size.
type frame struct {
	*image.RGBA

	bar   image.Rectangle // of the caption, at the bottom
	lasts time.Duration
}

// frames draws scenes. Those before the first picture are left out.
func frames(scenes iter.Seq2[Scene, error]) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		var size image.Rectangle // of the pictures
		var screen *image.RGBA
		back := 1.0
		for s, err := range scenes {
			if err != nil {
				yield(frame{}, err)
				return
			}
			if s.Picture != nil {
				small, by := vision.Fit(s.Picture, cmp.Or(size.Dx(), side), 0)
				if screen, back = small, by; size.Empty() {
					size = image.Rect(0, 0, small.Rect.Dx()&^1, small.Rect.Dy()&^1) // even, as videos need it
				}
			}
			if screen != nil && !yield(drawn(s, screen, size, back), nil) {
				return
			}
		}
	}
}

func drawn(s Scene, screen *image.RGBA, size image.Rectangle, back float64) frame {
	whole := image.Rect(0, 0, size.Dx(), size.Dy()+barHeight)
	f := frame{image.NewRGBA(whole), image.Rect(0, size.Max.Y, whole.Max.X, whole.Max.Y), s.For}
	draw.Draw(f, whole, image.Black, image.Point{}, draw.Src)
	draw.Draw(f, size, screen, image.Point{}, draw.Over)
	on := f.SubImage(size).(*image.RGBA) //nolint:forcetypeassert // that of an RGBA is one
	scaled := func(v int) int { return int(float64(v) / back) }
	if b := s.Box; b != nil {
		outline(on, image.Rect(scaled(b.X), scaled(b.Y), scaled(b.X+b.W), scaled(b.Y+b.H)).Inset(-lineWide))
	}
	if s.At != nil {
		ring(on, image.Pt(scaled(s.At.X), scaled(s.At.Y)))
	}
	colour := barColour
	if s.Bad {
		colour = badColour
	}
	draw.Draw(f, f.bar, image.NewUniform(colour), image.Point{}, draw.Src)
	write(f.RGBA, image.Pt(textLeft, f.bar.Min.Y+textBase), words.Line(s.Caption))
	return f
}

func outline(on draw.Image, r image.Rectangle) {
	in := r.Inset(lineWide)
	for _, bar := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, in.Min.Y), image.Rect(r.Min.X, in.Max.Y, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, in.Min.Y, in.Min.X, in.Max.Y), image.Rect(in.Max.X, in.Min.Y, r.Max.X, in.Max.Y),
	} {
		draw.Draw(on, bar, image.NewUniform(markColour), image.Point{}, draw.Src)
	}
}

// ring draws a ring around a point, with a white edge so that it shows on any colour.
func ring(on draw.Image, at image.Point) {
	const out = ringWide + 2
	for y := -out; y <= out; y++ {
		for x := -out; x <= out; x++ {
			switch d := x*x + y*y; {
			case !at.Add(image.Pt(x, y)).In(on.Bounds()):
			case d <= 4, d <= ringWide*ringWide && d >= (ringWide-lineWide)*(ringWide-lineWide):
				on.Set(at.X+x, at.Y+y, markColour)
			case d <= out*out && d > ringWide*ringWide:
				on.Set(at.X+x, at.Y+y, color.White)
			}
		}
	}
}

// captionFont is parsed once.
var captionFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// write writes a caption in one line, cut where the picture ends.
func write(on *image.RGBA, at image.Point, text string) {
	parsed, err := captionFont()
	if err != nil {
		return // impossible: it is embedded
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: textSize, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return
	}
	defer face.Close()
	room := fixed.I(on.Rect.Dx() - 2*textLeft)
	for letters := []rune(text); font.MeasureString(face, text) > room && len(letters) > 1; text = string(letters) + "…" {
		letters = letters[:len(letters)-1]
	}
	(&font.Drawer{Dst: on, Src: image.White, Face: face, Dot: fixed.P(at.X, at.Y)}).DrawString(text)
}
