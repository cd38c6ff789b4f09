package robot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
)

// Down lists the keys and buttons that the X server has for pressed.
func Down(t testing.TB, r *Robot) string {
	t.Helper()
	l, err := r.live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := xproto.QueryKeymap(l.x).Reply()
	if err != nil {
		t.Fatal(err)
	}
	pointer, err := xproto.QueryPointer(l.x, l.root).Reply()
	if err != nil {
		t.Fatal(err)
	}
	var down []string
	for key := range 256 {
		if keys.Keys[key/8]&(1<<(key%8)) != 0 {
			down = append(down, fmt.Sprintf("key %d", key))
		}
	}
	for i, mask := range []uint16{xproto.KeyButMaskButton1, xproto.KeyButMaskButton2, xproto.KeyButMaskButton3} {
		if pointer.Mask&mask != 0 {
			down = append(down, fmt.Sprintf("button %d", i+1))
		}
	}
	return strings.Join(down, ", ")
}

// WithoutSharedMemory makes a robot capture as from a display elsewhere.
func WithoutSharedMemory(r *Robot) { r.link.camera.plain = true }

// ClickSlowly makes a robot pause between the clicks of a multiple click.
func ClickSlowly(r *Robot, gap time.Duration) { r.gap = gap }

// Cut ends a robot's connection, as a dying server does, and waits until
// that is noticed.
func Cut(r *Robot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.link.cut()
	<-r.link.gone
}

// Repeating says whether keys that are held repeat.
func Repeating(t testing.TB, r *Robot) bool {
	return told(t, r, func(l *link) (bool, error) { return l.repeating() })
}

// Manager is the window by which the window manager shows that it runs.
func Manager(t testing.TB, r *Robot) xproto.Window {
	return told(t, r, func(l *link) (xproto.Window, error) { w, _ := l.manager(); return w, nil })
}

// told is what the display answers.
func told[T any](t testing.TB, r *Robot, f func(*link) (T, error)) T {
	t.Helper()
	l, err := r.live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := ask(t.Context(), l, func() (T, error) { return f(l) })
	if err != nil {
		t.Fatal(err)
	}
	return v
}
