package input

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"understudy/steps/desktop"
)

// Marks are the frames that a driver shows.
type Marks struct {
	mu    sync.Mutex
	shown map[*mark]bool // guarded by mu
}

// mark is one frame.
type mark struct {
	remove func(context.Context) error
	timer  *time.Timer // nil: it is shown until RemoveAll
}

// Show shows a frame around an area by calling draw, which returns how to remove it again.
// The frame goes away after the time of the mark, or with RemoveAll if that is zero. Show
// does not wait for that.
func (m *Marks) Show(a desktop.Mark, draw func() (remove func(context.Context) error, err error)) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	remove, err := draw()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown == nil {
		m.shown = map[*mark]bool{}
	}
	one := &mark{remove: remove}
	m.shown[one] = true
	if a.For > 0 {
		one.timer = time.AfterFunc(a.For, func() { _ = m.remove(context.Background(), one) })
	}
	return nil
}

// RemoveAll removes all frames, also after one that cannot be removed.
func (m *Marks) RemoveAll(ctx context.Context) error {
	m.mu.Lock()
	all := slices.Collect(maps.Keys(m.shown))
	m.mu.Unlock()
	var errs []error
	for _, one := range all {
		errs = append(errs, m.remove(ctx, one))
	}
	return errors.Join(errs...)
}

// remove removes one frame, unless that has been done.
func (m *Marks) remove(ctx context.Context, one *mark) error {
	m.mu.Lock()
	shown := m.shown[one]
	delete(m.shown, one)
	if one.timer != nil {
		one.timer.Stop()
	}
	m.mu.Unlock()
	if !shown {
		return nil
	}
	return one.remove(ctx)
}

// A mark in pixels and characters.
const (
	markWidth    = 3
	charWidth    = 8
	labelHeight  = 17
	labelBase    = 13
	labelPad     = 4
	longestLabel = 80
)

// MarkColour is the colour of marks: a red that stands out on light and dark.
var MarkColour = color.RGBA{R: 0xe5, G: 0x39, B: 0x35, A: 0xff}

// FrameOf returns the frame of a mark: the four areas just outside its own.
func FrameOf(area desktop.Rect) []desktop.Rect {
	const t = markWidth
	return []desktop.Rect{
		{X: area.X - t, Y: area.Y - t, W: area.W + 2*t, H: t},
		{X: area.X - t, Y: area.Y + area.H, W: area.W + 2*t, H: t},
		{X: area.X - t, Y: area.Y, W: t, H: area.H},
		{X: area.X + area.W, Y: area.Y, W: t, H: area.H},
	}
}

// LabelOf draws the label of a mark, and returns where it goes: above the area, or inside if
// there is no room above. It returns nil if the mark has none.
func LabelOf(a desktop.Mark) (*image.RGBA, desktop.Point) {
	text := []rune(a.Label)
	text = text[:min(len(text), longestLabel)]
	if len(text) == 0 {
		return nil, desktop.Point{}
	}
	at := desktop.Point{X: a.Area.X - markWidth, Y: a.Area.Y - markWidth - labelHeight}
	if at.Y < 0 {
		at.Y = a.Area.Y
	}
	label := image.NewRGBA(image.Rect(0, 0, len(text)*charWidth+2*labelPad, labelHeight))
	draw.Draw(label, label.Rect, image.NewUniform(MarkColour), image.Point{}, draw.Src)
	d := font.Drawer{Dst: label, Src: image.White, Face: Face(), Dot: fixed.P(labelPad, labelBase)}
	d.DrawString(string(text))
	return label, at
}

// Face is a font with characters of 8 by 17 pixels. It writes Latin, Greek and Cyrillic.
var Face = sync.OnceValue(func() font.Face {
	mono, err := opentype.Parse(gomono.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	face, err := opentype.NewFace(mono, &opentype.FaceOptions{Size: 13, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err)
	}
	return face
})
