// Package rfbtest is a viewer of VNC for tests: it decodes what a server sends into
// a picture, and sends input. It is written from RFC 6143 and shares nothing with
// the server that it tests.
package rfbtest

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

// Client is one viewer.
type Client struct {
	Name   string
	Screen *image.RGBA
	conn   io.ReadWriter
	in     *bufio.Reader
	packed bytes.Buffer // of the one stream of ZRLE
	stream io.ReadCloser
}

// Dial greets a server, and says which encodings are read.
func Dial(conn io.ReadWriter, encodings ...int32) (*Client, error) {
	c := &Client{conn: conn, in: bufio.NewReader(conn)}
	if version, err := c.take(12); err != nil || string(version) != "RFB 003.008\n" {
		return nil, fmt.Errorf("the server speaks %q: %w", version, err)
	}
	if err := c.Send([]byte("RFB 003.008\n")); err != nil {
		return nil, err
	}
	if sorts, err := c.take(2); err != nil || sorts[1] != 1 {
		return nil, fmt.Errorf("the server offers the security %v: %w", sorts, err)
	}
	if err := c.Send([]byte{1}); err != nil {
		return nil, err
	}
	if result, err := c.number32(); err != nil || result != 0 {
		return nil, fmt.Errorf("the server refuses with %d: %w", result, err)
	}
	if err := c.Send([]byte{1}); err != nil {
		return nil, err
	}
	head, err := c.take(24)
	if err != nil {
		return nil, err
	}
	be := binary.BigEndian
	c.Screen = image.NewRGBA(image.Rect(0, 0, int(be.Uint16(head)), int(be.Uint16(head[2:]))))
	name, err := c.take(int(be.Uint32(head[20:])))
	if err != nil {
		return nil, err
	}
	c.Name = string(name)
	m := be.AppendUint16([]byte{2, 0}, uint16(len(encodings)))
	for _, e := range encodings {
		m = be.AppendUint32(m, uint32(e))
	}
	return c, c.Send(m)
}

func (c *Client) Send(b []byte) error {
	_, err := c.conn.Write(b)
	return err
}

func (c *Client) Key(sym uint32, down bool) error {
	m := []byte{4, 0, 0, 0}
	if down {
		m[1] = 1
	}
	return c.Send(binary.BigEndian.AppendUint32(m, sym))
}

// Pointer says where the pointer is and which buttons are down.
func (c *Client) Pointer(mask byte, x, y int) error {
	m := binary.BigEndian.AppendUint16([]byte{5, mask}, uint16(x))
	return c.Send(binary.BigEndian.AppendUint16(m, uint16(y)))
}

// Update asks for what is new, or for everything, waits for it, and says how many
// areas it had.
func (c *Client) Update(everything bool) (areas int, err error) {
	m := []byte{3, 1, 0, 0, 0, 0}
	if everything {
		m[1] = 0
	}
	m = binary.BigEndian.AppendUint16(m, uint16(c.Screen.Rect.Dx()))
	if err := c.Send(binary.BigEndian.AppendUint16(m, uint16(c.Screen.Rect.Dy()))); err != nil {
		return 0, err
	}
	head, err := c.take(4)
	if err != nil || head[0] != 0 {
		return 0, fmt.Errorf("wanted an update, the server sent %v: %w", head, err)
	}
	areas = int(binary.BigEndian.Uint16(head[2:]))
	for range areas {
		if err := c.area(); err != nil {
			return areas, err
		}
	}
	return areas, nil
}

func (c *Client) area() error {
	head, err := c.take(12)
	if err != nil {
		return err
	}
	be := binary.BigEndian
	x, y := int(be.Uint16(head)), int(be.Uint16(head[2:]))
	r := image.Rect(x, y, x+int(be.Uint16(head[4:])), y+int(be.Uint16(head[6:])))
	if !r.In(c.Screen.Rect) {
		return fmt.Errorf("the area %v is not on the screen", r)
	}
	switch encoding := int32(be.Uint32(head[8:])); encoding {
	case Raw:
		raw, err := c.take(4 * r.Dx() * r.Dy())
		for i := 0; err == nil && i < len(raw); i += 4 {
			c.Screen.SetRGBA(r.Min.X+i/4%r.Dx(), r.Min.Y+i/4/r.Dx(), color.RGBA{raw[i], raw[i+1], raw[i+2], 255})
		}
		return err
	case ZRLE:
		return c.zrle(r)
	default:
		return fmt.Errorf("the server sent the encoding %d", encoding)
	}
}

