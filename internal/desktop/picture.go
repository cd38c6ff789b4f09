package desktop

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
)

// maxPicturePixels bounds a picture that is decoded. A screen of 8K has as many.
const maxPicturePixels = 32 << 20

// DecodePicture decodes a PNG picture. It reads the size first, and refuses a picture
// that has more pixels than any screen: a small file can hold a huge picture.
func DecodePicture(r io.Reader) (image.Image, error) {
	var head bytes.Buffer
	size, err := png.DecodeConfig(io.TeeReader(r, &head))
	if err != nil {
		return nil, fmt.Errorf("it is not a PNG picture: %w", err)
	}
	if size.Width > maxPicturePixels/max(size.Height, 1) {
		return nil, fmt.Errorf("it has %d by %d pixels, which is larger than any screen", size.Width, size.Height)
	}
	return png.Decode(io.MultiReader(&head, r))
}
