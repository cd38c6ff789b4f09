package win32

import (
	"fmt"
	"unsafe"

	"understudy/internal/desktop"
)

// ownInput marks the events that this program sends, so that Watch can leave them out.
const ownInput = 0x5553_4459

// The types of events of SendInput, and their flags.
const (
	mouseInput, keyboardInput   = 0, 1
	keyExtended, keyUp          = 0x1, 0x2
	keyUnicode                  = 0x4
	mouseMoved, mouseAbsolute   = 0x1, 0x8000
	mouseVirtualDesk            = 0x4000
	mouseWheel, mouseHorizontal = 0x800, 0x1000
	wheelNotch                  = 120
)

// injected is INPUT: its two forms have the same size.
type injected struct {
	kind uint32
	_    uint32
	body [32]byte
}

// mouseEvent is MOUSEINPUT.
type mouseEvent struct {
	dx, dy int32
	data   uint32
	flags  uint32
	time   uint32
	extra  uintptr
}

// keyEvent is KEYBDINPUT.
type keyEvent struct {
	key, scan uint16
	flags     uint32
	time      uint32
	extra     uintptr
}

func (m mouseEvent) event() (e injected) {
	e.kind, m.extra = mouseInput, ownInput
	*(*mouseEvent)(unsafe.Pointer(&e.body)) = m
	return e
}

func (k keyEvent) event() (e injected) {
	e.kind, k.extra = keyboardInput, ownInput
	*(*keyEvent)(unsafe.Pointer(&e.body)) = k
	return e
}

// send injects events, in one go that no other input comes between.
func send(events ...injected) error {
	if len(events) == 0 {
		return nil
	}
	sent := int(user("SendInput", uintptr(len(events)), at(&events[0]), unsafe.Sizeof(events[0])))
	if sent < len(events) {
		return fmt.Errorf("%d of %d events of the input were taken: a window with more rights, a locked screen, or the question of the system for permission has the keyboard: %w", sent, len(events), desktop.ErrRefused)
	}
	return nil
}
