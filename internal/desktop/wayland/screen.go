//go:build linux

package wayland

import (
	"context"
	"hash/maphash"
	"image"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"understudy/internal/desktop"
)

// A camera takes a picture of a part of the screen, with one pixel per point.
type camera interface {
	picture(ctx context.Context, part desktop.Rect, monitors []desktop.Monitor) (*image.RGBA, error)
}

// fit draws a picture into an area of another one, at the size of that.
func fit(into *image.RGBA, at image.Rectangle, picture image.Image) {
	if from := picture.Bounds(); from.Size() == at.Size() {
		draw.Draw(into, at, picture, from.Min, draw.Src)
	} else {
		draw.ApproxBiLinear.Scale(into, at, picture, from, draw.Src, nil)
	}
}

// fitted returns a picture of a part of the screen at the size of that.
func fitted(picture image.Image, part desktop.Rect) *image.RGBA {
	made := image.NewRGBA(image.Rect(0, 0, part.W, part.H))
	fit(made, made.Rect, picture)
	return made
}

// screen takes pictures of the outputs.
type screen struct {
	*Driver
	camera  camera
	missing error // why there is no camera

	mu   sync.Mutex
	seen map[drawnArea]drawn // guarded by mu
}

// seed is that of the hashes of pixels.
var seed = maphash.MakeSeed()

// drawnArea is what LastDrawn was called for.
type drawnArea struct {
	window desktop.WindowID
	area   desktop.Rect
}

// drawn is the hash of the pixels of an area, and since when it has looked like that.
type drawn struct {
	sum   uint64
	since time.Time
}

func (s *screen) Monitors(ctx context.Context) ([]desktop.Monitor, error) {
	return s.place.outputs(ctx)
}

// Capture takes a picture of an area, clipped to the screen, with one pixel per point whatever
// the scale.
func (s *screen) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	if s.missing != nil {
		return nil, s.missing
	}
	monitors, err := s.Monitors(ctx)
	if err != nil {
		return nil, err
	}
	part, err := desktop.ScreenOf(monitors).Clip(area)
	if err != nil {
		return nil, err
	}
	return s.camera.picture(ctx, part, monitors)
}

// Snap takes a picture of the whole screen.
func (s *screen) Snap(ctx context.Context) (func() *image.RGBA, error) {
	picture, err := s.Capture(ctx, desktop.Rect{})
	return func() *image.RGBA { return picture }, err
}

// LastDrawn compares what an area shows with what it showed at the last call.
func (s *screen) LastDrawn(ctx context.Context, id desktop.WindowID, area desktop.Rect) (time.Time, error) {
	if id != 0 && area.Empty() {
		w, err := s.window(ctx, id)
		if err != nil {
			return time.Time{}, err
		}
		area = w.Bounds
	}
	picture, err := s.Capture(ctx, area)
	if err != nil {
		return time.Time{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := drawn{maphash.Bytes(seed, picture.Pix), time.Now()}
	key := drawnArea{id, area}
	if last, known := s.seen[key]; known && last.sum == now.sum {
		return last.since, nil
	} else if !known && len(s.seen) > 64 { // of the elements of the last minutes
		clear(s.seen)
	}
	s.seen[key] = now
	return now.since, nil
}
