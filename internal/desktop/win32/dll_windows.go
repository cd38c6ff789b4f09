package win32

import (
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop/winapi"
)

var (
	gdi32    = windows.NewLazySystemDLL("gdi32.dll")
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	dwmapi   = windows.NewLazySystemDLL("dwmapi.dll")
	shcore   = windows.NewLazySystemDLL("shcore.dll")
)

// call calls a function of a DLL. It returns 0 where this Windows lacks the function.
func call(dll *windows.LazyDLL, name string, args ...any) uintptr {
	return winapi.Func(dll, name, args...)
}

// user calls a function of user32.
func user(name string, args ...any) uintptr { return winapi.User(name, args...) }

// at returns the address of a value, as an argument of call.
func at[T any](v *T) unsafe.Pointer { return winapi.At(v) }

// has reports whether a bit is set in flags.
func has(flags uintptr, bit uint32) bool { return uint32(flags)&bit != 0 }
