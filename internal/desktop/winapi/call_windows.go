package winapi

import (
	"reflect"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var user32 = windows.NewLazySystemDLL("user32.dll")

// User calls a function of user32.
func User(name string, args ...any) uintptr { return Func(user32, name, args...) }

// Func calls a function of a library. It returns 0 where this Windows lacks the function.
func Func(dll *windows.LazyDLL, name string, args ...any) uintptr {
	p := dll.NewProc(name)
	if p.Find() != nil {
		return 0
	}
	return Call(p.Addr(), args...)
}

// Call calls a function at an address. Arguments are numbers, and pointers from At.
func Call(function uintptr, args ...any) uintptr {
	var pins runtime.Pinner
	defer pins.Unpin()
	words := make([]uintptr, len(args))
	for i, a := range args {
		words[i] = word(&pins, a)
	}
	r, _, _ := syscall.SyscallN(function, words...)
	return r
}

// word returns an argument as it is passed.
func word(pins *runtime.Pinner, a any) uintptr {
	switch a := a.(type) {
	case uintptr:
		return a
	case int:
		return uintptr(a)
	case unsafe.Pointer:
		if a != nil {
			pins.Pin(a)
		}
		return uintptr(a)
	}
	if v := reflect.ValueOf(a); v.CanInt() {
		return uintptr(v.Int())
	}
	return uintptr(reflect.ValueOf(a).Uint())
}

// At returns the address of a value, as an argument.
func At[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }

// Wide returns the address of a text that ends with a zero, as an argument.
func Wide(text string) unsafe.Pointer { return unsafe.Pointer(windows.StringToUTF16Ptr(text)) }
