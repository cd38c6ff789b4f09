package byhand

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"testing"
)

// Encodings that a viewer may read.
const (
	Raw  int32 = 0
	ZRLE int32 = 16
)

// Viewer is a VNC viewer, written from RFC 6143: it decodes what a server sends into a
// picture, and sends input. After the first error of reading, all that it reads is zero.
type Viewer struct {
	Name   string
	Screen *image.RGBA
	conn   io.ReadWriter
	in     *bufio.Reader
	packed bytes.Buffer // unread input of stream
	stream io.ReadCloser
	err    error // the first error of reading
}

// View negotiates with a VNC server, and states which encodings the viewer reads.
func View(conn io.ReadWriter, encodings ...int32) (*Viewer, error) {
	c := &Viewer{conn: conn, in: bufio.NewReader(conn)}
	const version = "RFB 003.008\n"
	for _, step := range []struct{ want, answer string }{
		{version, version},
		{"\x01\x01", "\x01"},         // one type of security: none
		{"\x00\x00\x00\x00", "\x01"}, // accepted; the desktop is shared
	} {
		if got := c.take(len(step.want)); string(got) != step.want {
			return nil, fmt.Errorf("the server says %q, wanted %q: %w", got, step.want, c.err)
		}
		if err := c.Send([]byte(step.answer)); err != nil {
			return nil, err
		}
	}
	head, be := c.take(24), binary.BigEndian
	c.Screen = image.NewRGBA(image.Rect(0, 0, int(be.Uint16(head)), int(be.Uint16(head[2:]))))
	if c.Name = string(c.take(int(be.Uint32(head[20:])))); c.err != nil {
		return nil, c.err
	}
	m := be.AppendUint16([]byte{2, 0}, uint16(len(encodings)))
	for _, e := range encodings {
		m = be.AppendUint32(m, uint32(e))
	}
	return c, c.Send(m)
}

func (c *Viewer) Send(b []byte) error {
	_, err := c.conn.Write(b)
	return err
}

func (c *Viewer) Key(sym uint32, down bool) error {
	m := []byte{4, 0, 0, 0}
	if down {
		m[1] = 1
	}
	return c.Send(binary.BigEndian.AppendUint32(m, sym))
}

// Pointer sends the position of the pointer and a bit for each button that is down.
func (c *Viewer) Pointer(mask byte, x, y int) error {
	m := binary.BigEndian.AppendUint16([]byte{5, mask}, uint16(x))
	return c.Send(binary.BigEndian.AppendUint16(m, uint16(y)))
}

// Update requests what has changed, or everything, waits for the update, and returns
// the number of its areas.
func (c *Viewer) Update(everything bool) (areas int, err error) {
	m := []byte{3, 1, 0, 0, 0, 0}
	if everything {
		m[1] = 0
	}
	m = binary.BigEndian.AppendUint16(m, uint16(c.Screen.Rect.Dx()))
	if err := c.Send(binary.BigEndian.AppendUint16(m, uint16(c.Screen.Rect.Dy()))); err != nil {
		return 0, err
	}
	head := c.take(4)
	if c.err != nil || head[0] != 0 {
		return 0, fmt.Errorf("wanted an update, the server sent %v: %w", head, c.err)
	}
	areas = int(binary.BigEndian.Uint16(head[2:]))
	for i := 0; i < areas && c.err == nil; i++ {
		c.area()
	}
	return areas, c.err
}

func (c *Viewer) area() {
	head, be := c.take(12), binary.BigEndian
	x, y := int(be.Uint16(head)), int(be.Uint16(head[2:]))
	r := image.Rect(x, y, x+int(be.Uint16(head[4:])), y+int(be.Uint16(head[6:])))
	if !r.In(c.Screen.Rect) {
		c.fail("the area %v is not on the screen", r)
		return
	}
	switch encoding := int32(be.Uint32(head[8:])); encoding {
	case Raw:
		raw := c.take(4 * r.Dx() * r.Dy())
		for i := 0; i < len(raw); i += 4 {
			c.Screen.SetRGBA(r.Min.X+i/4%r.Dx(), r.Min.Y+i/4/r.Dx(), color.RGBA{raw[i], raw[i+1], raw[i+2], 255})
		}
	case ZRLE:
		c.zrle(r)
	default:
		c.fail("the server sent the encoding %d", encoding)
	}
}

