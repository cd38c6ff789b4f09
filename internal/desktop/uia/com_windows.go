package uia

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
	"understudy/internal/desktop/winapi"
)

var (
	ole32    = windows.NewLazySystemDLL("ole32.dll")
	oleaut32 = windows.NewLazySystemDLL("oleaut32.dll")
)

// object is a pointer to a COM object, which is memory that is not Go's.
type object struct{ table *[100]uintptr }

// A fault is an HRESULT that tells of a failure.
type fault uint32

// Failures that mean something to a caller.
const (
	elementNotAvailable, elementNotEnabled = 0x80040201, 0x80040200
	serverUnavailable, disconnected        = 0x800706ba, 0x80010108
	timedOut, callRejected, serverBusy     = 0x80131505, 0x80010001, 0x8001010a
	unspecified                            = 0x80004005
)

func (f fault) Error() string { return fmt.Sprintf("UI Automation failed with %#x", uint32(f)) }

func (f fault) Unwrap() error {
	switch f {
	case elementNotAvailable, serverUnavailable, disconnected:
		return desktop.ErrNotFound
	case timedOut, callRejected, serverBusy:
		return desktop.ErrUnresponsive
	}
	return desktop.ErrRefused
}

// call calls a method of an object, which slots lists.
func (o *object) call(method string, args ...any) error {
	slot, ok := slots[method]
	if !ok {
		panic("uia: no slot is known of " + method)
	}
	if o == nil {
		return fault(unspecified)
	}
	if r := winapi.Call(o.table[slot], append([]any{o.address()}, args...)...); int32(r) < 0 {
		return fault(r)
	}
	return nil
}

// ask calls a method whose last argument receives an object. It is nil if there is none.
func (o *object) ask(method string, args ...any) (*object, error) {
	var out *object
	err := o.call(method, append(args, at(&out))...)
	return out, err
}

// number calls a method whose last argument receives a number.
func (o *object) number(method string) (int, error) {
	var n int32
	err := o.call(method, at(&n))
	return int(n), err
}

// address returns the object as an argument of a call.
func (o *object) address() unsafe.Pointer { return unsafe.Pointer(o) }

func (o *object) addRef() *object {
	winapi.Call(o.table[slots["IUnknown.AddRef"]], o.address())
	return o
}

func (o *object) release() {
	if o != nil {
		winapi.Call(o.table[slots["IUnknown.Release"]], o.address())
	}
}

// guid returns the ID of an interface or a class.
func guid(text string) *windows.GUID {
	g, err := windows.GUIDFromString("{" + text + "}")
	if err != nil {
		panic(err)
	}
	return &g
}

// newObject creates an object of a class that this process hosts.
func newObject(class, iface string) (*object, error) {
	const inProcess = 1
	var o *object
	if r := winapi.Func(ole32, "CoCreateInstance", at(guid(class)), 0, inProcess, at(guid(iface)), at(&o)); int32(r) < 0 {
		return nil, fault(r)
	}
	return o, nil
}

// withText calls f with a BSTR.
func withText(text string, f func(bstr uintptr) error) error {
	units := windows.StringToUTF16(text)
	b := winapi.Func(oleaut32, "SysAllocStringLen", at(&units[0]), len(units)-1)
	defer winapi.Func(oleaut32, "SysFreeString", b)
	return f(b)
}

// bstr is a text that is not in Go's memory, with its length before it.
type bstr = *uint16

func textOf(b bstr) string {
	if b == nil {
		return ""
	}
	n := winapi.Func(oleaut32, "SysStringLen", unsafe.Pointer(b))
	return windows.UTF16ToString(unsafe.Slice(b, n))
}

// text calls a method whose last argument receives a text.
func (o *object) text(method string, args ...any) (string, error) {
	var out bstr
	err := o.call(method, append(args, at(&out))...)
	defer winapi.Func(oleaut32, "SysFreeString", unsafe.Pointer(out))
	return textOf(out), err
}

// variant is VARIANT on systems of 64 bits.
type variant struct {
	kind  uint16
	_     [3]uint16
	value [8]byte
	_     uint64
}

// The kinds of variants.
const (
	kindI4, kindR8, kindText, kindBool, kindArray = 3, 5, 8, 11, 0x2000
)

// safeArray is SAFEARRAY of one dimension.
type safeArray struct {
	dimensions, _ uint16
	_, _          uint32
	data          unsafe.Pointer
	count, _      uint32
}

// pointed returns the value of a variant as a pointer.
func pointed[T any](v *variant) *T { return *(**T)(unsafe.Pointer(&v.value)) }

// content returns the value of a variant; unsupported if it is of a kind that no property has
// that is read.
func (v *variant) content() any {
	switch v.kind {
	case kindI4:
		return *(*int32)(unsafe.Pointer(&v.value))
	case kindBool:
		return *(*int16)(unsafe.Pointer(&v.value)) != 0
	case kindR8:
		return math.Float64frombits(*(*uint64)(unsafe.Pointer(&v.value)))
	case kindText:
		return textOf(pointed[uint16](v))
	case kindI4 | kindArray:
		return numbersOf[int32](pointed[safeArray](v))
	case kindR8 | kindArray:
		return numbersOf[float64](pointed[safeArray](v))
	}
	return unsupported{}
}

// numbersOf copies the numbers of an array.
func numbersOf[T any](a *safeArray) []T {
	if a == nil || a.dimensions != 1 || a.data == nil {
		return nil
	}
	return append([]T(nil), unsafe.Slice((*T)(a.data), a.count)...)
}

// property returns a property of an element that was read with it.
func (o *object) property(p property) any {
	const withDefault = 0
	v := new(variant)
	if o.call("IUIAutomationElement.GetCachedPropertyValueEx", uintptr(p), withDefault, at(v)) != nil {
		return unsupported{}
	}
	defer winapi.Func(oleaut32, "VariantClear", at(v))
	return v.content()
}
