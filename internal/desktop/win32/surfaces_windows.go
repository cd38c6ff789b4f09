package win32

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/winapi"
)

// surfaceClass is the class of the windows of ours, which are in no list of windows.
const surfaceClass = "UnderstudySurface"

// Styles of surfaces: above all windows, without a button in the task bar, and never active.
const (
	surfaceStyle     = 0x8000_0000                         // WS_POPUP
	surfaceExtended  = 0x8 | 0x80 | 0x0800_0000 | 0x8_0000 // TOPMOST, TOOLWINDOW, NOACTIVATE, LAYERED
	surfaceThrough   = 0x20                                // WS_EX_TRANSPARENT: clicks reach what is below
	messageJob       = 0x8000                              // WM_APP
	showWithoutFocus = 4                                   // SW_SHOWNOACTIVATE
	opaquePicture    = 4                                   // ULW_OPAQUE
	unionOfRegions   = 2                                   // RGN_OR
)

// surfaces are the pictures that we show above all windows. They are windows of one thread,
// which handles their messages.
type surfaces struct {
	mu     sync.Mutex // one job at a time; guards the rest
	thread uint32     // 0: none yet
	jobs   chan func()
	ended  chan struct{}
	panel  uintptr // 0: none shows
}

var errNoSurface = errors.New("Windows made no window for a picture")

// run runs a function on the thread of the surfaces. The caller holds s.mu.
func (s *surfaces) run(f func() error) (err error) {
	if s.thread == 0 {
		started := make(chan uint32)
		s.jobs, s.ended = make(chan func(), 1), make(chan struct{})
		go s.serve(started)
		s.thread = <-started
	}
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		err = f()
	}
	user("PostThreadMessageW", uintptr(s.thread), messageJob, 0, 0)
	<-done
	return err
}

// serve handles the messages of the surfaces until the thread is told to end.
func (s *surfaces) serve(started chan<- uint32) {
	defer close(s.ended)
	runtime.LockOSThread() // without an end: the thread ends, and its windows with it
	m := message{}
	user("PeekMessageW", at(&m), 0, 0, 0, 0) // makes the queue of messages
	class := surfaceWindowClass{procedure: surfaceProcedure, className: winapi.Wide(surfaceClass)}
	class.size = uint32(unsafe.Sizeof(class))
	user("RegisterClassExW", at(&class))
	started <- windows.GetCurrentThreadId()
	for int32(user("GetMessageW", at(&m), 0, 0, 0)) > 0 {
		if m.window == 0 && m.what == messageJob {
			(<-s.jobs)()
			continue
		}
		user("DispatchMessageW", at(&m))
	}
}

// surfaceProcedure handles the messages of a surface, which a click does not make active.
var surfaceProcedure = syscall.NewCallback(func(h uintptr, m uint32, wParam, lParam uintptr) uintptr {
	const mouseActivate, noActivate = 0x21, 3
	if m == mouseActivate {
		return noActivate
	}
	return user("DefWindowProcW", h, m, wParam, lParam)
})

// surfaceWindowClass is WNDCLASSEXW.
type surfaceWindowClass struct {
	size, _    uint32
	procedure  uintptr
	_          [2]int32
	_, _, _, _ uintptr
	_          uintptr
	className  unsafe.Pointer
	_          uintptr
}

// close ends the thread, and with it all surfaces.
func (s *surfaces) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.thread == 0 {
		return
	}
	user("PostThreadMessageW", uintptr(s.thread), messageQuit, 0, 0)
	<-s.ended
	s.thread, s.panel = 0, 0
}

// showPanel shows a panel, or removes it.
func (s *surfaces) showPanel(a desktop.Panel) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run(func() (err error) {
		user("DestroyWindow", s.panel)
		if s.panel = 0; a.Picture != nil {
			s.panel, err = newSurface(a.Picture, a.At.X, a.At.Y, 0, nil)
		}
		return err
	})
}

// showMark shows a frame, through which clicks go.
func (s *surfaces) showMark(f input.Frame) (remove func(context.Context) error, err error) {
	picture := image.NewRGBA(image.Rectangle{Max: f.Around.Size()})
	draw.Draw(picture, picture.Rect, image.NewUniform(input.MarkColour), image.Point{}, draw.Src)
	var parts []image.Rectangle
	for _, p := range f.Parts {
		parts = append(parts, p.Sub(f.Around.Min))
	}
	if f.Label != nil {
		draw.Draw(picture, parts[len(parts)-1], f.Label, image.Point{}, draw.Src)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var h uintptr
	err = s.run(func() (err error) {
		h, err = newSurface(picture, f.Around.Min.X, f.Around.Min.Y, surfaceThrough, parts)
		return err
	})
	return func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.thread == 0 {
			return nil // the window is gone with it
		}
		return s.run(func() error {
			user("DestroyWindow", h)
			return nil
		})
	}, err
}

// newSurface shows a picture, or the parts of it that are named.
func newSurface(picture *image.RGBA, x, y int, more uintptr, parts []image.Rectangle) (h uintptr, err error) {
	size := picture.Rect.Size()
	h = user("CreateWindowExW", surfaceExtended|more, winapi.Wide(surfaceClass), 0, uintptr(surfaceStyle), uintptr(x), uintptr(y), uintptr(size.X), uintptr(size.Y), 0, 0, 0, 0)
	if h == 0 {
		return 0, fmt.Errorf("%w: %w", errNoSurface, desktop.ErrUnavailable)
	}
	if parts != nil {
		user("SetWindowRgn", h, regionOf(parts), 0) // which then belongs to the window
	}
	if !paint(h, picture, x, y) {
		user("DestroyWindow", h)
		return 0, fmt.Errorf("%w: %w", errNoSurface, desktop.ErrUnavailable)
	}
	user("ShowWindow", h, showWithoutFocus)
	return h, nil
}

// regionOf returns the union of areas.
func regionOf(parts []image.Rectangle) uintptr {
	all := call(gdi32, "CreateRectRgn", 0, 0, 0, 0)
	for _, p := range parts {
		one := call(gdi32, "CreateRectRgn", uintptr(p.Min.X), uintptr(p.Min.Y), uintptr(p.Max.X), uintptr(p.Max.Y))
		call(gdi32, "CombineRgn", all, all, one, unionOfRegions)
		call(gdi32, "DeleteObject", one)
	}
	return all
}

// paint gives a window its picture, which the system keeps.
func paint(h uintptr, picture *image.RGBA, x, y int) bool {
	size := picture.Rect.Size()
	memory := call(gdi32, "CreateCompatibleDC", 0)
	defer call(gdi32, "DeleteDC", memory)
	bitmap, pixels := newBitmap(memory, size.X, size.Y)
	if bitmap == 0 {
		return false
	}
	defer call(gdi32, "DeleteObject", bitmap)
	for row := range size.Y {
		from := picture.Pix[row*picture.Stride:][:4*size.X]
		to := pixels[row*4*size.X:]
		for i := 0; i < len(from); i += 4 {
			to[i], to[i+1], to[i+2], to[i+3] = from[i+2], from[i+1], from[i], 0xff
		}
	}
	before := call(gdi32, "SelectObject", memory, bitmap)
	defer call(gdi32, "SelectObject", memory, before)
	place, origin, extent := [2]int32{int32(x), int32(y)}, [2]int32{}, [2]int32{int32(size.X), int32(size.Y)}
	return user("UpdateLayeredWindow", h, 0, at(&place), at(&extent), memory, at(&origin), 0, 0, opaquePicture) != 0
}
