package vision_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/virtualtest"
)

// screen draws something like a screen: windows, lines and text, no two
// places alike.
func screen(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	fill(m, m.Rect, color.RGBA{40, 60, 90, 255})
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range w * h / 20_000 {
		r := image.Rect(0, 0, 40+rnd.IntN(200), 20+rnd.IntN(120)).Add(image.Pt(rnd.IntN(w), rnd.IntN(h)))
		fill(m, r, color.RGBA{uint8(rnd.IntN(256)), uint8(rnd.IntN(256)), uint8(rnd.IntN(256)), 255})
		write(m, r.Min.Add(image.Pt(4, 14)), fmt.Sprintf("item %d of %d", i, rnd.IntN(1000)))
	}
	return m
}

func fill(m *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func write(m *image.RGBA, at image.Point, text string) {
	d := font.Drawer{Dst: m, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(at.X, at.Y)}
	d.DrawString(text)
}

// crop is a copy of a part.
func crop(m *image.RGBA, r desktop.Rect) *image.RGBA {
	c := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	draw.Draw(c, c.Rect, m, r.Image().Min, draw.Src)
	return c
}

// change gives each channel of each pixel to f.
func change(m *image.RGBA, f func(v float64) float64) *image.RGBA {
	c := crop(m, desktop.RectOf(m.Rect))
	for i, v := range c.Pix {
		if i%4 != 3 {
			c.Pix[i] = uint8(math.Max(0, math.Min(255, f(float64(v)))))
		}
	}
	return c
}

func TestPicturesAreFoundToThePixel(t *testing.T) {
	m := screen(1000, 700)
	rnd := rand.New(rand.NewPCG(3, 4))
	var places []desktop.Rect
	for len(places) < 6 {
		r := desktop.Rect{X: rnd.IntN(930), Y: rnd.IntN(630), W: 64, H: 64}
		if detailed(crop(m, r)) {
			places = append(places, r)
		}
	}
	for _, row := range []struct {
		sentence string
		template func(r desktop.Rect) image.Image
		least    float64
	}{
		{"as they are", func(r desktop.Rect) image.Image { return crop(m, r) }, 1},
		{"when they do not begin at 0,0", func(r desktop.Rect) image.Image { return m.SubImage(r.Image()) }, 1},
		{"brighter", func(r desktop.Rect) image.Image {
			return change(crop(m, r), func(v float64) float64 { return v*0.8 + 20 })
		}, 0.99},
		{"with noise", func(r desktop.Rect) image.Image {
			return change(crop(m, r), func(v float64) float64 { return v + rnd.NormFloat64()*4 })
		}, 0.9},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for _, r := range places {
				got, err := desktoptest.FindPicture(m, row.template(r))
				if err != nil || got.Bounds != r || got.Likeness < row.least {
					t.Errorf("%v: got %+v and %v, wanted a likeness of %v", r, got, err, row.least)
				}
			}
		})
	}
}

// detailed says whether a part holds more than edges, which are alike
// everywhere.
func detailed(m *image.RGBA) bool {
	changes := 0
	for y := range m.Rect.Dy() {
		for x := 1; x < m.Rect.Dx(); x++ {
			if m.RGBAAt(x, y) != m.RGBAAt(x-1, y) {
				changes++
			}
		}
	}
	return changes > 250
}

func TestAbsentPictureIsNotFound(t *testing.T) {
	m := screen(640, 480)
	for _, row := range []struct {
		sentence string
		template image.Image
	}{
		{"another picture", noise(64, 64)},
		{"a small other picture", noise(10, 8)},
		{"one that is larger", screen(641, 480)},
		{"nothing", image.NewRGBA(image.Rectangle{})},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := desktoptest.FindPicture(m, row.template)
			if !errors.Is(err, desktop.ErrNotFound) {
				t.Errorf("got %+v and %v, wanted ErrNotFound", got, err)
			}
		})
	}
}

