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

	"understudy/internal/desktop"
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

// Show shows a frame around the part of an area that is on the screen, by calling draw, which
// returns how to remove it again. The frame goes away after the time of the mark, or with
// RemoveAll if that is zero. Show does not wait for that.
func (m *Marks) Show(a desktop.Mark, screen desktop.Rect, draw func(Frame) (remove func(context.Context) error, err error)) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	shown, err := screen.Clip(a.Area)
	if err != nil {
		return err
	}
	remove, err := draw(frameOf(shown, screen, a.Label))
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

// A Frame is a mark as it is drawn.
type Frame struct {
	Area   desktop.Rect
	Parts  []image.Rectangle // four bars just outside of the area and, last, the label if there is one
	Around image.Rectangle   // all parts
	Label  *image.RGBA       // nil if the mark has none
}

// frameOf returns the frame of an area on a screen. The label is above the area, or inside if
// there is no room above.
func frameOf(area, screen desktop.Rect, text string) Frame {
	in := area.Image()
	out := in.Inset(-markWidth)
	f := Frame{Area: area, Around: out, Label: labelOf(text), Parts: []image.Rectangle{
		image.Rect(out.Min.X, out.Min.Y, out.Max.X, in.Min.Y),
		image.Rect(out.Min.X, in.Max.Y, out.Max.X, out.Max.Y),
		image.Rect(out.Min.X, in.Min.Y, in.Min.X, in.Max.Y),
		image.Rect(in.Max.X, in.Min.Y, out.Max.X, in.Max.Y),
	}}
	if f.Label != nil {
		at := image.Pt(out.Min.X, out.Min.Y-labelHeight)
		if at.Y < screen.Y {
			at.Y = in.Min.Y
		}
		place := f.Label.Rect.Add(at)
		f.Parts, f.Around = append(f.Parts, place), out.Union(place)
	}
	return f
}

// labelOf draws a label, or returns nil if its text is empty.
func labelOf(label string) *image.RGBA {
	text := []rune(label)
	text = text[:min(len(text), longestLabel)]
	if len(text) == 0 {
		return nil
	}
	picture := image.NewRGBA(image.Rect(0, 0, len(text)*charWidth+2*labelPad, labelHeight))
	draw.Draw(picture, picture.Rect, image.NewUniform(MarkColour), image.Point{}, draw.Src)
	d := font.Drawer{Dst: picture, Src: image.White, Face: Face(), Dot: fixed.P(labelPad, labelBase)}
	d.DrawString(string(text))
	return picture
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
