// Package film writes pictures of a screen as PNG files. Most of a screen does not change
// from one picture to the next, so only the strips that changed are compressed.
package film

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"slices"
)

// A Film is a sequence of pictures. The zero value is empty.
type Film struct {
	last   *image.RGBA
	strips []strip
	writer *flate.Writer
	rows   []byte
	out    bytes.Buffer
}

// A strip is some rows of a picture, compressed independently.
type strip struct {
	chunk []byte // of the file
	sum   uint32 // of the uncompressed rows
	size  int    // of the uncompressed rows
}

// stripRows is how many rows are compressed together: few enough that a small change is
// cheap, and enough that they compress well.
const stripRows = 24

const (
	signature = "\x89PNG\r\n\x1a\n"
	// begins is the header of a zlib stream, and ends an empty final block.
	begins = "\x78\x01"
	ends   = "\x01\x00\x00\xff\xff"
)

// Add returns the file of the next picture, and keeps the picture to compare the next one
// with, so it must not be changed any more. The file is opaque, as screens are. It depends
// on the picture alone, not on those before.
func (f *Film) Add(p *image.RGBA) []byte {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if f.last == nil || f.last.Rect.Size() != p.Rect.Size() {
		f.last, f.strips = nil, make([]strip, (h+stripRows-1)/stripRows)
	}
	sum, size := uint32(1), 0
	for i := range f.strips {
		if from, to := i*stripRows, min((i+1)*stripRows, h); f.last == nil || !sameRows(f.last, p, from, to) {
			f.strips[i] = f.strip(p, from, to)
		}
		sum, size = joined(sum, f.strips[i].sum, f.strips[i].size), size+len(f.strips[i].chunk)
	}
	f.last = p
	file := make([]byte, 0, size+len(signature)+128)
	file = append(file, signature...)
	file = chunk(file, "IHDR", header(w, h))
	file = chunk(file, "IDAT", []byte(begins))
	for _, s := range f.strips {
		file = append(file, s.chunk...)
	}
	file = chunk(file, "IDAT", binary.BigEndian.AppendUint32([]byte(ends), sum))
	return chunk(file, "IEND", nil)
}

// header returns the header of a picture with three times eight bits per pixel.
func header(w, h int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(w))
	b = binary.BigEndian.AppendUint32(b, uint32(h))
	return append(b, 8, 2, 0, 0, 0)
}

// chunk appends a chunk to a file.
func chunk(file []byte, name string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	begin := len(file)
	file = append(append(file, name...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[begin:]))
}

func sameRows(a, b *image.RGBA, from, to int) bool {
	for y := from; y < to; y++ {
		if !bytes.Equal(row(a, y), row(b, y)) {
			return false
		}
	}
	return true
}

func row(p *image.RGBA, y int) []byte {
	from := y * p.Stride
	return p.Pix[from : from+4*p.Rect.Dx()]
}

// strip compresses rows of a picture.
func (f *Film) strip(p *image.RGBA, from, to int) strip {
	f.rows = f.rows[:0]
	for y := from; y < to; y++ {
		if y == from {
			f.rows = besideLeft(f.rows, row(p, y))
		} else {
			f.rows = belowUpper(f.rows, row(p, y-1), row(p, y))
		}
	}
	f.out.Reset()
	if f.writer == nil {
		f.writer, _ = flate.NewWriter(&f.out, flate.BestSpeed) // fails only for a level that does not exist
	} else {
		f.writer.Reset(&f.out)
	}
	_, _ = f.writer.Write(f.rows) // memory does not fail
	_ = f.writer.Flush()
	return strip{chunk: chunk(nil, "IDAT", f.out.Bytes()), sum: adler32.Checksum(f.rows), size: len(f.rows)}
}

// The filters of rows: the byte to the left is subtracted from each byte, or the one above.
const (
	ofLeft  = 1
	ofUpper = 2
)

// besideLeft appends a row that is independent of others.
func besideLeft(rows, pixels []byte) []byte {
	rows = append(rows, ofLeft)
	var left [3]byte
	for i := 0; i+3 < len(pixels); i += 4 {
		p := pixels[i : i+3 : i+3]
		rows = append(rows, p[0]-left[0], p[1]-left[1], p[2]-left[2])
		left = [3]byte(p)
	}
	return rows
}

// belowUpper appends a row that depends on the one above.
func belowUpper(rows, upper, pixels []byte) []byte {
	rows = append(rows, ofUpper)
	begin := len(rows)
	rows = slices.Grow(rows, len(pixels)/4*3)[:begin+len(pixels)/4*3]
	to := rows[begin:]
	for len(pixels) >= 4 && len(upper) >= 4 && len(to) >= 3 {
		to[0], to[1], to[2] = pixels[0]-upper[0], pixels[1]-upper[1], pixels[2]-upper[2]
		pixels, upper, to = pixels[4:], upper[4:], to[3:]
	}
	return rows
}

// joined returns the Adler-32 checksum of two concatenated parts, from their checksums and
// the size of the second.
func joined(first, second uint32, size int) uint32 {
	const mod = 65521
	a1, b1 := first&0xffff, first>>16
	a2, b2 := second&0xffff, second>>16
	n := uint32(size % mod)
	a := (a1 + a2 + mod - 1) % mod
	b := (uint32(uint64(n)*uint64(a1+mod-1)%mod) + b1 + b2) % mod
	return b<<16 | a
}
