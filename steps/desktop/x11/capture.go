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

	"understudy/steps/desktop"
)

// camera keeps the memory that the X server puts pictures into, because sharing
// memory costs more than taking a picture.
type camera struct {
	*server
	mu    sync.Mutex
	spare []*shmBuffer // guarded by mu
	plain bool         // the server cannot share memory with us, it is elsewhere; guarded by mu
}

// spares is how many plates are kept for the next pictures.
const spares = 2

// A shmBuffer is memory that we share with the server.
type shmBuffer struct {
	seg    mitshm.Seg
	memory []byte
}

// exposed is a picture as the server gives it.
type exposed struct {
	part   desktop.Rect
	pixels []byte
	plate  *shmBuffer // which the pixels are on; nil when they came another way
}

// screen sees what a display shows.
type screen struct{ *Driver }

// Capture takes a picture of an area, clipped to the screen. The zero Rect is
// the whole screen. The picture's bounds begin at 0,0.
func (s screen) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	return look(ctx, s.Driver, func(l *xConn) (*image.RGBA, error) {
		return ask(ctx, l, func() (*image.RGBA, error) {
			e, err := l.grab(area)
			if err != nil {
				return nil, err
			}
			return l.decodeImage(e), nil
		})
	})
}

// Snap returns as soon as the server has given the picture, and leaves making it
// one of ours for later.
func (s screen) Snap(ctx context.Context) (func() *image.RGBA, error) {
	return look(ctx, s.Driver, func(l *xConn) (func() *image.RGBA, error) {
		return ask(ctx, l, func() (func() *image.RGBA, error) {
			e, err := l.grab(desktop.Rect{})
			if err == nil && ctx.Err() != nil { // nobody waits for it any more
				l.reuse(e.plate)
				err = context.Cause(ctx)
			}
			return func() *image.RGBA { return l.decodeImage(e) }, err
		})
	})
}

// grab lets the server give a picture of an area.
func (l *camera) grab(area desktop.Rect) (exposed, error) {
	if l.setup.ImageByteOrder != xproto.ImageOrderLSBFirst || l.screen.RootDepth < 24 {
		return exposed{}, &desktop.MissingError{What: fmt.Sprintf("pictures of a screen with %d bits a pixel are not supported: 24 are needed", l.screen.RootDepth)}
	}
	for {
		screen, err := l.size()
		if err != nil {
			return exposed{}, err
		}
		e, err := l.shootPart(area, screen)
		if err == nil {
			return e, nil
		}
		if now, _ := l.size(); now == screen || now.Empty() {
			return exposed{}, err
		} // else it was resized meanwhile
	}
}

func (l *camera) shootPart(area, screen desktop.Rect) (exposed, error) {
	part, err := screen.Clip(area)
	if err != nil {
		return exposed{}, err
	}
	return l.expose(part, 4*screen.W*screen.H)
}

// size is the screen, which may have been resized since we connected.
func (l *server) size() (desktop.Rect, error) {
	g, err := xproto.GetGeometry(l.x, xproto.Drawable(l.root)).Reply()
	if err != nil {
		return desktop.Rect{}, err
	}
	return desktop.Rect{W: int(g.Width), H: int(g.Height)}, nil
}

// expose reads the pixels of a part of the screen, through shared memory when
// it can be had.
func (l *camera) expose(part desktop.Rect, room int) (exposed, error) {
	plate := l.shmBuffer(room)
	if plate == nil {
		r, err := xproto.GetImage(l.x, xproto.ImageFormatZPixmap, xproto.Drawable(l.root),
			int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H), 0xffffffff).Reply()
		if err != nil {
			return exposed{}, err
		}
		return exposed{part: part, pixels: r.Data}, nil
	}
	_, err := mitshm.GetImage(l.x, xproto.Drawable(l.root), int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H),
		0xffffffff, xproto.ImageFormatZPixmap, plate.seg, 0).Reply()
	if err != nil {
		l.reuse(plate)
		return exposed{}, err
	}
	return exposed{part, plate.memory[:4*part.W*part.H], plate}, nil
}

// shmBuffer is memory to share with the server; nil when there can be none.
func (l *camera) shmBuffer(room int) *shmBuffer {
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

// reuse keeps a plate, if there is one, for the next picture.
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

// share makes shared memory. The server lets go of it when it is told to, or
// when the connection ends; we do when nothing uses it any more, for what nobody
// waits for any longer may still be read.
func (l *camera) share(room int) (*shmBuffer, error) {
	if !l.has["MIT-SHM"] {
		return nil, errors.New("the server has no shared memory")
	}
	id, err := shm.Get(shm.IPC_PRIVATE, room, shm.IPC_CREAT|0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = shm.Rm(id) }() // it lives on while someone is attached
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

// decodeImage makes a picture of what the server gave.
func (l *camera) decodeImage(e exposed) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, e.part.W, e.part.H))
	opaque(img.Pix, e.pixels)
	l.reuse(e.plate)
	return img
}

// opaque turns pixels of blue, green, red and nothing into opaque RGBA. It
// does eight at a time, which is as fast as the memory.
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

// twoPixels reverses the bytes of both, and turns them so that each is where
// it was.
func twoPixels(bgrx uint64) uint64 {
	return bits.RotateLeft64(bits.ReverseBytes64(bgrx), 24) | 0xff000000_ff000000
}
