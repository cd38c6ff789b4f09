package virtual

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// xgb writes to standard error when a connection ends, as ours always does.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// awaitManager returns when a window manager says that it manages the display.
func (d *Display) awaitManager(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", "/tmp/.X11-unix/X"+d.name[1:])
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	x, err := xgb.NewConnNetWithCookieHex(conn, d.cookie)
	if err != nil {
		return err
	}
	if err := awaitProperty(x, "_NET_SUPPORTING_WM_CHECK"); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("the window manager did not get ready: %w", err)
	}
	return nil
}

// awaitProperty returns when the root window has the property.
func awaitProperty(x *xgb.Conn, name string) error {
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
		if err != nil || p.ValueLen == 1 {
			return err
		}
		if ev, xerr := x.WaitForEvent(); ev == nil && xerr == nil {
			return net.ErrClosed
		}
	}
}
