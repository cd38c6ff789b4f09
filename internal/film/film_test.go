package film

import (
	"bytes"
	"hash/adler32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"
)

// screen returns a picture like that of a screen: areas of one colour, and rows of noise.
func screen(w, h int, seed uint64) *image.RGBA {
	r := rand.New(rand.NewPCG(seed, 1))
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, p.Rect, image.NewUniform(color.RGBA{40, 60, 80, 255}), image.Point{}, draw.Src)
	for range 200 {
		x, y := r.IntN(w), r.IntN(h)
		box := image.Rect(x, y, x+1+r.IntN(w/4+1), y+1+r.IntN(h/8+1))
		draw.Draw(p, box, image.NewUniform(color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}), image.Point{}, draw.Src)
	}
	for range w * h / 50 {
		p.SetRGBA(r.IntN(w), r.IntN(h), color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255})
	}
	return p
}

// same fails unless a file decodes to a picture.
func same(t *testing.T, file []byte, want *image.RGBA) {
	t.Helper()
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("the file cannot be read: %v", err)
	}
	shown, ok := got.(*image.RGBA)
	if !ok || shown.Rect.Size() != want.Rect.Size() || !sameRows(shown, want, 0, want.Rect.Dy()) {
		t.Fatalf("the file shows another picture: %T of %v, want %v", got, got.Bounds(), want.Rect)
	}
}

func TestAPictureIsReadAsItWas(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {7, 3}, {64, stripRows}, {33, stripRows + 1}, {640, 10 * stripRows}, {301, 200}} {
		p := screen(size.X, size.Y, 1)
		same(t, new(Film).Add(p), p)
	}
}

func TestAPartOfALargerPicture(t *testing.T) {
	whole := screen(300, 200, 3)
	part := whole.SubImage(image.Rect(50, 60, 250, 170)).(*image.RGBA)
	want := image.NewRGBA(image.Rect(0, 0, 200, 110))
	draw.Draw(want, want.Rect, part, part.Rect.Min, draw.Src)
	same(t, new(Film).Add(part), want)
}

// TestAFilm adds pictures that differ a little from the one before, and some of another
// size.
func TestAFilm(t *testing.T) {
	var f Film
	p := screen(400, 300, 7)
	r := rand.New(rand.NewPCG(9, 9))
	for range 40 {
		same(t, f.Add(p), p)
		next := image.NewRGBA(p.Rect)
		copy(next.Pix, p.Pix)
		switch r.IntN(5) {
		case 0: // nothing changes
		case 1:
			next = screen(100+r.IntN(300), 50+r.IntN(300), r.Uint64())
		default:
			next.SetRGBA(r.IntN(p.Rect.Dx()), r.IntN(p.Rect.Dy()), color.RGBA{1, 2, 3, 255})
		}
		p = next
	}
}

// TestAFileDependsOnItsPictureAlone tests why equal pictures of different runs are stored
// once.
func TestAFileDependsOnItsPictureAlone(t *testing.T) {
	var f Film
	first, second := screen(300, 300, 1), screen(300, 300, 2)
	alone := new(Film).Add(first)
	f.Add(second)
	if !bytes.Equal(f.Add(first), alone) {
		t.Error("after another picture, the file of a picture is another one")
	}
}

func TestOnlyChangedPixelsAreCompressed(t *testing.T) {
	var f Film
	p := screen(300, 10*stripRows, 1)
	f.Add(p)
	before := make([]*byte, len(f.strips))
	for i := range f.strips {
		before[i] = &f.strips[i].chunk[0]
	}
	next := image.NewRGBA(p.Rect)
	copy(next.Pix, p.Pix)
	next.SetRGBA(5, 3*stripRows, color.RGBA{1, 2, 3, 255})
	f.Add(next)
	for i := range f.strips {
		if again := before[i] != &f.strips[i].chunk[0]; again != (i == 3) {
			t.Errorf("strip %d was compressed again: %t", i, again)
		}
	}
}

func FuzzJoined(f *testing.F) {
	f.Add([]byte("one"), []byte("two"))
	f.Add([]byte{}, []byte{255})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		got := joined(adler32.Checksum(a), adler32.Checksum(b), len(b))
		if want := adler32.Checksum(append(append([]byte{}, a...), b...)); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	})
}

// BenchmarkFilm encodes pictures of a whole screen: the first, one with a changed line of
// text, and the same with the standard library.
func BenchmarkFilm(b *testing.B) {
	p := screen(1920, 1080, 1)
	next := image.NewRGBA(p.Rect)
	copy(next.Pix, p.Pix)
	draw.Draw(next, image.Rect(200, 300, 900, 320), image.Black, image.Point{}, draw.Src)
	b.Run("first", func(b *testing.B) {
		var file []byte
		for b.Loop() {
			file = new(Film).Add(p)
		}
		b.ReportMetric(float64(len(file)), "bytes")
	})
	b.Run("changed", func(b *testing.B) {
		var f Film
		for b.Loop() {
			f.Add(p)
			f.Add(next)
		}
	})
	b.Run("standard", func(b *testing.B) {
		var file bytes.Buffer
		for b.Loop() {
			file.Reset()
			if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, p); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(file.Len()), "bytes")
	})
}
