//go:build linux

package wayland

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// kwinCamera takes pictures by the interface of KWin, which writes pixels into a pipe.
type kwinCamera struct{ *kwin }

func (c kwinCamera) picture(ctx context.Context, part desktop.Rect, _ []desktop.Monitor) (*image.RGBA, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("a picture of the screen: %w", desktop.ErrUnresponsive))
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	call := c.bus.Object(kwinBus, kwinShotsPath).GoWithContext(ctx, kwinShots+".CaptureArea", 0, make(chan *dbus.Call, 1),
		int32(part.X), int32(part.Y), uint32(part.W), uint32(part.H), map[string]dbus.Variant{}, dbus.UnixFD(w.Fd()))
	var told map[string]dbus.Variant
	select {
	case <-call.Done:
		w.Close()
	case <-ctx.Done():
		w.Close()
		return nil, context.Cause(ctx)
	}
	if err := call.Store(&told); err != nil {
		return nil, kwinShotError(err)
	}
	pixels, err := readPipe(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("reading a picture from KWin: %w", err)
	}
	picture, err := developKWin(told, pixels)
	if err != nil {
		return nil, err
	}
	return fitted(picture, part), nil
}

// kwinShotError says what is missing if KWin gives no picture.
func kwinShotError(err error) error {
	refused, _ := errors.AsType[dbus.Error](err)
	switch refused.Name {
	case kwinShots + ".Error.NoAuthorized":
		return &desktop.MissingError{What: "KWin gives pictures only to programs that are allowed to take them, which this one is not", Mend: kwinSetup}
	case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownMethod":
		return &desktop.MissingError{What: "KWin gives no pictures where it does not draw with OpenGL"}
	}
	return fmt.Errorf("a picture from KWin: %w", err)
}

// developKWin decodes a picture that is described in terms of Qt.
func developKWin(told map[string]dbus.Variant, pixels []byte) (*image.RGBA, error) {
	number := func(name string) int {
		n, _ := told[name].Value().(uint32)
		return int(n)
	}
	p := shot{width: uint32(number("width")), height: uint32(number("height")), stride: uint32(number("stride")), format: xrgb8888}
	const rgb32, argb32, argb32Premultiplied = 4, 5, 6
	switch f := number("format"); f {
	case rgb32, argb32, argb32Premultiplied:
	case 16, 17, 18: // the same by bytes: red comes first
		p.format = xbgr8888
	default:
		return nil, &desktop.MissingError{What: fmt.Sprintf("KWin gives pictures in the format %d of Qt, which is not known here", f)}
	}
	if len(pixels) < number("stride")*number("height") {
		return nil, fmt.Errorf("%w: KWin sent %d bytes of a picture of %dx%d", desktop.ErrUnavailable, len(pixels), p.width, p.height)
	}
	return p.develop(pixels)
}
