//go:build linux

package x11

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

const (
	markColor  = 0xe53935 // a red that stands out on light and dark
	labelColor = 0xffffff
	markWidth  = 3
	// A character of the server's font "fixed", with room around it.
	labelHeight, labelRise, labelPad, charWidth = 17, 12, 4, 6
	longestLabel                                = 80
)

type marker struct {
	*Driver
	mu    sync.Mutex
	shown map[*mark]bool // guarded by mu
}

// mark is one frame: four thin windows and perhaps a label, on one link.
type mark struct {
	link    *xConn
	windows []xproto.Window
	timer   *time.Timer
}

// mark draws a frame around an area, with a label above it, for a while, or
// until unmarkAll when the time is zero. It returns at once. Clicks go through.
func (m *marker) mark(ctx context.Context, a desktop.Mark) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	l, err := m.live(ctx)
	if err != nil {
		return err
	}
	if !l.has["SHAPE"] {
		return &desktop.MissingError{What: "the display " + l.place.name + " lacks the SHAPE extension, so a mark would catch clicks"}
	}
	one, err := perform(ctx, l, func() (*mark, error) { return l.frame(a.Area, a.Label) })
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown == nil {
		m.shown = map[*mark]bool{}
	}
	m.shown[one] = true
	if a.For > 0 {
		one.timer = time.AfterFunc(a.For, func() { _ = m.unmark(context.Background(), one) })
	}
	return nil
}

// unmarkAll removes all frames.
func (m *marker) unmarkAll(ctx context.Context) error {
	m.mu.Lock()
	all := slices.Collect(maps.Keys(m.shown))
	m.mu.Unlock()
	for _, one := range all {
		if err := m.unmark(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// unmark removes one frame, if it still shows. With a lost link its windows
// are gone already.
func (m *marker) unmark(ctx context.Context, one *mark) error {
	m.mu.Lock()
	shown := m.shown[one]
	delete(m.shown, one)
	if one.timer != nil {
		one.timer.Stop()
	}
	m.mu.Unlock()
	l := one.link
	if !shown || !l.alive() {
		return nil
	}
	_, err := perform(ctx, l, func() (struct{}, error) {
		for _, w := range one.windows {
			xproto.DestroyWindow(l.x, w)
		}
		l.x.Sync()
		return struct{}{}, nil
	})
	return err
}

// frame shows four thin windows just outside an area, and a label.
func (l *xConn) frame(area desktop.Rect, label string) (*mark, error) {
	const t = markWidth
	m := &mark{link: l}
	sides := []desktop.Rect{
		{X: area.X - t, Y: area.Y - t, W: area.W + 2*t, H: t},
		{X: area.X - t, Y: area.Y + area.H, W: area.W + 2*t, H: t},
		{X: area.X - t, Y: area.Y, W: t, H: area.H},
		{X: area.X + area.W, Y: area.Y, W: t, H: area.H},
	}
	for _, side := range sides {
		w, err := l.sheet(side, nil)
		if err != nil {
			return nil, err
		}
		m.windows = append(m.windows, w)
	}
	if label != "" {
		w, err := l.sheet(labelPlace(area, label), []rune(label))
		if err != nil {
			return nil, err
		}
		m.windows = append(m.windows, w)
	}
	l.x.Sync()
	return m, nil
}

// labelPlace is above the area, or inside when there is no room above.
func labelPlace(area desktop.Rect, label string) desktop.Rect {
	n := min(len([]rune(label)), longestLabel)
	place := desktop.Rect{X: area.X - markWidth, Y: area.Y - markWidth - labelHeight, W: n*charWidth + 2*labelPad, H: labelHeight}
	if place.Y < 0 {
		place.Y = area.Y
	}
	return place
}

// sheet shows one window of the mark's colour that no click touches. Its
// label is painted into its background, so it needs no repainting.
func (l *xConn) sheet(area desktop.Rect, label []rune) (xproto.Window, error) {
	w, err := xproto.NewWindowId(l.x)
	if err != nil {
		return 0, err
	}
	xproto.CreateWindow(l.x, l.screen.RootDepth, w, l.root, int16(area.X), int16(area.Y), uint16(area.W), uint16(area.H), 0,
		xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{markColor, 1})
	if len(label) > 0 {
		if err := l.drawFrame(w, area, label[:min(len(label), longestLabel)]); err != nil {
			return 0, err
		}
	}
	shape.Rectangles(l.x, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, nil)
	xproto.MapWindow(l.x, w)
	return w, nil
}

func (l *xConn) drawFrame(w xproto.Window, area desktop.Rect, label []rune) error {
	font, err := xproto.NewFontId(l.x)
	if err != nil {
		return err
	}
	pixmap, err := xproto.NewPixmapId(l.x)
	if err != nil {
		return err
	}
	gc, err := xproto.NewGcontextId(l.x)
	if err != nil {
		return err
	}
	const name = "fixed"
	if xproto.OpenFontChecked(l.x, font, uint16(len(name)), name).Check() != nil {
		return nil // a server without fonts shows the label without text
	}
	defer xproto.CloseFont(l.x, font)
	xproto.CreatePixmap(l.x, l.screen.RootDepth, pixmap, xproto.Drawable(w), uint16(area.W), uint16(area.H))
	defer xproto.FreePixmap(l.x, pixmap)
	xproto.CreateGC(l.x, gc, xproto.Drawable(pixmap), xproto.GcForeground|xproto.GcBackground|xproto.GcFont, []uint32{markColor, markColor, uint32(font)})
	defer xproto.FreeGC(l.x, gc)
	xproto.PolyFillRectangle(l.x, xproto.Drawable(pixmap), gc, []xproto.Rectangle{{Width: uint16(area.W), Height: uint16(area.H)}})
	xproto.ChangeGC(l.x, gc, xproto.GcForeground, []uint32{labelColor})
	var chars []xproto.Char2b
	for _, u := range utf16.Encode(label) {
		chars = append(chars, xproto.Char2b{Byte1: byte(u >> 8), Byte2: byte(u)})
	}
	xproto.ImageText16(l.x, byte(min(len(chars), 255)), xproto.Drawable(pixmap), gc, labelPad, labelRise, chars[:min(len(chars), 255)])
	xproto.ChangeWindowAttributes(l.x, w, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
	return nil
}