func (c *Viewer) zrle(area image.Rectangle) {
	c.packed.Write(c.take(int(binary.BigEndian.Uint32(c.take(4)))))
	if c.stream == nil && c.err == nil {
		c.stream, c.err = zlib.NewReader(&c.packed)
	}
	for y := area.Min.Y; y < area.Max.Y; y += 64 {
		for x := area.Min.X; x < area.Max.X && c.err == nil; x += 64 {
			if c.tile(image.Rect(x, y, x+64, y+64).Intersect(area)); c.err != nil {
				c.err = fmt.Errorf("the tile at %d,%d: %w", x, y, c.err)
			}
		}
	}
}

// tile reads one tile of ZRLE.
func (c *Viewer) tile(r image.Rectangle) {
	sort := c.byte()
	palette := make([]color.RGBA, sort&127)
	for i := range palette {
		palette[i] = c.colour()
	}
	switch {
	case sort == 0:
		c.fill(r, func() (color.RGBA, int) { return c.colour(), 1 })
	case sort == 1:
		draw.Draw(c.Screen, r, image.NewUniform(palette[0]), image.Point{}, draw.Src)
	case sort <= 16:
		c.packedTile(r, palette)
	case sort < 128:
		c.fail("there is no tile of sort %d", sort)
	case sort == 128:
		c.fill(r, func() (color.RGBA, int) { return c.colour(), c.length() })
	default:
		c.fill(r, func() (color.RGBA, int) {
			at := c.byte()
			if at < 128 {
				return palette[at], 1
			}
			return palette[at-128], c.length()
		})
	}
}

func (c *Viewer) packedTile(r image.Rectangle, palette []color.RGBA) {
	bits := map[bool]int{true: 1, false: 2}[len(palette) == 2]
	if len(palette) > 4 {
		bits = 4
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		var held byte
		for i := range r.Dx() {
			if i*bits%8 == 0 {
				held = c.byte()
			}
			at := held << (i * bits % 8) >> (8 - bits)
			c.Screen.SetRGBA(r.Min.X+i, y, palette[at])
		}
	}
}

// fill paints runs of pixels row by row.
func (c *Viewer) fill(r image.Rectangle, next func() (color.RGBA, int)) {
	for i, all := 0, r.Dx()*r.Dy(); i < all && c.err == nil; {
		p, n := next()
		if i+n > all {
			c.fail("a run of %d goes beyond its tile", n)
			return
		}
		for range n {
			c.Screen.SetRGBA(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx(), p)
			i++
		}
	}
}

func (c *Viewer) length() int {
	for n := 1; ; {
		b := c.byte()
		if n += int(b); b != 255 {
			return n
		}
	}
}

func (c *Viewer) colour() color.RGBA {
	b := c.read(c.stream, 3)
	return color.RGBA{b[0], b[1], b[2], 255}
}

func (c *Viewer) byte() byte { return c.read(c.stream, 1)[0] }

func (c *Viewer) take(n int) []byte { return c.read(c.in, n) }

// read reads n bytes, unless reading has failed before.
func (c *Viewer) read(from io.Reader, n int) []byte {
	b := make([]byte, n)
	if c.err == nil {
		_, c.err = io.ReadFull(from, b)
	}
	return b
}

// fail notes what is wrong with what was read, unless reading has failed before.
func (c *Viewer) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// DecodeUpdate decodes one update of ZRLE onto a black screen.
func DecodeUpdate(t testing.TB, screen image.Rectangle, update []byte) *image.RGBA {
	t.Helper()
	c := &Viewer{Screen: image.NewRGBA(screen), in: bufio.NewReader(bytes.NewReader(update)), conn: discarding{}}
	if _, err := c.Update(true); err != nil {
		t.Fatal(err)
	}
	return c.Screen
}

type discarding struct{}

func (discarding) Read([]byte) (int, error)    { return 0, io.EOF }
func (discarding) Write(b []byte) (int, error) { return len(b), nil }
