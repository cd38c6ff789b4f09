package virtual

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/xauth"
)

// checkUnused fails if the display to join is a desktop already: runs on the two would act on
// one screen.
func (o Options) checkUnused(home string) error {
	if o.Display == "" {
		return nil
	}
	for _, dir := range keptFolders(home) {
		if k, err := readKept(dir); err == nil && screenOf(k.Display) == screenOf(o.Display) {
			return fmt.Errorf("the display %s is that of the desktop %s: use that one", o.Display, k.Name)
		}
	}
	return nil
}

// screenOf returns one of the names of a display: a local one has several.
func screenOf(display string) string {
	host, number, _ := strings.Cut(display, ":")
	number, _, _ = strings.Cut(number, ".")
	return strings.TrimPrefix(host, "unix") + ":" + number
}

// join uses a display that exists already, of another user or another machine. It changes nothing
// there.
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
	if err := d.follow(ctx); err != nil {
		return err
	}
	if d.bus = o.Bus; d.bus != "" {
		return nil
	}
	x := newClient(nil, d.joined)
	if p, err := x.property(x.root, "AT_SPI_BUS"); err == nil && p.ValueLen > 0 {
		return nil // a session bus of ours would announce another accessibility bus
	}
	return d.startBus(ctx)
}

// follow connects to the display, and closes done when the display ends.
func (d *Display) follow(ctx context.Context) error {
	// xgb finds the cookie in the file that the environment names. Nothing else runs in this
	// process, which is the keeper of this display.
	if err := os.Setenv("XAUTHORITY", d.Authority()); err != nil {
		return err
	}
	var x *xgb.Conn
	var err error
	tried := make(chan struct{})
	go func() {
		defer close(tried)
		x, err = xgb.NewConnDisplay(d.name)
	}()
	select {
	case <-tried:
	case <-ctx.Done():
		return fmt.Errorf("the display %s does not answer: %w", d.name, context.Cause(ctx))
	}
	if err != nil {
		return &desktop.MissingError{
			What: fmt.Sprintf("the display %s cannot be used (%v)", d.name, err),
			Mend: "understudy desktop start NAME --display " + d.name + " --authority FILE, with the file of its cookie",
		}
	}
	screen := xproto.Setup(x).DefaultScreen(x)
	d.screen = desktop.Size{W: int(screen.WidthInPixels), H: int(screen.HeightInPixels)}
	d.joined = x
	go func() {
		defer close(d.done)
		for {
			if ev, err := x.WaitForEvent(); ev == nil && err == nil {
				return
			}
		}
	}()
	return nil
}
