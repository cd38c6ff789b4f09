package movie

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"iter"
	"time"
)

// Write writes scenes as an animated PNG, which repeats for ever. Of each frame only what
// changed is stored.
func Write(out io.Writer, scenes iter.Seq2[Scene, error]) error {
	var a animation
	for f, err := range frames(scenes) {
		if err != nil {
			return err
		}
		if err := a.add(f); err != nil {
			return err
		}
	}
	if len(a.parts) == 0 {
		return ErrEmpty
	}
	return a.write(out)
}

// animation is an animated PNG in the making.
type animation struct {
	parts []part
	head  []byte // the chunk IHDR of the first picture, without length and checksum
	last  *image.RGBA
}

// part is a rectangle that replaces what was there.
type part struct {
	at    image.Rectangle
	data  [][]byte // the contents of the chunks IDAT
	lasts time.Duration
}

// betweenParts is how long a frame of two parts is incomplete. Browsers take less for a
// tenth of a second.
const betweenParts = 20 * time.Millisecond

func (a *animation) add(f frame) error {
	areas := []image.Rectangle{f.Rect}
	if a.last != nil {
		picture := f.Rect
		picture.Max.Y = f.bar.Min.Y
		areas = nil
		for _, area := range []image.Rectangle{picture, f.bar} {
			if changed := changes(a.last, f.RGBA, area); !changed.Empty() {
				areas = append(areas, changed)
			}
		}
	}
	for i, area := range areas {
		lasts := betweenParts
		if i == len(areas)-1 {
			lasts = f.lasts
		}
		if err := a.part(f.SubImage(area), lasts); err != nil {
			return err
		}
	}
	if len(areas) == 0 {
		a.parts[len(a.parts)-1].lasts += f.lasts
	}
	a.last = f.RGBA
	return nil
}

// changes returns the smallest rectangle in an area around what differs.
func changes(a, b *image.RGBA, area image.Rectangle) (r image.Rectangle) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from, to := a.PixOffset(area.Min.X, y), a.PixOffset(area.Max.X, y)
		was, is := a.Pix[from:to], b.Pix[from:to]
		if bytes.Equal(was, is) {
			continue
		}
		first, last := 0, len(is)-1
		for was[first] == is[first] {
			first++
		}
		for was[last] == is[last] {
			last--
		}
		r = r.Union(image.Rect(area.Min.X+first/4, y, area.Min.X+last/4+1, y+1))
	}
	return r
}

const (
	signature   = "\x89PNG\r\n\x1a\n"
	chunkAround = 12 // length, type and checksum of a chunk
)

func (a *animation) part(m image.Image, lasts time.Duration) error {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, m); err != nil {
		return err
	}
	p := part{at: m.Bounds(), lasts: lasts}
	for raw := b.Bytes()[len(signature):]; len(raw) >= chunkAround; {
		n := int(binary.BigEndian.Uint32(raw))
		switch content := raw[8 : 8+n]; string(raw[4:8]) {
		case "IHDR":
			if a.head == nil {
				a.head = content
			}
		case "IDAT":
			p.data = append(p.data, content)
		}
		raw = raw[chunkAround+n:]
	}
	a.parts = append(a.parts, p)
	return nil
}

func (a *animation) write(out io.Writer) error {
	w := chunks{out: out}
	w.raw([]byte(signature))
	w.chunk("IHDR", a.head)
	w.chunk("acTL", numbers(uint32(len(a.parts)), 0)) // 0: for ever
	for i, p := range a.parts {
		ms := uint16(min(p.lasts.Milliseconds(), 65_535))
		control := numbers(w.next(), uint32(p.at.Dx()), uint32(p.at.Dy()), uint32(p.at.Min.X), uint32(p.at.Min.Y))
		control = binary.BigEndian.AppendUint16(control, ms)
		control = binary.BigEndian.AppendUint16(control, 1000)
		w.chunk("fcTL", append(control, 0, 0)) // keep the picture, and replace the rectangle
		for _, d := range p.data {
			if i == 0 {
				w.chunk("IDAT", d)
			} else {
				w.chunk("fdAT", append(numbers(w.next()), d...))
			}
		}
	}
	w.chunk("IEND", nil)
	return w.err
}

func numbers(all ...uint32) (raw []byte) {
	for _, n := range all {
		raw = binary.BigEndian.AppendUint32(raw, n)
	}
	return raw
}

// chunks writes the chunks of a PNG until an error.
type chunks struct {
	out io.Writer
	seq uint32 // of the next chunk of the animation
	err error
}

func (c *chunks) next() uint32 {
	c.seq++
	return c.seq - 1
}

func (c *chunks) raw(b []byte) {
	if c.err == nil {
		_, c.err = c.out.Write(b)
	}
}

func (c *chunks) chunk(kind string, content []byte) {
	body := append([]byte(kind), content...)
	c.raw(numbers(uint32(len(content))))
	c.raw(body)
	c.raw(numbers(crc32.ChecksumIEEE(body)))
}
