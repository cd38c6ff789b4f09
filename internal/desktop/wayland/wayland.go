//go:build linux

package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/wayland/wire"
)

// A Driver acts on one session and looks at it. Its methods may be called from several
// goroutines; input waits for the input before it.
type Driver struct {
	options Options
	conn    *wire.Conn
	place   placement
	optional
	inputMu input.Mutex // held during each action of pointer or keyboard
	// sync returns when the compositor has handled all requests.
	sync func(context.Context) error
	// ready fails if a person has ended the session.
	ready func() error
	// watch reports what a person does.
	watch func(context.Context, func(desktop.InputEvent)) error

	pointer   pointer
	keyboard  keyboard
	clipboard clipboard
	screen    screen
	layers    layers
}

// Open connects to a session. It fails with a desktop.WaylandError if the windows cannot be
// found: clicks would land anywhere.
func Open(ctx context.Context, o Options) (*Driver, error) {
	path := socketOf(o.Display)
	conn, err := wire.Dial(ctx, path)
	if err != nil {
		return nil, &desktop.MissingError{What: fmt.Sprintf("the Wayland display %s does not answer: %v", o.Display, err), Mend: "export WAYLAND_DISPLAY=wayland-0", Wayland: true}
	}
	d := &Driver{options: o, conn: conn, inputMu: input.NewMutex(), sync: conn.Sync, ready: func() error { return nil }, watch: watchNothing}
	if err := d.open(ctx, filepath.Dir(path)); err != nil {
		d.end()
		return nil, err
	}
	return d, nil
}

// socketOf returns the path of a display's socket.
func socketOf(display string) string {
	if filepath.IsAbs(display) {
		return display
	}
	return filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), cmp.Or(display, "wayland-0"))
}

func (d *Driver) open(ctx context.Context, folder string) (err error) {
	err = desktop.ErrNotFound
	if !d.options.Portal.Only {
		d.place, err = findPlacement(ctx, d.conn.Peer(), folder)
	}
	if errors.Is(err, desktop.ErrNotFound) {
		d.place, err = d.openFrames(ctx)
	}
	if err != nil {
		return err
	}
	seat, err := wire.BindSeat(d.conn, 0, wire.SeatEvents{})
	if err != nil {
		return err
	}
	d.pointer = pointer{Driver: d, held: map[desktop.Button]bool{}}
	d.pointer.mouse, d.pointer.missing = newVirtualMouse(d, seat)
	d.keyboard = keyboard{Driver: d, down: map[desktop.Key]stroke{}}
	d.keyboard.keys, d.keyboard.missing = newVirtualKeys(&d.keyboard, seat)
	d.clipboard = clipboard{Driver: d}
	d.clipboard.selection, d.clipboard.missing = newDataControl(d, seat)
	d.screen = screen{Driver: d, seen: map[drawnArea]drawn{}}
	d.screen.camera, d.screen.missing = newScreencopy(d)
	d.layers = layers{Driver: d}
	shell, err := newLayerShell(d, seat)
	d.layers.shell, d.layers.missing, d.layers.askPointer = shell, err, shell.askPointer
	d.place.equip(d, seat)
	var missing *desktop.MissingError
	if errors.As(d.pointer.missing, &missing) && missing.Setup {
		return missing
	}
	return d.sync(ctx)
}

// Desktop returns a desktop.Desktop backed by d; parts that Wayland cannot
// provide say so.
func (d *Driver) Desktop() *desktop.Desktop {
	all := desktop.Missing(&desktop.MissingError{What: "this needs the accessibility bus"})
	all.Actor, all.Pointer, all.Screen, all.WindowLister = d, &d.pointer, &d.screen, d
	all.Clipboard, all.Input, all.Session = &d.clipboard, d, d
	return all
}

// Extensions reports for each protocol that is used whether the compositor announces it.
func (d *Driver) Extensions(context.Context) (map[string]bool, error) {
	if d.extensions != nil {
		return d.extensions(), nil
	}
	found := map[string]bool{}
	for _, name := range []string{"zwlr_virtual_pointer_manager_v1", "zwp_virtual_keyboard_manager_v1", "zwlr_screencopy_manager_v1", "zwlr_data_control_manager_v1", "zwlr_layer_shell_v1"} {
		found[name] = d.conn.Count(name) > 0
	}
	return found, nil
}

// Consent says when a person is asked for permission; "" if nobody is.
func (d *Driver) Consent() string {
	if d.consent == nil {
		return ""
	}
	return d.consent()
}

// Do performs an action. Those of pointer and keyboard come one at a time.
func (d *Driver) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Manage:
		return d.manage(ctx, a)
	case desktop.WriteClipboard:
		return d.clipboard.write(ctx, a.Text)
	case desktop.Mark:
		return d.layers.mark(ctx, a)
	case desktop.Unmark:
		return d.layers.unmarkAll(ctx)
	case desktop.Panel:
		return d.layers.panel(ctx, a)
	}
	return d.act(ctx, func() error { return d.input(ctx, a) })
}

