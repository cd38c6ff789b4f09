//go:build linux

package x11

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// Grab makes a driver grab a key, as window managers do.
func Grab(t testing.TB, r *Driver, k desktop.Key) {
	t.Helper()
	l, err := r.live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := r.keyboard.keysOf(t.Context(), l, k)
	if err == nil {
		err = xproto.GrabKeyChecked(l.x, false, l.root, xproto.ModMask1, keys[0], xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Down lists the keys and buttons that are down in the X server.
func Down(t testing.TB, r *Driver) string {
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

// WithoutSharedMemory makes a driver capture as from a display of another machine.
func WithoutSharedMemory(r *Driver) { r.link.camera.plain = true }

// ClickSlowly makes a driver pause between the clicks of a multiple click.
func ClickSlowly(r *Driver, gap time.Duration) { r.pointer.gap = gap }

// Cut ends the connection of a driver, as a dying server does, and waits until the driver notices.
func Cut(r *Driver) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.link.cut()
	<-r.link.gone
}

// Repeating reports whether keys that are held repeat.
func Repeating(t testing.TB, r *Driver) bool {
	return told(t, r, func(l *xConn) (bool, error) { return l.repeating() })
}

// Manager returns the window by which the window manager shows that it runs.
func Manager(t testing.TB, r *Driver) xproto.Window {
	return told(t, r, func(l *xConn) (xproto.Window, error) { return l.manager(0), nil })
}

// told returns the answer of the display.
func told[T any](t testing.TB, r *Driver, f func(*xConn) (T, error)) T {
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

// Canvas is a window that draws when a test asks it to.
type Canvas struct {
	ID   desktop.WindowID
	r    *Driver
	at   desktop.Point
	draw xproto.Gcontext
}

// NewCanvas opens a window that no window manager touches.
func NewCanvas(t testing.TB, r *Driver, at desktop.Rect) *Canvas {
	t.Helper()
	return told(t, r, func(l *xConn) (*Canvas, error) {
		w, err := xproto.NewWindowId(l.x)
		if err != nil {
			return nil, err
		}
		c := &Canvas{ID: desktop.WindowID(w), r: r, at: desktop.Point{X: at.X, Y: at.Y}}
		xproto.CreateWindow(l.x, 0, w, l.root, int16(at.X), int16(at.Y), uint16(at.W), uint16(at.H), 0, xproto.WindowClassInputOutput, 0,
			xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{0xffffff, 1})
		if c.draw, err = xproto.NewGcontextId(l.x); err != nil {
			return nil, err
		}
		xproto.CreateGC(l.x, c.draw, xproto.Drawable(w), xproto.GcForeground, []uint32{0x336699})
		return c, xproto.MapWindowChecked(l.x, w).Check()
	})
}

// Draw draws in an area of the screen.
func (c *Canvas) Draw(t testing.TB, area desktop.Rect) {
	t.Helper()
	c.do(t, func(l *xConn) error {
		r := xproto.Rectangle{X: int16(area.X - c.at.X), Y: int16(area.Y - c.at.Y), Width: uint16(area.W), Height: uint16(area.H)}
		return xproto.PolyFillRectangleChecked(l.x, xproto.Drawable(c.ID), c.draw, []xproto.Rectangle{r}).Check()
	})
}

// Move moves the window.
func (c *Canvas) Move(t testing.TB, x, y int) {
	t.Helper()
	c.do(t, func(l *xConn) error {
		c.at = desktop.Point{X: x, Y: y}
		return xproto.ConfigureWindowChecked(l.x, xproto.Window(c.ID), xproto.ConfigWindowX|xproto.ConfigWindowY, []uint32{uint32(x), uint32(y)}).Check()
	})
}

// Close destroys the window.
func (c *Canvas) Close(t testing.TB) {
	t.Helper()
	c.do(t, func(l *xConn) error { return xproto.DestroyWindowChecked(l.x, xproto.Window(c.ID)).Check() })
}

func (c *Canvas) do(t testing.TB, f func(*xConn) error) {
	t.Helper()
	told(t, c.r, func(l *xConn) (struct{}, error) { return struct{}{}, f(l) })
}

// Heard returns when the damage of the window was last received.
func (c *Canvas) Heard() (at time.Time) {
	d := &c.r.link.drawings
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.of {
		if desktop.WindowID(o.window) == c.ID {
			at = o.heard
		}
	}
	return at
}

// SilentWindow creates a window that claims to answer pings and answers none.
func SilentWindow(t testing.TB, r *Driver, title string) (destroy func()) {
	t.Helper()
	l, err := r.live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := xproto.NewWindowId(l.x)
	if err != nil {
		t.Fatal(err)
	}
	var ping [4]byte
	xgb.Put32(ping[:], uint32(l.atom("_NET_WM_PING")))
	xproto.CreateWindow(l.x, 0, w, l.root, 0, 0, 100, 100, 0, xproto.WindowClassInputOutput, 0, 0, nil)
	xproto.ChangeProperty(l.x, xproto.PropModeReplace, w, xproto.AtomWmName, xproto.AtomString, 8, uint32(len(title)), []byte(title))
	xproto.ChangeProperty(l.x, xproto.PropModeReplace, w, l.atom("WM_PROTOCOLS"), xproto.AtomAtom, 32, 1, ping[:])
	xproto.MapWindow(l.x, w)
	return func() { xproto.DestroyWindow(l.x, w) }
}

// Asking reports whether a driver waits for an application to answer a ping.
func Asking(t testing.TB, r *Driver) bool {
	t.Helper()
	l, err := r.live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.pings.mu.Lock()
	defer l.pings.mu.Unlock()
	return len(l.pings.waiting) > 0
}
