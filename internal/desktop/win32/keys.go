package win32

import (
	"fmt"

	"understudy/internal/desktop"
)

// virtualKey is the number of a key of Windows.
type virtualKey uint16

// virtualKeys are the named keys.
var virtualKeys = map[desktop.Key]virtualKey{
	"ctrl": 0xa2, "shift": 0xa0, "alt": 0xa4, "altgr": rightAlt, "super": 0x5b,
	"enter": enterKey, "escape": 0x1b, "tab": 0x09, "space": 0x20, "backspace": 0x08, "delete": 0x2e, "insert": 0x2d,
	"home": 0x24, "end": 0x23, "pageup": 0x21, "pagedown": 0x22, "up": 0x26, "down": 0x28, "left": 0x25, "right": 0x27,
	"capslock": 0x14, "numlock": 0x90, "scrolllock": 0x91, "printscreen": 0x2c, "pause": 0x13, "menu": 0x5d,
	"numenter": enterKey, "numadd": 0x6b, "numsubtract": 0x6d, "nummultiply": 0x6a, "numdivide": 0x6f, "numdecimal": 0x6e,
	"volumeup": 0xaf, "volumedown": 0xae, "volumemute": 0xad, "mediaplay": 0xb3, "mediastop": 0xb2, "medianext": 0xb0, "mediaprevious": 0xb1,
}

// Keys that are more than one, and the one that stands for a character.
const (
	enterKey, rightAlt virtualKey = 0x0d, 0xa5
	packetKey          virtualKey = 0xe7
)

// keyNames are the names of keys by their numbers. Those on the right side have the names of
// their twins.
var keyNames = map[virtualKey]desktop.Key{0xa1: "shift", 0xa3: "ctrl", 0x5c: "super", 0x03: "pause"}

func init() {
	const f1, num0 = 0x70, 0x60
	for i := range 24 {
		virtualKeys[desktop.Key(fmt.Sprintf("f%d", i+1))] = virtualKey(f1 + i)
	}
	for i := range 10 {
		virtualKeys[desktop.Key(fmt.Sprintf("num%d", i))] = virtualKey(num0 + i)
	}
	for k, v := range virtualKeys {
		if k != "numenter" {
			keyNames[v] = k
		}
	}
}
