package win32

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32   = windows.NewLazySystemDLL("user32.dll")
	gdi32    = windows.NewLazySystemDLL("gdi32.dll")
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	dwmapi   = windows.NewLazySystemDLL("dwmapi.dll")
	shcore   = windows.NewLazySystemDLL("shcore.dll")
)

// call calls a function of a DLL. It returns 0 where this Windows lacks the function.
//
//go:uintptrescapes
func call(dll *windows.LazyDLL, name string, args ...uintptr) uintptr {
	p := dll.NewProc(name)
	if p.Find() != nil {
		return 0
	}
	r, _, _ := p.Call(args...)
	return r
}

// user calls a function of user32.
//
//go:uintptrescapes
func user(name string, args ...uintptr) uintptr { return call(user32, name, args...) }

// at returns the address of a value, as an argument of call.
func at[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// has reports whether a bit is set in flags.
func has(flags uintptr, bit uint32) bool { return uint32(flags)&bit != 0 }

// lpIndex is a negative index of GetWindowLongPtr.
func lpIndex(i int) uintptr { return uintptr(i) }
