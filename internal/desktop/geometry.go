package desktop

import (
	"fmt"
	"image"
)

// Point is a point of the screen, in pixels from its top left corner.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

func (p Point) String() string { return fmt.Sprintf("%d,%d", p.X, p.Y) }

// Size is a width and a height in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Empty reports whether the size has no area.
func (s Size) Empty() bool { return s.W <= 0 || s.H <= 0 }

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

// ParseSize parses a size such as "1920x1080".
func ParseSize(text string) (Size, error) {
	var s Size
	var rest string
	n, _ := fmt.Sscanf(text, "%dx%d%s", &s.W, &s.H, &rest)
	if n != 2 || s.W < 1 || s.H < 1 || s.W > 16384 || s.H > 16384 {
		return Size{}, fmt.Errorf("size %q: wanted WIDTHxHEIGHT in pixels, such as 1920x1080", text)
	}
	return s, nil
}

// Rect is an area of the screen. The zero Rect is no area.
type Rect struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

func (r Rect) String() string { return fmt.Sprintf("%dx%d at %d,%d", r.W, r.H, r.X, r.Y) }

func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

func (r Rect) Center() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

func (r Rect) Image() image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H) }

// RectOf converts an image.Rectangle.
func RectOf(r image.Rectangle) Rect { return Rect{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} }

// Intersect returns the part that two areas share; the zero Rect if there is none.
func (r Rect) Intersect(o Rect) Rect { return RectOf(r.Image().Intersect(o.Image())) }

// Clip returns the part of an area that is on the screen r, or the whole screen for
// the zero Rect.
func (r Rect) Clip(area Rect) (Rect, error) {
	if area == (Rect{}) {
		return r, nil
	}
	part := area.Intersect(r)
	if part.Empty() {
		return Rect{}, fmt.Errorf("the area %s is not on the screen, which is %s", area, r)
	}
	return part, nil
}

// ErrOffScreen returns the error of a point that is not on the screen.
func ErrOffScreen(at Point, screen Rect) error {
	return fmt.Errorf("the point %s is not on the screen, which is %s", at, screen)
}

// Monitor is one screen of the desktop.
type Monitor struct {
	Name    string  `json:"name"`
	Bounds  Rect    `json:"bounds"`
	Primary bool    `json:"primary,omitempty"`
	Scale   float64 `json:"scale,omitzero"`
}

// ScreenOf returns the area of all monitors together.
func ScreenOf(monitors []Monitor) Rect {
	var all image.Rectangle
	for _, m := range monitors {
		all = all.Union(m.Bounds.Image())
	}
	return RectOf(all)
}

// Button is a mouse button.
type Button string

// The mouse buttons.
const (
	Left   Button = "left"
	Middle Button = "middle"
	Right  Button = "right"
)

// ErrNoButton returns the error of an unknown mouse button.
func ErrNoButton(b Button) error {
	return fmt.Errorf("there is no mouse button %q: wanted left, middle or right", b)
}
