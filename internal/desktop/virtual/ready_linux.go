package virtual

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// xgb logs to standard error when a connection ends, as ours always does.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// client is a connection to an X server. Closing it ends every wait for the server.
type client struct {
	io.Closer
	x    *xgb.Conn
	root xproto.Window
}

func newClient(c io.Closer, x *xgb.Conn) client {
	return client{c, x, xproto.Setup(x).DefaultScreen(x).Root}
}

// connect connects to the X server, which must answer before the context ends.
func (d *Display) connect(ctx context.Context) (client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", SocketOf(d.name))
	if err != nil {
		return client{}, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	x, err := xgb.NewConnNetWithCookieHex(conn, d.cookie)
	if err != nil {
		conn.Close()
		return client{}, err
	}
	return newClient(conn, x), nil
}

// atom returns the atom of a name, or none if the connection has ended.
func (c client) atom(name string) xproto.Atom {
	a, err := xproto.InternAtom(c.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return xproto.AtomNone
	}
	return a.Atom
}

func (c client) property(w xproto.Window, name string) (*xproto.GetPropertyReply, error) {
	return xproto.GetProperty(c.x, false, w, c.atom(name), xproto.GetPropertyTypeAny, 0, 1<<16).Reply()
}

// numbers returns the numbers of a property, or none if it does not exist.
func (c client) numbers(w xproto.Window, name string) (all []uint32) {
	p, err := c.property(w, name)
	if err != nil || p.Format != 32 {
		return nil
	}
	for b := p.Value; len(b) >= 4; b = b[4:] {
		all = append(all, xgb.Get32(b))
	}
	return all
}

// awaitManager waits until a window manager manages the display.
func (d *Display) awaitManager(ctx context.Context) error {
	x, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer x.Close()
	stop := context.AfterFunc(ctx, func() { x.Close() })
	defer stop()
	err = x.awaitProperty("_NET_SUPPORTING_WM_CHECK", func(n uint32) bool { return n == 1 })
	if err == nil {
		// A manager that is slow to forget the window is ready all the same.
		late := time.AfterFunc(tryFor, func() { x.Close() })
		if err = x.tryWindow(); !late.Stop() && ctx.Err() == nil {
			err = nil
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("the window manager did not get ready: %w", err)
	}
	x.paintBackground()
	return nil
}

// background is the colour of the screen behind the windows: one on which dark windows are
// seen as well as light ones.
const background = 0x4a5766

// paintBackground gives the screen its colour. A screen without it is as usable.
func (c client) paintBackground() {
	xproto.ChangeWindowAttributes(c.x, c.root, xproto.CwBackPixel, []uint32{background})
	_ = xproto.ClearAreaChecked(c.x, false, c.root, 0, 0, 0, 0).Check()
}

// awaitProperty waits until the length of a property of the root window, in windows, is good.
func (c client) awaitProperty(name string, good func(n uint32) bool) error {
	err := xproto.ChangeWindowAttributesChecked(c.x, c.root, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	for {
		p, err := c.property(c.root, name)
		if err != nil || good(p.ValueLen) {
			return err
		}
		if ev, xerr := c.x.WaitForEvent(); ev == nil && xerr == nil {
			return net.ErrClosed
		}
	}
}

// mapAgain is how long a window manager has to manage a window. When starting, it misses a window
// that is mapped while it reads the windows, so a window is mapped again until that succeeds.
const mapAgain = 50 * time.Millisecond

// tryFor bounds the wait for a window to be managed and forgotten.
const tryFor = 3 * time.Second

// tryWindow returns when the manager has managed a window of ours and forgotten it again. From
// then on it misses no window of a program.
func (c client) tryWindow() error {
	x, screen := c.x, xproto.Setup(c.x).DefaultScreen(c.x)
	w, err := xproto.NewWindowId(x)
	if err != nil {
		return err
	}
	err = xproto.CreateWindowChecked(x, screen.RootDepth, w, screen.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput,
		screen.RootVisual, xproto.CwEventMask, []uint32{xproto.EventMaskStructureNotify}).Check()
	if err != nil {
		return err
	}
	taken := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() { showUntil(x, w, taken) })
	err = awaitTaken(x, w)
	close(taken)
	showing.Wait()
	if err != nil {
		return err
	}
	// The window is removed once the list has it, and in the way of programs: a window that is
	// destroyed before that may stay in the list.
	if err := c.awaitProperty(clientList, func(n uint32) bool { return n > 0 }); err != nil {
		return err
	}
	if err := xproto.UnmapWindowChecked(x, w).Check(); err != nil {
		return err
	}
	if err := c.awaitProperty(clientList, func(n uint32) bool { return n == 0 }); err != nil {
		return err
	}
	return xproto.DestroyWindowChecked(x, w).Check()
}

// clientList is the property with the managed windows.
const clientList = "_NET_CLIENT_LIST"

// showUntil maps a window, again and again.
func showUntil(x *xgb.Conn, w xproto.Window, taken <-chan struct{}) {
	for again := time.NewTicker(mapAgain); ; {
		xproto.MapWindow(x, w)
		select {
		case <-again.C:
			xproto.UnmapWindow(x, w)
		case <-taken:
			again.Stop()
			return
		}
	}
}

// awaitTaken waits until a window has been put into a frame.
func awaitTaken(x *xgb.Conn, w xproto.Window) error {
	for {
		ev, xerr := x.WaitForEvent()
		if ev == nil && xerr == nil {
			return net.ErrClosed
		}
		if r, ok := ev.(xproto.ReparentNotifyEvent); ok && r.Window == w {
			return nil
		}
	}
}
