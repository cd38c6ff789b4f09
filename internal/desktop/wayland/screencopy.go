//go:build linux

package wayland

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"os"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
	"golang.org/x/sys/unix"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// screencopy takes pictures of the outputs by the screencopy protocol, which writes them to
// shared memory.
type screencopy struct {
	*Driver
	manager wire.ScreencopyManager
	shm     wire.Shm
}

func newScreencopy(d *Driver) (camera, error) {
	m, err := wire.BindScreencopyManager(d.conn, 0)
	if err != nil {
		return nil, err
	}
	shm, err := wire.BindShm(d.conn, 0)
	return &screencopy{d, m, shm}, err
}

func (s *screencopy) picture(ctx context.Context, part desktop.Rect, monitors []desktop.Monitor) (*image.RGBA, error) {
	picture := image.NewRGBA(image.Rect(0, 0, part.W, part.H))
	err := s.withOutputs(ctx, func(outputs map[string]output) error {
		for _, m := range monitors {
			if m.Bounds.Intersect(part).Empty() {
				continue
			}
			shot, err := s.shoot(ctx, outputs[m.Name].Output)
			if err != nil {
				return fmt.Errorf("a picture of the output %s: %w", m.Name, err)
			}
			fit(picture, m.Bounds.Image().Sub(part.Image().Min), turned(shot, outputs[m.Name].transform))
		}
		return nil
	})
	return picture, err
}

// output is an output and how it is turned, as the protocol says that.
type output struct {
	wire.Output
	transform int32
}

// withOutputs calls f with the outputs by their names.
func (d *Driver) withOutputs(ctx context.Context, f func(map[string]output) error) error {
	n := d.conn.Count("wl_output")
	names, list := make([]string, n), make([]output, n)
	for i := range n {
		o, err := wire.BindOutput(d.conn, i, wire.OutputEvents{
			Geometry: func(_, _, _, _, _ int32, _, _ string, transform int32) { list[i].transform = transform },
			Name:     func(name string) { names[i] = name },
		})
		if err != nil {
			return err
		}
		defer o.Release()
		list[i].Output = o
	}
	if err := d.conn.Sync(ctx); err != nil {
		return err
	}
	outputs := map[string]output{}
	for i, o := range list {
		outputs[names[i]] = o
	}
	return f(outputs)
}

// turned returns a picture of an output as people see it. The compositor gives it as the output
// draws it, which may be turned by quarters and mirrored.
func turned(drawn *image.RGBA, transform int32) *image.RGBA {
	const quarters, mirrored = 3, 4
	if transform == 0 {
		return drawn
	}
	size := drawn.Rect.Size()
	w, h := float64(size.X), float64(size.Y)
	to := []f64.Aff3{{1, 0, 0, 0, 1, 0}, {0, -1, h, 1, 0, 0}, {-1, 0, w, 0, -1, h}, {0, 1, 0, -1, 0, w}}[transform&quarters]
	if transform%2 != 0 {
		size.X, size.Y = size.Y, size.X
	}
	if transform&mirrored != 0 {
		to[0], to[1], to[2] = -to[0], -to[1], float64(size.X)-to[2]
	}
	seen := image.NewRGBA(image.Rectangle{Max: size})
	draw.NearestNeighbor.Transform(seen, to, drawn, drawn.Rect, draw.Src, nil)
	return seen
}

// The formats of pixels, by the order of their bytes in memory.
const (
	argb8888 = 0
	xrgb8888 = 1
	abgr8888 = 0x34324241
	xbgr8888 = 0x34324258
)

// shot is the format of a picture.
type shot struct {
	format, width, height, stride uint32
	upsideDown                    bool
}

// shoot takes a picture of an output in its own resolution.
func (s *screencopy) shoot(ctx context.Context, o wire.Output) (*image.RGBA, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, desktop.ErrUnresponsive)
	defer cancel()
	var p shot
	var failed bool
	described, describe := newSignal()
	done, end := newSignal()
	frame := s.manager.CaptureOutput(0, o, wire.ScreencopyFrameEvents{
		Buffer: func(format, width, height, stride uint32) {
			p.format, p.width, p.height, p.stride = format, width, height, stride
		},
		BufferDone: describe,
		Flags:      func(flags uint32) { p.upsideDown = flags&1 != 0 },
		Ready:      func(uint32, uint32, uint32) { end() },
		Failed:     func() { failed = true; describe(); end() },
	})
	defer frame.Destroy()
	if err := s.conn.Await(ctx, described); err != nil || failed {
		return nil, cmp.Or(err, errNoShot)
	}
	b, err := newBuffer(s.shm, int(p.width), int(p.height), int(p.stride), p.format)
	if err != nil {
		return nil, err
	}
	defer b.close()
	frame.Copy(b.Buffer)
	if err := s.conn.Await(ctx, done); err != nil || failed {
		return nil, cmp.Or(err, errNoShot)
	}
	return p.develop(b.pixels)
}

var errNoShot = fmt.Errorf("the compositor %w", desktop.ErrRefused)

// develop decodes a picture.
func (p shot) develop(pixels []byte) (*image.RGBA, error) {
	red, blue := 0, 2
	switch p.format {
	case argb8888, xrgb8888:
		red, blue = 2, 0
	case abgr8888, xbgr8888:
	default:
		return nil, &desktop.MissingError{What: fmt.Sprintf("the compositor gives pictures in the format %#x, which is not known here", p.format)}
	}
	picture := image.NewRGBA(image.Rect(0, 0, int(p.width), int(p.height)))
	for y := range int(p.height) {
		from := y
		if p.upsideDown {
			from = int(p.height) - 1 - y
		}
		row, to := pixels[from*int(p.stride):], picture.Pix[y*picture.Stride:]
		for x := 0; x < 4*int(p.width); x += 4 {
			to[x], to[x+1], to[x+2], to[x+3] = row[x+red], row[x+1], row[x+blue], 255
		}
	}
	return picture, nil
}

// A buffer is memory for pixels, shared with the compositor.
type buffer struct {
	wire.Buffer
	pixels []byte
}

func newBuffer(shm wire.Shm, width, height, stride int, format uint32) (*buffer, error) {
	size := stride * height
	f, err := memory("pixels", nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(int64(size)); err != nil {
		return nil, err
	}
	pixels, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	pool := shm.CreatePool(f, int32(size))
	defer pool.Destroy()
	return &buffer{pool.CreateBuffer(0, int32(width), int32(height), int32(stride), format), pixels}, nil
}

func (b *buffer) close() {
	b.Destroy()
	_ = unix.Munmap(b.pixels)
}