// act calls f, which sends input, after the input before it, and returns when the compositor
// has handled it.
func (d *Driver) act(ctx context.Context, f func() error) error {
	if err := d.inputMu.Lock(ctx); err != nil {
		return err
	}
	defer d.inputMu.Unlock()
	if err := d.ready(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return d.sync(ctx)
}

// input performs an action of pointer or keyboard.
func (d *Driver) input(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.MovePointer:
		return d.pointer.move(ctx, a.To)
	case desktop.ButtonDown:
		return d.pointer.buttonDown(ctx, a)
	case desktop.ButtonUp:
		return d.pointer.buttonUp(a.Button)
	case desktop.Click:
		return d.pointer.click(ctx, a)
	case desktop.Scroll:
		return d.pointer.scroll(a.DX, a.DY)
	case desktop.KeyDown:
		return d.keyboard.setKey(ctx, a.Key, true)
	case desktop.KeyUp:
		return d.keyboard.setKey(ctx, a.Key, false)
	case desktop.Press:
		return d.keyboard.press(ctx, a)
	case desktop.Type:
		return d.keyboard.enter(ctx, a.Text)
	}
	return desktop.Unsupported(a)
}

// Windows returns the windows from the bottom of the stack to its top.
func (d *Driver) Windows(ctx context.Context) ([]desktop.Window, error) { return d.place.windows(ctx) }

// window returns the window with an id as it is now.
func (d *Driver) window(ctx context.Context, id desktop.WindowID) (desktop.Window, error) {
	all, err := d.place.windows(ctx)
	if err != nil {
		return desktop.Window{}, err
	}
	if w := desktop.Windows(all).ByID(id); w != nil {
		return *w, nil
	}
	return desktop.Window{}, fmt.Errorf("window %d: %w", id, desktop.ErrNotFound)
}

// settle bounds the wait for the change of a window to show, and for answers.
const settle = 3 * time.Second

// manage changes a window and returns when the change can be seen. It fails with
// desktop.ErrRefused if the window stays as it was.
func (d *Driver) manage(ctx context.Context, m desktop.Manage) error {
	before, err := d.window(ctx, m.Window)
	if err != nil {
		return err
	}
	if m.Do == desktop.Place && m.Bounds.W == 0 && m.Bounds.H == 0 {
		m.Bounds.W, m.Bounds.H = before.Bounds.W, before.Bounds.H
	}
	if err := d.place.manage(ctx, before, m); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("window %q: %s did not happen within %v: %w", before.Title, m.Do, settle, desktop.ErrRefused))
	defer cancel()
	var last input.Settling
	for {
		w, err := d.window(ctx, m.Window)
		settled, moved := last.Settled(w.Bounds), w.Bounds != before.Bounds
		switch {
		case m.Do == desktop.Close && errors.Is(err, desktop.ErrNotFound):
			return nil
		case err != nil:
			return err
		case m.Do == desktop.Place && (w.Bounds == m.Bounds || moved && settled):
			return nil
		case m.Do == desktop.Minimize && w.Minimized && !w.Active, m.Do == desktop.Maximize && w.Maximized && (before.Maximized || moved):
			return nil
		case m.Do == desktop.Activate && w.Active && w.Shows():
			return nil
		case m.Do == desktop.Restore && w.Active && w.Shows() && (before.Minimized || !w.Maximized && (!before.Maximized || moved)):
			return nil
		}
		if err := desktop.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// Info describes the session.
func (d *Driver) Info(ctx context.Context) (desktop.Info, error) {
	monitors, err := d.screen.Monitors(ctx)
	env := append([]string{"WAYLAND_DISPLAY=" + socketOf(d.options.Display)}, d.options.Env...)
	return desktop.Info{System: "linux", Display: d.options.Display, Manager: d.place.name(), Monitors: monitors, Env: env}, err
}

// Ping fails with desktop.ErrUnavailable if the session is lost, and with
// desktop.ErrUnresponsive if it is stuck.
func (d *Driver) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the compositor of %s: %w", d.options.Display, desktop.ErrUnresponsive))
	defer cancel()
	if err := d.ready(); err != nil {
		return err
	}
	return d.conn.Sync(ctx)
}

// Watch reports what a person does, as far as the compositor tells that, and first what it
// never tells.
func (d *Driver) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	return d.watch(ctx, f)
}

// watchNothing reports nothing: by no protocol does a compositor tell what is typed or clicked
// in the windows of others.
func watchNothing(ctx context.Context, f func(desktop.InputEvent)) error {
	f(desktop.InputEvent{
		Type: desktop.WatchBegan, Time: time.Now(),
		Unreported: []desktop.InputType{desktop.KeyPress, desktop.KeyRelease, desktop.ButtonPress, desktop.ButtonRelease, desktop.PointerMove, desktop.WheelTurn, desktop.ClipboardTaken},
	})
	<-ctx.Done()
	return context.Cause(ctx)
}

// ReleaseAll releases all keys and buttons that are held.
func (d *Driver) ReleaseAll(ctx context.Context) error {
	return d.act(ctx, func() error {
		d.pointer.release()
		d.keyboard.release()
		return nil
	})
}

// Close releases everything and ends the connection. In a session that is lost, nothing is
// held any more.
func (d *Driver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	err := d.ReleaseAll(ctx)
	d.end()
	if errors.Is(err, desktop.ErrUnavailable) {
		return nil
	}
	return err
}

// end ends the connections.
func (d *Driver) end() {
	if d.place != nil {
		d.place.close()
	}
	d.conn.Close()
}
