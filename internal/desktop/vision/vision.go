// Package vision finds pictures and text on pictures of a screen. It only computes,
// and touches no screen.
//
// A template is first searched for byte by byte, which is exact and fast, and only if
// that fails by likeness: the normalised cross-correlation of brightness, on smaller
// copies first, then to the pixel, and at the places found of all colours. Likeness
// survives noise, slightly brighter themes and small changes of size, but not large ones,
// nor another colour.
//
// Text is read by the tesseract command, if it is installed.
package vision

import (
	"image"
	"image/draw"

	xdraw "golang.org/x/image/draw"

	"understudy/internal/desktop"
)

// rgba converts a picture to the format of all computations, with its origin at 0,0.
func rgba(img image.Image) *image.RGBA {
	b := img.Bounds()
	if m, ok := img.(*image.RGBA); ok && b.Min == (image.Point{}) {
		return m
	}
	m := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(m, m.Rect, img, b.Min, draw.Src)
	return m
}

// Scale returns a picture in another size.
func Scale(img image.Image, to desktop.Size) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, max(to.W, 1), max(to.H, 1)))
	xdraw.ApproxBiLinear.Scale(m, m.Rect, img, img.Bounds(), draw.Src, nil)
	return m
}

// Fit returns a picture, made smaller if necessary, so that neither side is longer
// than a limit and it has no more than a number of pixels. Its coordinates times back
// are those of the original.
func Fit(img image.Image, side, pixels int) (small *image.RGBA, back float64) {
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	f := 1.0
	if long := max(w, h); side > 0 && long > float64(side) {
		f = float64(side) / long
	}
	for pixels > 0 && int(w*f)*int(h*f) > pixels {
		f *= 0.99
	}
	if f == 1 {
		return rgba(img), 1
	}
	return Scale(img, desktop.Size{W: max(1, int(w*f)), H: max(1, int(h*f))}), 1 / f
}
