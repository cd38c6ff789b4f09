package robot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math/bits"
	"sync"

	"github.com/gen2brain/shm"
	mitshm "github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// camera is the memory that the X server puts pictures into. It stays, because
// sharing memory costs more than taking a picture.
type camera struct {
	mu     sync.Mutex // held by whoever reads the memory, also when nobody waits for it any more
	seg    mitshm.Seg
	memory []byte
	plain  bool // the server cannot share memory with us: it is elsewhere
}

// Capture takes a picture of an area, clipped to the screen. The zero Rect is
// the whole screen. The picture's bounds begin at 0,0.
func (r *Robot) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	return look(ctx, r, func(l *link) (*image.RGBA, error) {
		return ask(ctx, l, func() (*image.RGBA, error) { return l.shoot(area) })
	})
}

func (l *link) shoot(area desktop.Rect) (*image.RGBA, error) {
	if l.setup.ImageByteOrder != xproto.ImageOrderLSBFirst || l.screen.RootDepth < 24 {
		return nil, &desktop.MissingError{What: fmt.Sprintf("pictures of a screen with %d bits a pixel are not supported: 24 are needed", l.screen.RootDepth)}
	}
	l.camera.mu.Lock()
	defer l.camera.mu.Unlock()
	for {
		screen, err := l.size()
		if err != nil {
			return nil, err
		}
		img, err := l.shootPart(area, screen)
		if err == nil {
			return img, nil
		}
		if now, _ := l.size(); now == screen || now.Empty() {
			return nil, err
		} // else it was resized meanwhile
	}
}

func (l *link) shootPart(area, screen desktop.Rect) (*image.RGBA, error) {
	if area == (desktop.Rect{}) {
		area = screen
	}
	part := area.Intersect(screen)
	if part.Empty() {
		return nil, fmt.Errorf("the area %s is not on the screen, which is %s", area, screen)
	}
	raw, err := l.expose(part, 4*screen.W*screen.H)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, part.W, part.H))
	develop(img.Pix, raw)
	return img, nil
}

// size is the screen, which may have been resized since we connected.
func (l *link) size() (desktop.Rect, error) {
	g, err := xproto.GetGeometry(l.x, xproto.Drawable(l.root)).Reply()
	if err != nil {
		return desktop.Rect{}, err
	}
	return desktop.Rect{W: int(g.Width), H: int(g.Height)}, nil
}

// expose reads the pixels of a part of the screen, through shared memory when
// it can be had.
func (l *link) expose(part desktop.Rect, room int) ([]byte, error) {
	c := &l.camera
	if !c.plain && len(c.memory) < room {
		c.plain = l.share(room) != nil
	}
	if c.plain {
		r, err := xproto.GetImage(l.x, xproto.ImageFormatZPixmap, xproto.Drawable(l.root),
			int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H), 0xffffffff).Reply()
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	}
	_, err := mitshm.GetImage(l.x, xproto.Drawable(l.root), int16(part.X), int16(part.Y), uint16(part.W), uint16(part.H),
		0xffffffff, xproto.ImageFormatZPixmap, c.seg, 0).Reply()
	return c.memory[:4*part.W*part.H], err
}

// share makes shared memory that both ends let go of when they end.
func (l *link) share(room int) error {
	if !l.has["MIT-SHM"] {
		return errors.New("the server has no shared memory")
	}
	c := &l.camera
	if c.memory != nil {
		mitshm.Detach(l.x, c.seg)
		_ = shm.Dt(c.memory)
		c.memory = nil
	}
	id, err := shm.Get(shm.IPC_PRIVATE, room, shm.IPC_CREAT|0o600)
	if err != nil {
		return err
	}
	defer func() { _ = shm.Rm(id) }() // it lives on while someone is attached
	memory, err := shm.At(id, 0, 0)
	if err != nil {
		return err
	}
	seg, err := mitshm.NewSegId(l.x)
	if err == nil {
		err = mitshm.AttachChecked(l.x, seg, uint32(id), false).Check()
	}
	if err != nil {
		_ = shm.Dt(memory)
		return err
	}
	c.seg, c.memory = seg, memory
	return nil
}

// free lets go of the memory when the connection has ended.
func (c *camera) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory != nil {
		_ = shm.Dt(c.memory)
		c.memory = nil
	}
	c.plain = true
}

// develop turns pixels of blue, green, red and nothing into opaque RGBA. It
// does eight at a time, which is as fast as the memory.
func develop(to, from []byte) {
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
