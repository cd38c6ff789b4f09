package rfb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"slices"

	"understudy/internal/desktop"
)

// pixelFormat tells which byte of a four-byte pixel holds which colour.
type pixelFormat struct {
	r, g, b int // the index of each colour's byte
	raw     [16]byte
}

// serverFormat is the pixel format that is offered: red, green, blue and an unused
// byte, as in image.RGBA.
var serverFormat = pixelFormat{0, 1, 2, [16]byte{32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16}}

// readFormat decodes the pixel format that a viewer asks for.
func readFormat(raw []byte) (pixelFormat, error) {
	be, f := binary.BigEndian, pixelFormat{}
	copy(f.raw[:], raw)
	places := []*int{&f.r, &f.g, &f.b}
	ok := raw[0] == 32 && raw[3] != 0
	used := 0
	for i, at := range places {
		shift := int(raw[10+i])
		if ok = ok && be.Uint16(raw[4+2*i:]) == 255 && shift%8 == 0 && shift < 32; !ok {
			break
		}
		if *at = shift / 8; raw[2] != 0 {
			*at = 3 - *at
		}
		used |= 1 << *at
	}
	if !ok || used != 0b0111 && used != 0b1110 {
		return serverFormat, fmt.Errorf("the viewer wants pixels as %v, wanted true colour of 32 bits, a byte for each of red, green and blue", raw[:13])
	}
	return f, nil
}

// tile is the side of the squares in which pictures are compared and ZRLE encodes them.
const tile = 64

// changedAreas returns where two pictures differ: the whole area if they cannot be
// compared.
func changedAreas(a, b *image.RGBA) []image.Rectangle {
	if a == nil || a.Rect != b.Rect {
		return []image.Rectangle{b.Rect}
	}
	var areas []image.Rectangle
	for y := b.Rect.Min.Y; y < b.Rect.Max.Y; y += tile {
		var row []image.Rectangle
		for x := b.Rect.Min.X; x < b.Rect.Max.X; x += tile {
			r := image.Rect(x, y, x+tile, y+tile).Intersect(b.Rect)
			switch n := len(row); {
			case same(a, b, r):
			case n > 0 && row[n-1].Max.X == r.Min.X:
				row[n-1].Max.X = r.Max.X
			default:
				row = append(row, r)
			}
		}
		areas = appendRow(areas, row)
	}
	return areas
}

// appendRow adds a row of areas, and extends the area right above where there is one of the
// same width.
func appendRow(areas, row []image.Rectangle) []image.Rectangle {
	for _, r := range row {
		i := slices.IndexFunc(areas, func(o image.Rectangle) bool { return o.Max.Y == r.Min.Y && o.Min.X == r.Min.X && o.Max.X == r.Max.X })
		if i < 0 {
			areas = append(areas, r)
			continue
		}
		areas[i].Max.Y = r.Max.Y
	}
	return areas
}

func same(a, b *image.RGBA, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from, to := a.PixOffset(r.Min.X, y), a.PixOffset(r.Max.X-1, y)+4
		if !bytes.Equal(a.Pix[from:to], b.Pix[from:to]) {
			return false
		}
	}
	return true
}

// update encodes the message that shows areas of a picture.
func (v *viewer) update(p *image.RGBA, areas []image.Rectangle) ([]byte, error) {
	v.mu.Lock()
	format, zrle, resizes := v.format, slices.Contains(v.encodings, encodingZRLE), slices.Contains(v.encodings, desktopSize)
	v.mu.Unlock()
	be := binary.BigEndian
	size := desktop.Size{W: p.Rect.Dx(), H: p.Rect.Dy()}
	n := len(areas)
	var resize []byte
	if size != v.size {
		if !resizes {
			return nil, fmt.Errorf("the screen is %s now, was %s, and the viewer does not support another size", size, v.size)
		}
		v.size = size
		n++
		resize = rectangle(nil, p.Rect, desktopSize)
	}
	m := append([]byte{0, 0}, be.AppendUint16(nil, uint16(n))...)
	m = append(m, resize...)
	for _, r := range areas {
		if !zrle {
			m = format.appendRaw(rectangle(m, r, encodingRaw), p, r)
			continue
		}
		packed, err := v.zrle.encode(format, p, r)
		if err != nil {
			return nil, err
		}
		m = rectangle(m, r, encodingZRLE)
		m = append(be.AppendUint32(m, uint32(len(packed))), packed...)
	}
	return m, nil
}

func rectangle(m []byte, r image.Rectangle, encoding int32) []byte {
	be := binary.BigEndian
	for _, n := range []int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
		m = be.AppendUint16(m, uint16(n))
	}
	return be.AppendUint32(m, uint32(encoding))
}

// appendRaw appends the pixels of an area in the raw encoding.
func (f pixelFormat) appendRaw(m []byte, p *image.RGBA, r image.Rectangle) []byte {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y):]
		for i := range r.Dx() {
			var px [4]byte
			px[f.r], px[f.g], px[f.b] = row[4*i], row[4*i+1], row[4*i+2]
			m = append(m, px[:]...)
		}
	}
	return m
}