// TestAnotherColourIsNotFound looks for lamps and buttons that differ from what is there
// only in their colour: in brightness and contrast such a one is as good as exact.
func TestAnotherColourIsNotFound(t *testing.T) {
	red, green, blue, grey := color.RGBA{220, 40, 40, 255}, color.RGBA{30, 160, 60, 255}, color.RGBA{30, 60, 220, 255}, color.RGBA{110, 110, 110, 255}
	for _, row := range []struct {
		sentence     string
		there, other color.RGBA
	}{
		{"a green lamp for a red one", green, red},
		{"a red lamp for a green one", red, green},
		{"a button that is disabled for one that is not", grey, blue},
		{"a button that is not disabled for one that is", blue, grey},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for _, size := range []int{16, 40} {
				m, there, other := screen(640, 480), lamp(size, row.there), lamp(size, row.other)
				draw.Draw(m, there.Rect.Add(image.Pt(300, 200)), there, image.Point{}, draw.Src)
				if got, err := desktoptest.FindPicture(m, other); !errors.Is(err, desktop.ErrNotFound) {
					t.Errorf("at %d pixels: got %+v and %v, wanted ErrNotFound", size, got, err)
				}
				brighter := change(there, func(v float64) float64 { return v*0.8 + 20 })
				if got, err := desktoptest.FindPicture(m, brighter); err != nil || got.Bounds.X != 300 || got.Bounds.Y != 200 {
					t.Errorf("at %d pixels, the right colour: got %+v and %v", size, got, err)
				}
			}
		})
	}
}

// lamp draws a disc on a light ground, with a white letter on it.
func lamp(size int, c color.RGBA) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			m.SetRGBA(x, y, color.RGBA{230, 230, 230, 255})
			if dx, dy := 2*x-size, 2*y-size; dx*dx+dy*dy < size*size*3/4 {
				m.SetRGBA(x, y, c)
			}
			if x > size*2/5 && x < size*3/5 && y > size/4 && y < size*3/4 {
				m.SetRGBA(x, y, color.RGBA{255, 255, 255, 255})
			}
		}
	}
	return m
}

func noise(w, h int) *image.RGBA {
	rnd := rand.New(rand.NewPCG(5, 6))
	return change(image.NewRGBA(image.Rect(0, 0, w, h)), func(float64) float64 { return float64(rnd.IntN(256)) })
}

func TestAPictureInSeveralPlacesIsAmbiguous(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(v float64) float64
	}{
		{"exactly", func(v float64) float64 { return v }},
		{"by likeness", func(v float64) float64 { return v*0.9 + 10 }},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			m, icon := screen(640, 480), noise(32, 32)
			for _, at := range []image.Point{{50, 60}, {300, 200}, {500, 400}} {
				draw.Draw(m, icon.Rect.Add(at), icon, image.Point{}, draw.Src)
			}
			var several vision.AmbiguousError
			_, err := desktoptest.FindPicture(m, change(icon, row.change))
			if !errors.As(err, &several) || several != 3 {
				t.Errorf("got %v, wanted three places", err)
			}
			if got, err := vision.All(m, change(icon, row.change), desktoptest.Likeness); err != nil {
				t.Errorf("any will do: got %+v and %v", got, err)
			}
		})
	}
}

// A part of a plain button equals the part some pixels above it.
func TestOverlappingPlacesAreOne(t *testing.T) {
	m, button := screen(640, 480), desktop.Rect{X: 300, Y: 200, W: 40, H: 40}
	fill(m, button.Image(), color.RGBA{200, 200, 40, 255})
	part := crop(m, desktop.Rect{X: 305, Y: 206, W: 30, H: 28})
	got, err := desktoptest.FindPicture(m, part)
	if err != nil || got.Bounds.Intersect(button) != got.Bounds {
		t.Errorf("got %+v and %v, wanted a place in %s", got, err, button)
	}
	plain := image.NewRGBA(image.Rect(0, 0, 240, 160))
	fill(plain, plain.Rect, color.RGBA{200, 200, 40, 255})
	var several vision.AmbiguousError
	if _, err := desktoptest.FindPicture(plain, crop(plain, desktop.Rect{X: 9, Y: 9, W: 100, H: 70})); !errors.As(err, &several) {
		t.Errorf("in a plain area: got %v, wanted several places", err)
	}
}

