//go:build linux

package x11

import (
	"context"
	"image"
	"sync"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// panel is our only window that takes clicks.
type panel struct {
	mu     sync.Mutex
	link   *xConn
	window xproto.Window
}

func (p *panel) show(ctx context.Context, d *Driver, a desktop.Panel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	if p.link != l {
		p.link, p.window = l, 0 // the window was closed with its connection
	}
	return do(ctx, l, func() error {
		defer l.x.Sync()
		if a.Picture != nil {
			return p.draw(a)
		}
		if p.window != 0 {
			xproto.DestroyWindow(l.x, p.window)
			p.window = 0
		}
		return nil
	})
}

// draw paints the picture into the background, so that it needs no repainting.
func (p *panel) draw(a desktop.Panel) error {
	l, size := p.link, a.Picture.Rect.Size()
	if p.window == 0 {
		w, err := xproto.NewWindowId(l.x)
		if err != nil {
			return err
		}
		xproto.CreateWindow(l.x, l.screen.RootDepth, w, l.root, int16(a.At.X), int16(a.At.Y), uint16(size.X), uint16(size.Y), 0,
			xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease})
		p.window = w
	}
	pixmap, err := l.pixmap(p.window, a.Picture)
	if err != nil {
		return err
	}
	xproto.ChangeWindowAttributes(l.x, p.window, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
	xproto.FreePixmap(l.x, pixmap)
	xproto.ConfigureWindow(l.x, p.window, xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight|xproto.ConfigWindowStackMode,
		[]uint32{uint32(int32(a.At.X)), uint32(int32(a.At.Y)), uint32(size.X), uint32(size.Y), xproto.StackModeAbove})
	xproto.MapWindow(l.x, p.window)
	xproto.ClearArea(l.x, false, p.window, 0, 0, 0, 0)
	return nil
}

// mostOfAPicture is how many bytes one request carries: fewer than any server accepts.
const mostOfAPicture = 128 << 10

// pixmap puts a picture into a pixmap.
func (l *server) pixmap(w xproto.Window, picture *image.RGBA) (xproto.Pixmap, error) {
	id, err := xproto.NewPixmapId(l.x)
	if err != nil {
		return 0, err
	}
	gc, err := xproto.NewGcontextId(l.x)
	if err != nil {
		return 0, err
	}
	size := picture.Rect.Size()
	xproto.CreatePixmap(l.x, l.screen.RootDepth, id, xproto.Drawable(w), uint16(size.X), uint16(size.Y))
	xproto.CreateGC(l.x, gc, xproto.Drawable(id), 0, nil)
	defer xproto.FreeGC(l.x, gc)
	rows := max(1, mostOfAPicture/(4*size.X))
	for y := 0; y < size.Y; y += rows {
		n := min(rows, size.Y-y)
		part := make([]byte, 0, 4*size.X*n)
		for row := y; row < y+n; row++ {
			line := picture.Pix[row*picture.Stride:][:4*size.X]
			for x := 0; x < len(line); x += 4 {
				part = append(part, line[x+2], line[x+1], line[x], 0)
			}
		}
		xproto.PutImage(l.x, xproto.ImageFormatZPixmap, xproto.Drawable(id), gc, uint16(size.X), uint16(n), 0, int16(y), 0, l.screen.RootDepth, part)
	}
	return id, nil
}
