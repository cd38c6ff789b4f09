package win32

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

// rect is RECT.
type rect struct{ left, top, right, bottom int32 }

func (r rect) bounds() desktop.Rect {
	return desktop.Rect{X: int(r.left), Y: int(r.top), W: int(r.right - r.left), H: int(r.bottom - r.top)}
}

// Styles of windows, and what is asked of them.
const (
	styleIndex, extendedIndex = -16, -20
	styleDisabled             = 0x0800_0000
	extendedToolWindow        = 0x80
	extendedNoActivate        = 0x0800_0000
	ownerWindow               = 4  // GW_OWNER
	cloaked                   = 14 // DWMWA_CLOAKED
	extendedFrame             = 9  // DWMWA_EXTENDED_FRAME_BOUNDS
)

// Classes of windows that the system makes.
const (
	menuClass    = "#32768"
	dialogClass  = "#32770"
	tooltipClass = "tooltips_class32"
	listClass    = "ComboLBox" // the open list of a combo box
)

// unlisted are the classes of the windows behind all others, and of ours above them.
var unlisted = []string{"Progman", "WorkerW", surfaceClass}

// gather appends a handle to a list, for the functions that enumerate windows.
var gather = syscall.NewCallback(func(handle uintptr, into *[]uintptr) uintptr {
	*into = append(*into, handle)
	return 1
})

// topLevel returns the top-level windows from the topmost to the bottom.
func topLevel() (handles []uintptr) {
	user("EnumWindows", gather, at(&handles))
	return handles
}

// Windows lists the windows that show, from the bottom to the top.
func (d *Driver) Windows(ctx context.Context) ([]desktop.Window, error) {
	handles := topLevel()
	slices.Reverse(handles)
	active := user("GetForegroundWindow")
	var list []desktop.Window
	for _, h := range handles {
		if w, ok := describe(h); ok {
			w.Active = h == active && !w.Minimized // which Windows may leave in front
			list = append(list, w)
		}
	}
	return list, context.Cause(ctx)
}

// describe returns a window, unless it is gone, invisible, the background, or ours.
func describe(h uintptr) (w desktop.Window, ok bool) {
	class := classOf(h)
	if user("IsWindowVisible", h) == 0 || slices.Contains(unlisted, class) {
		return w, false
	}
	extended, owner := user("GetWindowLongPtrW", h, extendedIndex), user("GetWindow", h, ownerWindow)
	w = desktop.Window{
		ID: desktop.WindowID(h), Title: textOf(h), Class: class, Bounds: boundsOf(h),
		Minimized: user("IsIconic", h) != 0, Maximized: user("IsZoomed", h) != 0, Hidden: isCloaked(h),
	}
	w.PID = processOf(h)
	w.Process, w.Aliases = programOf(w.PID)
	w.Tooltip = class == tooltipClass
	w.Popup = w.Tooltip || class == menuClass || class == listClass || has(extended, extendedNoActivate) && has(extended, extendedToolWindow)
	w.Dialog = owner != 0 && !w.Popup
	w.Modal = w.Dialog && user("IsWindowEnabled", owner) == 0 && user("IsWindowEnabled", h) != 0
	return w, true
}

func isCloaked(h uintptr) bool {
	var why uint32
	return call(dwmapi, "DwmGetWindowAttribute", h, cloaked, at(&why), unsafe.Sizeof(why)) == 0 && why != 0
}

// boundsOf returns what is seen of a window, without the invisible borders by which it is
// resized.
func boundsOf(h uintptr) desktop.Rect {
	if r, ok := seenFrame(h); ok {
		return r
	}
	return outerBounds(h)
}

func seenFrame(h uintptr) (desktop.Rect, bool) {
	var r rect
	if dwmapi.NewProc("DwmGetWindowAttribute").Find() != nil {
		return desktop.Rect{}, false
	}
	ok := call(dwmapi, "DwmGetWindowAttribute", h, extendedFrame, at(&r), unsafe.Sizeof(r)) == 0
	return r.bounds(), ok && !r.bounds().Empty()
}

// outerBounds returns the bounds by which windows are placed.
func outerBounds(h uintptr) desktop.Rect {
	var r rect
	user("GetWindowRect", h, at(&r))
	return r.bounds()
}

// classOf returns the name of a window's class.
func classOf(h uintptr) string {
	var b [256]uint16
	user("GetClassNameW", h, at(&b[0]), uintptr(len(b)))
	return windows.UTF16ToString(b[:])
}

// textOf returns the text of a window as the system keeps it, which asks no application.
func textOf(h uintptr) string {
	var b [512]uint16
	user("InternalGetWindowText", h, at(&b[0]), uintptr(len(b)))
	return windows.UTF16ToString(b[:])
}

func processOf(h uintptr) int {
	var pid uint32
	user("GetWindowThreadProcessId", h, at(&pid))
	return int(pid)
}

// programOf returns the name of a program, such as notepad, and its other name notepad.exe.
func programOf(pid int) (name string, aliases []string) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", nil
	}
	defer windows.CloseHandle(p)
	path := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(p, 0, &path[0], &n) != nil {
		return "", nil
	}
	file := filepath.Base(windows.UTF16ToString(path[:n]))
	name = strings.TrimSuffix(strings.TrimSuffix(file, ".exe"), ".EXE")
	return cmp.Or(name, file), []string{file}
}
