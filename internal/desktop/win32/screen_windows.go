package win32

import (
	"context"
	"fmt"
	"image"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

// virtualScreen is the area of all monitors together.
func virtualScreen() desktop.Rect {
	const left, top, width, height = 76, 77, 78, 79
	metric := func(n uintptr) int { return int(int32(user("GetSystemMetrics", n))) }
	return desktop.Rect{X: metric(left), Y: metric(top), W: metric(width), H: metric(height)}
}

// monitorInfo is MONITORINFOEXW.
type monitorInfo struct {
	size       uint32
	monitor, _ rect
	flags      uint32
	name       [32]uint16
}

var gatherMonitors = syscall.NewCallback(func(handle, _, _ uintptr, into *[]uintptr) uintptr {
	*into = append(*into, handle)
	return 1
})

func (d *Driver) Monitors(ctx context.Context) (list []desktop.Monitor, err error) {
	const standardDPI = 96
	var handles []uintptr
	user("EnumDisplayMonitors", 0, 0, gatherMonitors, at(&handles))
	for _, h := range handles {
		info := monitorInfo{}
		info.size = uint32(unsafe.Sizeof(info))
		if user("GetMonitorInfoW", h, at(&info)) == 0 {
			continue // it was unplugged just now
		}
		x, y := uint32(standardDPI), uint32(standardDPI)
		call(shcore, "GetDpiForMonitor", h, 0, at(&x), at(&y))
		list = append(list, desktop.Monitor{Name: windows.UTF16ToString(info.name[:]), Bounds: info.monitor.bounds(), Primary: info.flags&1 != 0, Scale: float64(x) / standardDPI})
	}
	return list, context.Cause(ctx)
}

// bitmapInfo is BITMAPINFOHEADER.
type bitmapInfo struct {
	size          uint32
	width, height int32
	planes, bits  uint16
	_             [6]uint32
}

// Capture returns a picture of an area, clipped to the screen. The zero Rect is the whole
// screen.
func (d *Driver) Capture(ctx context.Context, area desktop.Rect) (img *image.RGBA, err error) {
	part, err := virtualScreen().Clip(area)
	if err != nil {
		return nil, err
	}
	err = d.inputMu.Do(ctx, func() error {
		locked(func() { img, err = copyScreen(part) })
		return err
	})
	return img, err
}

// copyScreen copies the pixels of an area of the screen.
func copyScreen(r desktop.Rect) (*image.RGBA, error) {
	const copyWithLayers = 0x00cc_0020 | 0x4000_0000 // SRCCOPY | CAPTUREBLT
	screen := user("GetDC", 0)
	defer user("ReleaseDC", 0, screen)
	memory := call(gdi32, "CreateCompatibleDC", screen)
	defer call(gdi32, "DeleteDC", memory)
	bitmap, pixels := newBitmap(screen, r.W, r.H)
	if bitmap == 0 {
		return nil, fmt.Errorf("a picture of %s: Windows has no memory for it: %w", r, desktop.ErrUnavailable)
	}
	defer call(gdi32, "DeleteObject", bitmap)
	call(gdi32, "SelectObject", memory, bitmap)
	if call(gdi32, "BitBlt", memory, 0, 0, uintptr(r.W), uintptr(r.H), screen, uintptr(r.X), uintptr(r.Y), copyWithLayers) == 0 {
		return nil, &desktop.MissingError{What: "the screen cannot be read: it is locked, or shows the question of the system for permission"}
	}
	call(gdi32, "GdiFlush")
	return fromBGR(pixels, r.W, r.H), nil
}

// newBitmap makes a bitmap, and returns its pixels of blue, green and red from the top; 0 if
// there is no memory.
func newBitmap(dc uintptr, w, h int) (bitmap uintptr, pixels []byte) {
	info := bitmapInfo{width: int32(w), height: -int32(h), planes: 1, bits: 32}
	info.size = uint32(unsafe.Sizeof(info))
	var first *byte
	bitmap = call(gdi32, "CreateDIBSection", dc, at(&info), 0, at(&first), 0, 0)
	if first == nil {
		return 0, nil
	}
	return bitmap, unsafe.Slice(first, w*h*4)
}

// fromBGR returns a picture of pixels of blue, green and red.
func fromBGR(from []byte, w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(from); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = from[i+2], from[i+1], from[i], 0xff
	}
	return img
}

// Snap captures the whole screen.
func (d *Driver) Snap(ctx context.Context) (func() *image.RGBA, error) {
	p, err := d.Capture(ctx, desktop.Rect{})
	return func() *image.RGBA { return p }, err
}

// LastDrawn returns the current time: Windows does not tell.
func (d *Driver) LastDrawn(context.Context, desktop.WindowID, desktop.Rect) (time.Time, error) {
	return time.Now(), nil
}
