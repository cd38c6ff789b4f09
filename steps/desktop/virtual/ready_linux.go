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

// xgb writes to standard error when a connection ends, as ours always does.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// connect connects to the X server, which must answer before the context ends.
func (d *Display) connect(ctx context.Context) (net.Conn, *xgb.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", SocketOf(d.name))
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	x, err := xgb.NewConnNetWithCookieHex(conn, d.cookie)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, x, nil
}

// awaitManager returns when a window manager says that it manages the display.
func (d *Display) awaitManager(ctx context.Context) error {
	conn, x, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	err = awaitProperty(x, "_NET_SUPPORTING_WM_CHECK", func(p *xproto.GetPropertyReply) bool { return p.ValueLen == 1 })
	if err == nil {
		// A manager that is slow to let go of the window is ready all the same.
		late := time.AfterFunc(tryFor, func() { conn.Close() })
		if err = tryWindow(x); !late.Stop() && ctx.Err() == nil {
			err = nil
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("the window manager did not get ready: %w", err)
	}
	return nil
}

// awaitProperty returns when a property of the root window is as it should be.
func awaitProperty(x *xgb.Conn, name string, good func(*xproto.GetPropertyReply) bool) error {
	root := xproto.Setup(x).DefaultScreen(x).Root
	atom, err := xproto.InternAtom(x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return err
	}
	err = xproto.ChangeWindowAttributesChecked(x, root, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	for {
		p, err := xproto.GetProperty(x, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
		if err != nil || good(p) {
			return err
		}
		if ev, xerr := x.WaitForEvent(); ev == nil && xerr == nil {
			return net.ErrClosed
		}
	}
}

// mapAgain is how long a window manager has to take a window. One that has
// just begun forgets a window that is shown while it looks round: a window is
// shown again until one is taken.
const mapAgain = 50 * time.Millisecond

// tryFor is how long to wait for a window to be taken and let go.
const tryFor = 3 * time.Second

// tryWindow returns when the manager has taken a window of ours, and forgotten
// it again. Only then is none of a program's windows lost.
func tryWindow(x *xgb.Conn) error {
	screen := xproto.Setup(x).DefaultScreen(x)
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
	// The window goes once it is known to all, and as a program would take it
	// away: one that is destroyed in the middle may stay in the list.
	if err := awaitProperty(x, clientList, func(p *xproto.GetPropertyReply) bool { return p.ValueLen > 0 }); err != nil {
		return err
	}
	if err := xproto.UnmapWindowChecked(x, w).Check(); err != nil {
		return err
	}
	if err := awaitProperty(x, clientList, func(p *xproto.GetPropertyReply) bool { return p.ValueLen == 0 }); err != nil {
		return err
	}
	return xproto.DestroyWindowChecked(x, w).Check()
}

// clientList is the list of the windows that are managed.
const clientList = "_NET_CLIENT_LIST"

// showUntil shows a window, again and again.
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

// awaitTaken returns when a window was put into a frame.
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
