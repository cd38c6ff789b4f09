//go:build linux

package wayland

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// gnome is a compositor with our extension, which tells where windows are and takes pictures.
// Input goes through the compositor's interface for remote desktops.
type gnome struct {
	bus     *dbus.Conn
	folder  string         // of the session's socket
	shell   dbus.BusObject // the extension
	remote  dbus.BusObject // our session of the remote desktop
	signals sync.WaitGroup // the goroutine that receives them

	mu   sync.Mutex   // guards the fields below
	sent []*dbus.Call // input that may not have been handled
	keys bool         // keys are among that
	acts acts
}

// The names on the bus of the session.
const (
	gnomeShell     = "org.gnome.Shell"
	gnomeRemote    = "org.gnome.Mutter.RemoteDesktop"
	gnomeExtension = "org.understudy.Desktop1"
	gnomeKey       = "NotifyKeyboardKeycode"
)

// findGNOME returns the placement of a compositor with a process ID, if that is the shell on the
// session bus and our extension runs in it.
func findGNOME(ctx context.Context, pid int, folder string) (placement, error) {
	bus, owner, err := busOf(ctx, folder, gnomeShell, pid)
	if err != nil {
		return nil, err
	}
	g := &gnome{bus: bus, folder: folder, shell: bus.Object(owner, "/org/understudy/Desktop")}
	if err := g.open(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *gnome) open(ctx context.Context) error {
	token, err := os.ReadFile(filepath.Join(g.folder, "understudy-gnome"))
	if err == nil {
		err = g.shell.CallWithContext(ctx, gnomeExtension+".Open", 0, string(token)).Err
	}
	if err != nil {
		return &desktop.MissingError{
			What: "GNOME reports windows only to an extension, and that of understudy is not running in this session, or its screen is locked; --display portal asks you in a dialog instead, and supports less",
			Mend: "understudy setup gnome", Wayland: true, Setup: true,
		}
	}
	return nil
}

func (*gnome) name() string { return "GNOME Shell" }

func (g *gnome) extensions() map[string]bool {
	return map[string]bool{gnomeExtension: true, gnomeRemote: g.remote != nil}
}

func (g *gnome) close() {
	g.bus.Close()
	g.signals.Wait()
}

// ask calls a method of the extension. If the shell has ended the extension and begun it again, as
// it does when the screen is locked and unlocked, ask makes us known to it again.
func (g *gnome) ask(ctx context.Context, method string, answer []any, args ...any) error {
	call := func() error {
		return g.shell.CallWithContext(ctx, gnomeExtension+"."+method, 0, args...).Store(answer...)
	}
	err := call()
	switch told, _ := errors.AsType[dbus.Error](err); told.Name {
	case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.UnknownMethod":
		if lacks := g.open(ctx); lacks != nil {
			return lacks
		}
		err = call()
	}
	return gnomeError(ctx, err)
}

// gnomeError puts the error of a call on the bus into words.
func gnomeError(ctx context.Context, err error) error {
	var told dbus.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &told) && told.Name != "org.freedesktop.DBus.Error.NoReply" && told.Name != "org.freedesktop.DBus.Error.ServiceUnknown":
		return fmt.Errorf("GNOME: %w: %w", desktop.ErrRefused, err)
	}
	return fmt.Errorf("%w: GNOME does not answer: %w", desktop.ErrUnavailable, err)
}

// send sends input without waiting for it; settle does that.
func (g *gnome) send(method string, args ...any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys = g.keys || method == gnomeKey
	g.acts.begin()
	g.sent = append(g.sent, g.remote.Go(gnomeRemote+".Session."+method, 0, make(chan *dbus.Call, 1), args...))
	return nil
}

// settle waits until GNOME has handled all input, and returns the position of the pointer.
func (g *gnome) settle(ctx context.Context) (desktop.Point, error) {
	defer g.rest()
	return g.handled(ctx)
}

// rest ends the time in which input counts as ours.
func (g *gnome) rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.acts.end()
}

// handled is settle for input of which more may come about: it still counts as ours.
func (g *gnome) handled(ctx context.Context) (at desktop.Point, err error) {
	g.mu.Lock()
	sent, keys, acts := g.sent, g.keys, !g.acts.since.IsZero()
	g.sent, g.keys = nil, false
	g.mu.Unlock()
	for _, c := range sent {
		select {
		case <-c.Done:
			err = errors.Join(err, c.Err)
		case <-ctx.Done():
			return at, context.Cause(ctx)
		}
	}
	if err != nil {
		return at, gnomeError(ctx, err)
	}
	var x, y int32
	err = g.ask(ctx, "Settle", []any{&x, &y}, acts, keys)
	return desktop.Point{X: int(x), Y: int(y)}, err
}

// gnomeState is the state of the session as the extension describes it.
type gnomeState struct {
	Windows  []windowInfo
	Monitors []struct {
		Bounds  rectInfo
		Scale   float64
		Primary bool
	}
	Covered bool // by the overview, a dialog of the shell or the lock screen
}

func (g *gnome) state(ctx context.Context) (s gnomeState, err error) {
	var text string
	if err = g.ask(ctx, "State", []any{&text}); err == nil {
		err = json.Unmarshal([]byte(text), &s)
	}
	return s, err
}

func (g *gnome) outputs(ctx context.Context) (list []desktop.Monitor, err error) {
	s, err := g.state(ctx)
	for i, m := range s.Monitors {
		list = append(list, desktop.Monitor{Name: fmt.Sprint(i), Bounds: m.Bounds.rect(), Primary: m.Primary, Scale: m.Scale})
	}
	return list, err
}

