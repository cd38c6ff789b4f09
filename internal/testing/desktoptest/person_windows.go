package desktoptest

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unsafe"

	"understudy/internal/desktop"
)

// A Hand is that of a person: its input comes from SendInput, but without the mark of the
// driver.
type Hand struct{ testing.TB }

// sentInput is INPUT of a key; one of the mouse lies in the same place.
type sentInput struct {
	kind, _   uint32
	key, scan uint16
	flags, _  uint32
	_         uintptr
	_         uint64
}

// sentMouse is INPUT of the mouse.
type sentMouse struct {
	_           uint64
	x, y        int32
	_, flags, _ uint32
	_           uintptr
}

const (
	sendKey, sendUp, sendUnicode        = 1, 0x2, 0x4
	sendMove, sendAbsolute, sendDesktop = 0x1, 0x8000, 0x4000
	sendLeftDown, sendLeftUp            = 0x2, 0x4
)

// keysOfHand are the numbers of the keys that a hand finds by their names.
var keysOfHand = map[desktop.Key]uint16{
	"ctrl": 0xa2, "shift": 0xa0, "alt": 0xa4, "enter": 0x0d, "escape": 0x1b, "tab": 0x09, "backspace": 0x08, "end": 0x23, "home": 0x24,
	"down": 0x28, "f8": 0x77, "f12": 0x7b,
}

func sends[T any](h Hand, events ...T) {
	h.Helper()
	for _, e := range events {
		if user("SendInput", 1, at(&e), unsafe.Sizeof(e)) != 1 {
			h.Fatal("Windows takes no input")
		}
	}
}

// Presses presses the keys of a chord, such as "ctrl+s", and lets them go.
func (h Hand) Presses(chord desktop.Key) {
	h.Helper()
	var down, up []sentInput
	for name := range strings.SplitSeq(string(chord), "+") {
		key := keysOfHand[desktop.Key(name)]
		if key == 0 {
			key = uint16(user("VkKeyScanW", uintptr(name[0]))) & 0xff
		}
		e := sentInput{kind: sendKey, key: key, scan: uint16(user("MapVirtualKeyW", uintptr(key), 0))}
		down = append(down, e)
		e.flags = sendUp
		up = append([]sentInput{e}, up...)
	}
	sends(h, append(down, up...)...)
}

// Types types a text: by the keys of the layout if it has them, and otherwise as a keyboard on
// the screen does.
func (h Hand) Types(text string) {
	h.Helper()
	const shift = 0x1
	for _, r := range text {
		code := int16(user("VkKeyScanW", uintptr(r)))
		switch {
		case r < 0x80 && code>>8 == shift:
			h.Presses(desktop.Key("shift+" + string(rune(user("MapVirtualKeyW", uintptr(code&0xff), 2)))))
		case r < 0x80 && code>>8 == 0:
			h.Presses(desktop.Key(string(r)))
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				sends(h, sentInput{kind: sendKey, scan: unit, flags: sendUnicode}, sentInput{kind: sendKey, scan: unit, flags: sendUnicode | sendUp})
			}
		}
	}
}

// PointsAt moves the pointer.
func (h Hand) PointsAt(p desktop.Point) {
	h.Helper()
	const left, width, height, steps = 76, 78, 79, 1 << 16
	part := func(v int, size, origin uintptr) int32 {
		length := int(int32(user("GetSystemMetrics", size)))
		return int32(((v-int(int32(user("GetSystemMetrics", origin))))*steps + length - 1) / length)
	}
	sends(h, sentMouse{x: part(p.X, width, left), y: part(p.Y, height, left+1), flags: sendMove | sendAbsolute | sendDesktop})
}

// Clicks presses the left button and lets it go.
func (h Hand) Clicks() {
	h.Helper()
	sends(h, sentMouse{flags: sendLeftDown}, sentMouse{flags: sendLeftUp})
}