func (c *Client) zrle(area image.Rectangle) error {
	n, err := c.number32()
	if err != nil {
		return err
	}
	packed, err := c.take(int(n))
	if err != nil {
		return err
	}
	c.packed.Write(packed)
	if c.stream == nil {
		if c.stream, err = zlib.NewReader(&c.packed); err != nil {
			return err
		}
	}
	for y := area.Min.Y; y < area.Max.Y; y += 64 {
		for x := area.Min.X; x < area.Max.X; x += 64 {
			if err := c.tile(image.Rect(x, y, x+64, y+64).Intersect(area)); err != nil {
				return fmt.Errorf("the tile at %d,%d: %w", x, y, err)
			}
		}
	}
	return nil
}

// tile reads one tile of ZRLE.
func (c *Client) tile(r image.Rectangle) error {
	sort, err := c.byte()
	if err != nil {
		return err
	}
	var palette []color.RGBA
	for range int(sort) & 127 {
		p, err := c.colour()
		if err != nil {
			return err
		}
		palette = append(palette, p)
	}
	switch {
	case sort == 0:
		return c.fill(r, func() (color.RGBA, int, error) { p, err := c.colour(); return p, 1, err })
	case sort == 1:
		draw.Draw(c.Screen, r, image.NewUniform(palette[0]), image.Point{}, draw.Src)
		return nil
	case sort <= 16:
		return c.packedTile(r, palette)
	case sort < 128:
		return fmt.Errorf("there is no tile of sort %d", sort)
	case sort == 128:
		return c.fill(r, func() (color.RGBA, int, error) {
			p, err := c.colour()
			if err != nil {
				return p, 0, err
			}
			n, err := c.length()
			return p, n, err
		})
	}
	return c.fill(r, func() (color.RGBA, int, error) {
		at, err := c.byte()
		if err != nil || at < 128 {
			return palette[at], 1, err
		}
		n, err := c.length()
		return palette[at-128], n, err
	})
}

func (c *Client) packedTile(r image.Rectangle, palette []color.RGBA) error {
	bits := map[bool]int{true: 1, false: 2}[len(palette) == 2]
	if len(palette) > 4 {
		bits = 4
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		var held byte
		for i := range r.Dx() {
			if i*bits%8 == 0 {
				var err error
				if held, err = c.byte(); err != nil {
					return err
				}
			}
			at := held << (i * bits % 8) >> (8 - bits)
			c.Screen.SetRGBA(r.Min.X+i, y, palette[at])
		}
	}
	return nil
}

// fill paints runs one after the other, row by row.
func (c *Client) fill(r image.Rectangle, next func() (color.RGBA, int, error)) error {
	for i := 0; i < r.Dx()*r.Dy(); {
		p, n, err := next()
		if err != nil {
			return err
		}
		if i+n > r.Dx()*r.Dy() {
			return fmt.Errorf("a run of %d goes beyond its tile", n)
		}
		for range n {
			c.Screen.SetRGBA(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx(), p)
			i++
		}
	}
	return nil
}

func (c *Client) length() (int, error) {
	for n := 1; ; {
		b, err := c.byte()
		if n += int(b); err != nil || b != 255 {
			return n, err
		}
	}
}

func (c *Client) colour() (color.RGBA, error) {
	var b [3]byte
	_, err := io.ReadFull(c.stream, b[:])
	return color.RGBA{b[0], b[1], b[2], 255}, err
}

func (c *Client) byte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(c.stream, b[:])
	return b[0], err
}

func (c *Client) number32() (uint32, error) {
	b, err := c.take(4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

func (c *Client) take(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(c.in, b)
	return b, err
}

// Decode is the picture that one update of ZRLE makes on a screen that shows nothing.
func Decode(t testing.TB, screen image.Rectangle, update []byte) *image.RGBA {
	t.Helper()
	c := &Client{Screen: image.NewRGBA(screen), in: bufio.NewReader(bytes.NewReader(update)), conn: discarding{}}
	if _, err := c.Update(true); err != nil {
		t.Fatal(err)
	}
	return c.Screen
}

type discarding struct{}

func (discarding) Read([]byte) (int, error)    { return 0, io.EOF }
func (discarding) Write(b []byte) (int, error) { return len(b), nil }
