package win32

import (
	"sync"

	"golang.org/x/sys/windows"
)

// layoutHandle is a layout of the system, as HKL names it.
type layoutHandle uintptr

// layoutInUse returns the layout of the window that has the keyboard.
func layoutInUse() layoutHandle {
	return layoutHandle(user("GetKeyboardLayout", threadOf(user("GetForegroundWindow"))))
}

// types asks without a change of the state of dead keys, which would break them for the person.
func (l layoutHandle) types(key virtualKey, scan uint32, with shifts) (text string, dead bool) {
	const keepState = 0x4
	const shift, ctrl, alt, leftShift, leftCtrl, capsLock = 0x10, 0x11, 0x12, 0xa0, 0xa2, 0x14
	const down, on = 0x80, 0x1
	var state [256]byte
	if with.shift {
		state[shift], state[leftShift] = down, down
	}
	if with.altGr {
		state[ctrl], state[leftCtrl], state[alt], state[rightAlt] = down, down, down, down
	}
	if with.capsLock {
		state[capsLock] = on
	}
	var b [16]uint16
	n := int32(user("ToUnicodeEx", uintptr(key), uintptr(scan), at(&state), at(&b[0]), uintptr(len(b)), keepState, uintptr(l)))
	if n < 0 {
		return windows.UTF16ToString(b[:1]), true
	}
	return windows.UTF16ToString(b[:n]), false
}

var altGrLayouts sync.Map // layoutHandle → bool

// hasAltGr looks for a character that needs AltGr.
func (l layoutHandle) hasAltGr() bool {
	if has, ok := altGrLayouts.Load(l); ok {
		return has.(bool)
	}
	const ctrlAlt = 0x6
	has := false
	for _, r := range "€@\\[]{}|~#^łąśðþøæåßñçéáó²³µ¿¡«»" {
		code := int16(user("VkKeyScanExW", uintptr(r), uintptr(l)))
		has = has || code != -1 && code>>8&ctrlAlt == ctrlAlt
	}
	altGrLayouts.Store(l, has)
	return has
}
