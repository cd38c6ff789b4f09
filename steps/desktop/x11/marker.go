//go:build linux

package x11

import (
	"context"
	"unicode/utf16"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

const (
	markColor  = 0xe53935 // a red that stands out on light and dark
	labelColor = 0xffffff
	markWidth  = 3
	// The size of a character of the font "fixed" of the server, with room around it.
	labelHeight, labelRise, labelPad, charWidth = 17, 12, 4, 6
	longestLabel                                = 80
)

// showMark draws the frame and the label of a mark. Clicks go through.
func (d *Driver) showMark(ctx context.Context, a desktop.Mark) (remove func(context.Context) error, err error) {
	l, err := d.live(ctx)
	if err != nil {
		return nil, err
	}
	if !l.has["SHAPE"] {
		return nil, &desktop.MissingError{What: "the display " + l.address.name + " lacks the SHAPE extension, so a mark would catch clicks"}
	}
	windows, err := perform(ctx, l, func() ([]xproto.Window, error) { return l.frame(a.Area, a.Label) })
	return func(ctx context.Context) error {
		if !l.alive() {
			return nil // the windows are gone with the connection
		}
		return do(ctx, l, func() error {
			for _, w := range windows {
				xproto.DestroyWindow(l.x, w)
			}
			l.x.Sync()
			return nil
		})
	}, err
}

// frame shows four thin windows just outside an area, and one with the label.
func (l *server) frame(area desktop.Rect, label string) (windows []xproto.Window, err error) {
	const t = markWidth
	sheets := []sheet{
		{Rect: desktop.Rect{X: area.X - t, Y: area.Y - t, W: area.W + 2*t, H: t}},
		{Rect: desktop.Rect{X: area.X - t, Y: area.Y + area.H, W: area.W + 2*t, H: t}},
		{Rect: desktop.Rect{X: area.X - t, Y: area.Y, W: t, H: area.H}},
		{Rect: desktop.Rect{X: area.X + area.W, Y: area.Y, W: t, H: area.H}},
	}
	if text := []rune(label); label != "" {
		text = text[:min(len(text), longestLabel)]
		sheets = append(sheets, sheet{labelPlace(area, len(text)), text})
	}
	for _, s := range sheets {
		w, err := l.showSheet(s)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	l.x.Sync()
	return windows, nil
}

// labelPlace returns where a label of n characters goes: above the area, or inside if there is
// no room above.
func labelPlace(area desktop.Rect, n int) desktop.Rect {
	place := desktop.Rect{X: area.X - markWidth, Y: area.Y - markWidth - labelHeight, W: n*charWidth + 2*labelPad, H: labelHeight}
	if place.Y < 0 {
		place.Y = area.Y
	}
	return place
}

// sheet is a window in the colour of marks, perhaps with a label.
type sheet struct {
	desktop.Rect
	label []rune
}

// showSheet shows a window that lets clicks through. Its label is painted into its background,
// so that it needs no repainting.
func (l *server) showSheet(s sheet) (xproto.Window, error) {
	w, err := xproto.NewWindowId(l.x)
	if err != nil {
		return 0, err
	}
	xproto.CreateWindow(l.x, l.screen.RootDepth, w, l.root, int16(s.X), int16(s.Y), uint16(s.W), uint16(s.H), 0,
		xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{markColor, 1})
	if len(s.label) > 0 {
		if err := l.drawLabel(w, s); err != nil {
			return 0, err
		}
	}
	shape.Rectangles(l.x, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, nil)
	xproto.MapWindow(l.x, w)
	return w, nil
}

// drawLabel sets the background of a window to a text.
func (l *server) drawLabel(w xproto.Window, s sheet) error {
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
		return nil // on a server without fonts the label has no text
	}
	defer xproto.CloseFont(l.x, font)
	xproto.CreatePixmap(l.x, l.screen.RootDepth, pixmap, xproto.Drawable(w), uint16(s.W), uint16(s.H))
	defer xproto.FreePixmap(l.x, pixmap)
	xproto.CreateGC(l.x, gc, xproto.Drawable(pixmap), xproto.GcForeground|xproto.GcBackground|xproto.GcFont, []uint32{markColor, markColor, uint32(font)})
	defer xproto.FreeGC(l.x, gc)
	xproto.PolyFillRectangle(l.x, xproto.Drawable(pixmap), gc, []xproto.Rectangle{{Width: uint16(s.W), Height: uint16(s.H)}})
	xproto.ChangeGC(l.x, gc, xproto.GcForeground, []uint32{labelColor})
	var chars []xproto.Char2b // at most two for each character
	for _, u := range utf16.Encode(s.label) {
		chars = append(chars, xproto.Char2b{Byte1: byte(u >> 8), Byte2: byte(u)})
	}
	xproto.ImageText16(l.x, byte(len(chars)), xproto.Drawable(pixmap), gc, labelPad, labelRise, chars)
	xproto.ChangeWindowAttributes(l.x, w, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
	return nil
}
