package rfb

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"math/bits"
)

// zrle encodes areas as ZRLE (RFC 6143, 7.7.6): tiles of 64 pixels, each in its
// shortest form, in one zlib stream for the whole connection.
type zrle struct {
	packed bytes.Buffer
	stream *zlib.Writer
	plain  []byte
	runs   []run
	// The palette of a tile, and a hash table of its colours. Slots of earlier rounds
	// are free.
	palette []uint32
	slots   [512]slot
	round   uint32
}

// run is a sequence of pixels of one colour, with the index of the colour in the
// palette.
type run struct {
	colour uint32
	at     uint8
	length int
}

type slot struct {
	round, colour uint32
	at            uint8
}

// longestPalette is the largest palette of the format, and longestPacked the largest of
// which several indices fit into a byte.
const (
	longestPalette = 127
	longestPacked  = 16
)

// encode encodes an area of a picture.
func (z *zrle) encode(f pixelFormat, p *image.RGBA, area image.Rectangle) ([]byte, error) {
	if z.stream == nil {
		var err error
		if z.stream, err = zlib.NewWriterLevel(&z.packed, zlib.BestSpeed); err != nil {
			return nil, err
		}
	}
	z.packed.Reset()
	z.plain = z.plain[:0]
	for y := area.Min.Y; y < area.Max.Y; y += tile {
		for x := area.Min.X; x < area.Max.X; x += tile {
			z.tile(f, p, image.Rect(x, y, x+tile, y+tile).Intersect(area))
		}
	}
	if _, err := z.stream.Write(z.plain); err != nil {
		return nil, err
	}
	err := z.stream.Flush()
	return z.packed.Bytes(), err
}

// tile encodes one tile in its shortest form.
func (z *zrle) tile(f pixelFormat, p *image.RGBA, r image.Rectangle) {
	short := z.analyze(p, r)
	n := len(z.palette)
	if n == 1 && short {
		z.plain = f.appendColour(append(z.plain, 1), z.palette[0])
		return
	}
	raw := 3 * r.Dx() * r.Dy()
	lengths, indexedLengths := 0, 0 // bytes of the lengths: of all runs, and of those longer than one pixel
	for _, x := range z.runs {
		lengths += 1 + (x.length-1)/255
		if x.length > 1 {
			indexedLengths += 1 + (x.length-1)/255
		}
	}
	packed, indexed := raw, raw
	if short {
		indexed = 3*n + len(z.runs) + indexedLengths
		if n <= longestPacked {
			packed = 3*n + (r.Dx()*bitsFor(n)+7)/8*r.Dy()
		}
	}
	switch least := min(raw, packed, indexed, 3*len(z.runs)+lengths); least {
	case raw:
		z.addRaw(f, p, r)
	case packed:
		z.addPacked(f, r)
	case indexed:
		z.addIndexed(f)
	default:
		z.plain = append(z.plain, 128)
		for _, x := range z.runs {
			z.plain = appendLength(f.appendColour(z.plain, x.colour), x.length)
		}
	}
}

// analyze finds the runs of a tile, and its palette if that is short enough.
func (z *zrle) analyze(p *image.RGBA, r image.Rectangle) (short bool) {
	z.runs, z.palette = z.runs[:0], z.palette[:0]
	z.round++
	short = true
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y):]
		row = row[:4*r.Dx()]
		for i := 0; i < len(row); i += 4 {
			c := binary.LittleEndian.Uint32(row[i:]) & 0xffffff
			if n := len(z.runs); n > 0 && z.runs[n-1].colour == c {
				z.runs[n-1].length++
				continue
			}
			at := uint8(0)
			if short {
				at, short = z.paletteIndex(c)
			}
			z.runs = append(z.runs, run{c, at, 1})
		}
	}
	return short
}

// paletteIndex returns the index of a colour in the palette, and adds the colour if it
// fits.
func (z *zrle) paletteIndex(c uint32) (at uint8, fits bool) {
	for i := c * 2654435761 >> 23; ; i = (i + 1) % uint32(len(z.slots)) {
		switch s := &z.slots[i]; {
		case s.round != z.round:
			if len(z.palette) == longestPalette {
				return 0, false
			}
			*s = slot{z.round, c, uint8(len(z.palette))}
			z.palette = append(z.palette, c)
			return s.at, true
		case s.colour == c:
			return s.at, true
		}
	}
}

// bitsFor returns the number of bits per pixel for a palette of n colours.
func bitsFor(n int) int { return []int{1, 1, 2, 4, 4}[bits.Len(uint(n-1))] }

func (z *zrle) addPalette(f pixelFormat, sort int) {
	z.plain = append(z.plain, byte(sort+len(z.palette)))
	for _, c := range z.palette {
		z.plain = f.appendColour(z.plain, c)
	}
}

// addPacked adds the palette and, row by row, the indices of the pixels.
func (z *zrle) addPacked(f pixelFormat, r image.Rectangle) {
	z.addPalette(f, 0)
	width, x := bitsFor(len(z.palette)), 0
	var held byte
	full := 0 // used bits of held
	for _, run := range z.runs {
		for range run.length {
			held |= run.at << (8 - full - width)
			full += width
			if x++; x == r.Dx() || full == 8 {
				z.plain = append(z.plain, held)
				held, full = 0, 0
			}
			x %= r.Dx()
		}
	}
}

// addIndexed adds the palette and the runs.
func (z *zrle) addIndexed(f pixelFormat) {
	z.addPalette(f, 128)
	for _, x := range z.runs {
		if x.length == 1 {
			z.plain = append(z.plain, x.at)
			continue
		}
		z.plain = appendLength(append(z.plain, x.at|0x80), x.length)
	}
}

func (z *zrle) addRaw(f pixelFormat, p *image.RGBA, r image.Rectangle) {
	z.plain = append(z.plain, 0)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y):]
		for i := 0; i < 4*r.Dx(); i += 4 {
			z.plain = f.appendColour(z.plain, binary.LittleEndian.Uint32(row[i:]))
		}
	}
}

func appendLength(to []byte, n int) []byte {
	for n--; n >= 255; n -= 255 {
		to = append(to, 255)
	}
	return append(to, byte(n))
}

// appendColour appends a colour without the unused byte of its pixel.
func (f pixelFormat) appendColour(to []byte, c uint32) []byte {
	if f.r == 0 && f.g == 1 && f.b == 2 {
		return append(to, byte(c), byte(c>>8), byte(c>>16))
	}
	var px [4]byte
	px[f.r], px[f.g], px[f.b] = byte(c), byte(c>>8), byte(c>>16)
	if f.r == 3 || f.g == 3 || f.b == 3 { // the first byte is the unused one
		return append(to, px[1:]...)
	}
	return append(to, px[:3]...)
}