func TestFit(t *testing.T) {
	for _, row := range []struct {
		from, want   desktop.Size
		side, pixels int
	}{
		{desktop.Size{W: 100, H: 50}, desktop.Size{W: 100, H: 50}, 200, 10_000},
		{desktop.Size{W: 3000, H: 1500}, desktop.Size{W: 1500, H: 750}, 1500, 0},
		{desktop.Size{W: 10, H: 4000}, desktop.Size{W: 2, H: 1000}, 1000, 0},
	} {
		m, back := vision.Fit(image.NewRGBA(image.Rect(0, 0, row.from.W, row.from.H)), row.side, row.pixels)
		if got := (desktop.Size{W: m.Rect.Dx(), H: m.Rect.Dy()}); got != row.want || math.Abs(float64(row.from.H)/float64(got.H)-back) > 0.01 {
			t.Errorf("%v: got %v and %v, wanted %v", row.from, got, back, row.want)
		}
	}
	m, _ := vision.Fit(image.NewRGBA(image.Rect(0, 0, 1920, 1080)), 1568, 1_150_000)
	if n := m.Rect.Dx() * m.Rect.Dy(); n > 1_150_000 || n < 1_050_000 {
		t.Errorf("got %d pixels, wanted nearly 1,150,000", n)
	}
}

func TestWordsAreRead(t *testing.T) {
	virtualtest.Need(t, "tesseract")
	m := image.NewRGBA(image.Rect(0, 0, 400, 120))
	fill(m, m.Rect, color.White)
	write(m, image.Pt(20, 30), "Invoice Number 4711")
	write(m, image.Pt(250, 90), "Save changes")
	words, err := vision.Words(t.Context(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]desktop.Rect{
		"invoice number": {X: 20, Y: 20, W: 98, H: 11},
		"4711":           {X: 125, Y: 20, W: 28, H: 11},
		"save Changes":   {X: 250, Y: 80, W: 84, H: 11},
	} {
		found := desktoptest.FindText(words, text)
		if len(found) != 1 || distance(found[0], want) > 4 {
			t.Errorf("%q: got %v, wanted about %v; read %+v", text, found, want, words)
		}
	}
	if found := desktoptest.FindText(words, "4711 save"); len(found) > 0 {
		t.Errorf("a text over two lines was found at %v", found)
	}
}

func distance(a, b desktop.Rect) int {
	return max(abs(a.X-b.X), abs(a.Y-b.Y), abs(a.X+a.W-b.X-b.W), abs(a.Y+a.H-b.Y-b.H))
}

func abs(n int) int { return max(n, -n) }

func TestReadingText(t *testing.T) {
	virtualtest.Need(t, "tesseract")
	m := screen(300, 200)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := vision.Words(ctx, m, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with no time: got %v, wanted the context's end", err)
	}
	var missing *desktop.MissingError
	if _, err := vision.Words(t.Context(), m, "xxx"); !errors.As(err, &missing) || !strings.Contains(missing.Mend, "tesseract-ocr-xxx") {
		t.Errorf("an unknown language: got %v, wanted how to install it", err)
	}
	t.Setenv("PATH", os.TempDir())
	if _, err := vision.Words(t.Context(), m, ""); !errors.As(err, &missing) || missing.Mend != "apt-get install tesseract-ocr" {
		t.Errorf("without tesseract: got %v, wanted how to install it", err)
	}
}

func BenchmarkFind(b *testing.B) {
	m := screen(1920, 1080)
	r := desktop.Rect{X: 1411, Y: 803, W: 64, H: 64}
	for name, template := range map[string]image.Image{
		"exact":   crop(m, r),
		"alike":   change(crop(m, r), func(v float64) float64 { return v*0.9 + 5 }),
		"missing": noise(64, 64),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = vision.All(m, template, desktoptest.Likeness)
			}
		})
	}
}
