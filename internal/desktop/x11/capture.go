//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math/bits"
	"runtime"
	"sync"

	"github.com/gen2brain/shm"
	mitshm "github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// camera takes pictures. It keeps the memory that the X server writes them to, because sharing
// memory takes longer than taking a picture.
type camera struct {
	*server
	mu    sync.Mutex
	spare []*shmBuffer // guarded by mu
	plain bool         // the server cannot share memory, such as one of another machine; guarded by mu
}

// spares is how many buffers are kept for the next pictures.
const spares = 2

// A shmBuffer is memory shared with the server.
type shmBuffer struct {
	seg    mitshm.Seg
	memory []byte
}

// exposed is a picture as the server sends it.
type exposed struct {
	part   desktop.Rect
	pixels []byte
	buffer *shmBuffer // that has the pixels; nil if they came over the connection
}

// screen captures what a display shows.
type screen struct{ *Driver }

// Capture takes a picture of an area, clipped to the screen. The zero Rect is the whole
// screen. The bounds of the picture begin at 0,0.
func (s screen) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	return query(ctx, s.Driver, func(l *xConn) (*image.RGBA, error) {
		e, err := l.grab(area)
		if err != nil {
			return nil, err
		}
		return l.decodeImage(e), nil
	})
}

// Snap returns as soon as the server has taken the picture. It is decoded later.
func (s screen) Snap(ctx context.Context) (func() *image.RGBA, error) {
	return query(ctx, s.Driver, func(l *xConn) (func() *image.RGBA, error) {
		e, err := l.grab(desktop.Rect{})
		if err == nil && ctx.Err() != nil { // nobody waits for it any more
			l.reuse(e.buffer)
			err = context.Cause(ctx)
		}
		return func() *image.RGBA { return l.decodeImage(e) }, err
	})
}

// grab takes a picture of an area. It tries again if the size of the screen changes meanwhile.
func (l *camera) grab(area desktop.Rect) (exposed, error) {
	if depth := l.screen.RootDepth; l.setup.ImageByteOrder != xproto.ImageOrderLSBFirst || depth != 24 && depth != 32 {
		return exposed{}, &desktop.MissingError{What: fmt.Sprintf("pictures of a screen with %d bits a pixel are not supported: 24 are needed", depth)}
	}
	for back := 0; ; {
		screen, err := l.size()
		if err != nil {
			return exposed{}, err
		}
		var e exposed
		part, err := screen.Clip(area)
		if err == nil {
			e, err = l.expose(part, 4*screen.W*screen.H)
		}
		if err == nil {
			return e, nil
		}
		now, _ := l.size()
		_, outside := errors.AsType[xproto.MatchError](err)
		if now.Empty() || now == screen && (!outside || back == mostSizeChanges) {
			return exposed{}, err
		}
		if now == screen { // it had changed, and has changed back
			back++
		}
	}
}

// mostSizeChanges bounds how often the size of the screen can change and change back while a
// picture is taken.
const mostSizeChanges = 5

// size returns the bounds of the screen, which may change.
func (l *server) size() (desktop.Rect, error) {
	return rootBounds(xproto.GetGeometry(l.x, xproto.Drawable(l.root)))
}

// rootBounds returns the bounds of the screen, once its geometry is known.
func rootBounds(asked xproto.GetGeometryCookie) (desktop.Rect, error) {
	g, err := asked.Reply()
	if err != nil {
		return desktop.Rect{}, err
	}
	return desktop.Rect{W: int(g.Width), H: int(g.Height)}, nil
}

// expose reads the pixels of a part of the screen, through shared memory if possible.
func (l *camera) expose(part desktop.Rect, room int) (exposed, error) {
	buffer := l.takeBuffer(room)
	if buffer == nil {
		r, err := xproto.GetImage(l.x, xproto.ImageFormatZPixmap, xproto.Drawable(l.root),
			int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H), 0xffffffff).Reply()
		if err != nil {
			return exposed{}, err
		}
		return exposed{part: part, pixels: r.Data}, nil
	}
	_, err := mitshm.GetImage(l.x, xproto.Drawable(l.root), int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H),
		0xffffffff, xproto.ImageFormatZPixmap, buffer.seg, 0).Reply()
	if err != nil {
		l.reuse(buffer)
		return exposed{}, err
	}
	return exposed{part, buffer.memory[:4*part.W*part.H], buffer}, nil
}

// takeBuffer returns memory that is shared with the server, or nil if that is impossible.
func (l *camera) takeBuffer(room int) *shmBuffer {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.spare) > 0 {
		p := l.spare[len(l.spare)-1]
		l.spare = l.spare[:len(l.spare)-1]
		if len(p.memory) >= room {
			return p
		}
		mitshm.Detach(l.x, p.seg)
	}
	if l.plain {
		return nil
	}
	p, err := l.share(room)
	l.plain = err != nil
	return p
}

// reuse keeps a buffer, unless it is nil, for the next picture.
func (l *camera) reuse(p *shmBuffer) {
	if p == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.spare) < spares {
		l.spare = append(l.spare, p)
		return
	}
	mitshm.Detach(l.x, p.seg)
}

// share allocates shared memory. The server detaches from it when told to, or when the
// connection ends; we do when nothing refers to it any more, because a picture that nobody
// waits for any longer may still be read.
func (l *camera) share(room int) (*shmBuffer, error) {
	if !l.has["MIT-SHM"] {
		return nil, errors.New("the server has no shared memory")
	}
	id, err := shm.Get(shm.IPC_PRIVATE, room, shm.IPC_CREAT|0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = shm.Rm(id) }() // it exists as long as someone is attached
	memory, err := shm.At(id, 0, 0)
	if err != nil {
		return nil, err
	}
	p := &shmBuffer{memory: memory}
	runtime.AddCleanup(p, func(memory []byte) { _ = shm.Dt(memory) }, memory)
	if p.seg, err = mitshm.NewSegId(l.x); err == nil {
		err = mitshm.AttachChecked(l.x, p.seg, uint32(id), false).Check()
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// decodeImage makes an image of a picture, and releases the picture.
func (l *camera) decodeImage(e exposed) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, e.part.W, e.part.H))
	opaque(img.Pix, e.pixels)
	l.reuse(e.buffer)
	return img
}

// opaque turns pixels of blue, green, red and a byte of padding into opaque RGBA. It does eight
// at a time, which is as fast as the memory.
func opaque(to, from []byte) {
	le := binary.LittleEndian
	for len(from) >= 32 && len(to) >= 32 {
		f, t := from[:32:32], to[:32:32]
		le.PutUint64(t[0:], twoPixels(le.Uint64(f[0:])))
		le.PutUint64(t[8:], twoPixels(le.Uint64(f[8:])))
		le.PutUint64(t[16:], twoPixels(le.Uint64(f[16:])))
		le.PutUint64(t[24:], twoPixels(le.Uint64(f[24:])))
		to, from = to[32:], from[32:]
	}
	for len(from) >= 4 && len(to) >= 4 {
		to[0], to[1], to[2], to[3] = from[2], from[1], from[0], 0xff
		to, from = to[4:], from[4:]
	}
}

// twoPixels converts two pixels, one in each half.
func twoPixels(bgrx uint64) uint64 {
	return bits.RotateLeft64(bits.ReverseBytes64(bgrx), 24) | 0xff000000_ff000000
}
