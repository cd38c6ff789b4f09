package desktop

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// pngOf returns a PNG picture whose header says that it has another size.
func pngOf(t *testing.T, p image.Image, width, height uint32) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	raw := b.Bytes() // 8 bytes of signature, 4 of length, then the chunk IHDR
	binary.BigEndian.PutUint32(raw[16:], width)
	binary.BigEndian.PutUint32(raw[20:], height)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

func TestDecodePicture(t *testing.T) {
	plain := image.NewRGBA(image.Rect(0, 0, 3, 2))
	palette := image.NewPaletted(plain.Rect, color.Palette{color.Black, color.Transparent})
	for _, c := range []struct {
		say  string
		raw  []byte
		want string // in the error
	}{
		{"a picture", pngOf(t, plain, 3, 2), ""},
		{"a picture with a palette", pngOf(t, palette, 3, 2), ""},
		{"900 million pixels", pngOf(t, plain, 30000, 30000), "30000 by 30000 pixels, which is larger than any screen"},
		{"900 million pixels with a palette", pngOf(t, palette, 30000, 30000), "larger than any screen"},
		{"one line that is too long", pngOf(t, plain, 1<<31-1, 1), "larger than any screen"},
		{"both sides as long as can be", pngOf(t, plain, 1<<31-1, 1<<31-1), ""},
		{"no picture", []byte("no picture"), "not a PNG picture"},
		{"nothing", nil, "not a PNG picture"},
		{"a picture that is cut", pngOf(t, plain, 3, 2)[:40], "unexpected EOF"},
	} {
		t.Run(c.say, func(t *testing.T) {
			p, err := DecodePicture(bytes.NewReader(c.raw))
			switch {
			case strings.HasPrefix(c.say, "a picture") && c.want == "":
				if err != nil || p.Bounds() != plain.Rect {
					t.Errorf("%v, %v", p, err)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("the error is %v, wanted %q", err, c.want)
			}
		})
	}
}