func (g *gnome) windows(ctx context.Context) (list []desktop.Window, err error) {
	s, err := g.state(ctx)
	for _, w := range s.Windows {
		w.Active = w.Active && !s.Covered
		list = append(list, w.window())
	}
	if s.Covered {
		cover := desktop.Window{ID: gnomeCover, Title: "GNOME Shell", Process: "gnome-shell", Popup: true, Active: true}
		for _, m := range s.Monitors {
			cover.Bounds = desktop.RectOf(cover.Bounds.Image().Union(m.Bounds.rect().Image()))
		}
		list = append(list, cover)
	}
	return list, err
}

func (g *gnome) pressedAt(ctx context.Context, at desktop.Point) (id desktop.WindowID, err error) {
	var found uint32
	err = g.ask(ctx, "At", []any{&found}, int32(at.X), int32(at.Y))
	return desktop.WindowID(found), err
}

// gnomeCover is the ID of a window that stands for what the shell shows above all others.
const gnomeCover desktop.WindowID = 1 << 32

func (g *gnome) manage(ctx context.Context, w desktop.Window, m desktop.Manage) error {
	return g.ask(ctx, "Manage", nil, uint32(w.ID), string(m.Do), gnomeBox(m.Bounds))
}

// equip uses the extension and the remote desktop: GNOME announces no protocols for that.
func (g *gnome) equip(d *Driver, _ wire.Seat) {
	ctx, cancel := bounded()
	defer cancel()
	input := g.openRemote(ctx)
	d.pointer.mouse, d.pointer.missing = &gnomeMouse{gnome: g}, input
	d.keyboard.keys, d.keyboard.missing = &gnomeKeys{keyboard: &d.keyboard, gnome: g}, input
	d.clipboard.selection, d.clipboard.missing = g.openSelection(ctx), input
	d.screen.camera, d.screen.missing = g, nil
	d.layers.shell, d.layers.missing = g, nil
	d.watch, d.pressedAt, d.extensions = g.watch, g.pressedAt, g.extensions
	d.sync = func(ctx context.Context) error {
		_, err := g.settle(ctx)
		return err
	}
}

// openRemote starts our session of the remote desktop. It ends with our connection to the bus,
// which releases what it held down.
func (g *gnome) openRemote(ctx context.Context) error {
	var path dbus.ObjectPath
	err := g.bus.Object(gnomeRemote, "/org/gnome/Mutter/RemoteDesktop").CallWithContext(ctx, gnomeRemote+".CreateSession", 0).Store(&path)
	if err == nil {
		remote := g.bus.Object(gnomeRemote, path)
		err = remote.CallWithContext(ctx, gnomeRemote+".Session.Start", 0).Err
	}
	if err == nil { // the first motion creates the mouse, which programs must know before it is used
		g.remote = g.bus.Object(gnomeRemote, path)
		err = g.remote.CallWithContext(ctx, gnomeRemote+".Session.NotifyPointerMotionRelative", 0, 0.0, 0.0).Err
	}
	if err != nil {
		return &desktop.MissingError{What: fmt.Sprintf("GNOME does not let programs press keys or buttons: %v", err)}
	}
	return nil
}

// openSelection starts to listen for changes of the clipboard of the remote desktop.
func (g *gnome) openSelection(ctx context.Context) selection {
	if g.remote == nil {
		return nil
	}
	c := &busClipboard{
		explain: gnomeError,
		ready:   func() error { return nil },
		hyphens: true,
		copied:  true,
		call: func(ctx context.Context, method string, args ...any) *dbus.Call {
			return g.remote.CallWithContext(ctx, gnomeRemote+".Session."+method, 0, args...)
		},
		ask: func(ctx context.Context) (kinds []string, err error) {
			err = g.ask(ctx, "Kinds", []any{&kinds})
			return kinds, err
		},
	}
	listen(g.bus, &g.signals, func(s *dbus.Signal) { c.hear(strings.TrimPrefix(s.Name, gnomeRemote+".Session."), s.Body) })
	_ = g.bus.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(g.remote.Path()))
	_ = g.remote.CallWithContext(ctx, gnomeRemote+".Session.EnableClipboard", 0, map[string]dbus.Variant{}).Err
	return c
}

func (g *gnome) picture(ctx context.Context, part desktop.Rect, _ []desktop.Monitor) (*image.RGBA, error) {
	var data []byte
	if err := g.ask(ctx, "Picture", []any{&data}, gnomeBox(part)); err != nil {
		return nil, err
	}
	decoded, err := desktop.DecodePicture(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the picture from GNOME: %w", err)
	}
	return fitted(decoded, part), nil
}

// gnomeBounds is a rectangle among the arguments of the extension.
type gnomeBounds struct{ X, Y, W, H int32 }

func gnomeBox(r desktop.Rect) gnomeBounds {
	return gnomeBounds{int32(r.X), int32(r.Y), int32(r.W), int32(r.H)}
}

// gnomeLayer is a picture above all windows.
type gnomeLayer struct {
	*gnome
	id uint32
}

func (g *gnome) lay(ctx context.Context, _, at desktop.Point, picture *image.RGBA, takesClicks bool) (layer, error) {
	y := gnomeLayer{gnome: g}
	size := picture.Rect.Size()
	box := gnomeBox(desktop.Rect{X: at.X, Y: at.Y, W: size.X, H: size.Y})
	return y, g.ask(ctx, "Lay", []any{&y.id}, box, picture.Pix, takesClicks)
}

func (y gnomeLayer) close() {
	ctx, cancel := bounded()
	defer cancel()
	_ = y.ask(ctx, "Remove", nil, y.id)
}
