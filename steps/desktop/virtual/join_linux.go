package virtual

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/xauth"
)

// join uses a display that is there already, of another user or another machine.
// What it has is left alone: nothing is started there but what is asked for.
func (d *Display) join(ctx context.Context, o Options) error {
	d.name = o.Display
	cookies, err := os.ReadFile(cmp.Or(o.Authority, os.Getenv("XAUTHORITY"), filepath.Join(os.Getenv("HOME"), ".Xauthority")))
	if err != nil && o.Authority != "" {
		return err
	}
	d.cookie = xauth.Find(cookies, o.Display)
	if d.cookie == "" && o.Authority != "" {
		return fmt.Errorf("%s has no cookie for the display %s: wanted an entry of it, such as `xauth extract` writes", o.Authority, o.Display)
	}
	file := []byte{} // a display that needs none
	if cookie, err := hex.DecodeString(d.cookie); err == nil && d.cookie != "" {
		file = xauth.Entry("", cookie)
	}
	if err := os.WriteFile(d.Authority(), file, 0o600); err != nil {
		return err
	}
	x, err := d.follow(ctx)
	if err != nil {
		return err
	}
	if d.bus = o.Bus; d.bus != "" || announced(x) {
		return nil
	}
	return d.startBus(ctx)
}

// follow connects to the display, and closes done when that ends.
func (d *Display) follow(ctx context.Context) (*xgb.Conn, error) {
	type answer struct {
		x   *xgb.Conn
		err error
	}
	tried := make(chan answer, 1)
	// xgb finds the cookie in the file that the environment names. Nothing else
	// runs in this process, which is the keeper of this display.
	if err := os.Setenv("XAUTHORITY", d.Authority()); err != nil {
		return nil, err
	}
	go func() {
		x, err := xgb.NewConnDisplay(d.name)
		tried <- answer{x, err}
	}()
	select {
	case a := <-tried:
		if a.err != nil {
			return nil, &desktop.MissingError{
				What: fmt.Sprintf("the display %s cannot be used (%v)", d.name, a.err),
				Mend: "understudy desktop start NAME --display " + d.name + " --authority FILE, with the file of its cookie",
			}
		}
		screen := xproto.Setup(a.x).DefaultScreen(a.x)
		d.screen = desktop.Size{W: int(screen.WidthInPixels), H: int(screen.HeightInPixels)}
		d.joined = a.x
		go func() {
			defer close(d.done)
			for {
				if ev, err := a.x.WaitForEvent(); ev == nil && err == nil {
					return
				}
			}
		}()
		return a.x, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the display %s does not answer: %w", d.name, context.Cause(ctx))
	}
}

// announced says whether the display names an accessibility bus to its programs. A
// session bus of ours would have another named there instead.
func announced(x *xgb.Conn) bool {
	const name = "AT_SPI_BUS"
	a, err := xproto.InternAtom(x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return false
	}
	p, err := xproto.GetProperty(x, false, xproto.Setup(x).DefaultScreen(x).Root, a.Atom, xproto.GetPropertyTypeAny, 0, 1).Reply()
	return err == nil && p.ValueLen > 0
}
