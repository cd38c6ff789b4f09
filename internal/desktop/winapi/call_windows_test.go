package winapi

import (
	"testing"
	"unsafe"
)

// grow makes the stack so large that it moves.
func grow(deep int) int {
	var room [1 << 10]byte
	if deep == 0 {
		return len(room)
	}
	return grow(deep-1) + int(room[deep%len(room)])
}

// What a function writes is where its caller looks, also if the stack was moved between.
func TestArgumentsStayWhereTheyAre(t *testing.T) {
	for range 200 {
		done := make(chan struct{})
		go func() { // with a small stack
			defer close(done)
			var p struct{ x, y, _, _ int32 }
			address := At(&p)
			before := uintptr(address)
			grow(64)
			if User("SetRect", address, 1, 2, 3, 4) == 0 {
				t.Error("the call failed")
			}
			if uintptr(unsafe.Pointer(&p)) != before || p.x != 1 || p.y != 2 {
				t.Errorf("the value is %v, and it was moved: %v", p, uintptr(unsafe.Pointer(&p)) != before)
			}
		}()
		<-done
	}
}

func TestNumbersAreArguments(t *testing.T) {
	type color uint16
	var r struct{ left, top, right, bottom int32 }
	User("SetRect", At(&r), -1, int32(-2), uint32(3), color(4))
	if r.left != -1 || r.top != -2 || r.right != 3 || r.bottom != 4 {
		t.Errorf("the rectangle is %+v", r)
	}
}
