//go:build linux

package x11

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop/input"
)

// A text with more characters than there are slots, repeated: replacing the least recently used
// binding would bind each character each time.
func TestFewBindingsAreMade(t *testing.T) {
	const spare, chars, times = 20, 60, 50
	k := &keymap{}
	k.learn(8, 4, make([]xproto.Keysym, 4*spare))
	if len(k.slots) != 2*spare {
		t.Fatalf("%d spare keys give %d slots", spare, len(k.slots))
	}
	var text []uint32
	for i := range chars * times {
		text = append(text, input.SymOf('日'+rune(i%chars)))
	}
	now, made := time.Now(), 0
	for len(text) > 0 {
		n, bind, _ := k.plan(text, maxKeysPerGrab, now)
		if n == 0 {
			t.Fatal("nothing can be typed")
		}
		k.bind(bind)
		for _, sym := range text[:n] {
			if _, ok := k.find(sym); !ok {
				t.Fatalf("%#x is not bound", sym)
			}
			k.use(sym, now)
		}
		now = now.Add(time.Second)
		text, made = text[n:], made+len(bind)
	}
	least := 2*spare + (chars-2*spare)*(times-1) // the first characters fill the slots, then each repetition needs the rest
	if made > least*3/2 {
		t.Errorf("%d bindings were made for %d characters, wanted about %d", made, chars*times, least)
	}
}
