//go:build linux

package x11

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// Driver acts on one display and looks at it. Its methods may be called from several
// goroutines; input waits for the input before it.
type Driver struct {
	options Options
	address address
	held    *heldInputs
	own     own
	inputMu input.Mutex // held during each action of pointer or keyboard

	pointer  pointer
	keyboard keyboard
	marks    input.Marks
	panel    panel

	linking input.Mutex // held while connecting
	mu      sync.Mutex
	link    *xConn // guarded by mu; may be cut
	closed  bool   // guarded by mu
}

var errClosed = errors.Join(errors.New("the desktop is closed"), desktop.ErrUnavailable)

// Open connects to a display and releases what a killed process held there.
func Open(ctx context.Context, o Options) (*Driver, error) {
	p, err := parseAddress(o.Display)
	if err != nil {
		return nil, err
	}
	d := &Driver{options: o, address: p, inputMu: input.NewMutex(), linking: input.NewMutex()}
	d.pointer = pointer{Driver: d}
	d.keyboard = keyboard{Driver: d, down: map[desktop.Key][]xproto.Keycode{}}
	l, err := connect(ctx, p, o.Authority)
	if err != nil {
		return nil, err
	}
	d.link = l
	err = leftovers(o.Dir, o.Display, func(g heldInput) error { return d.let(ctx, l, g) })
	if err == nil {
		d.held, err = openHeld(o.Dir, o.Display)
	}
	if err != nil {
		l.cut()
		return nil, err
	}
	return d, nil
}

// Desktop returns a desktop.Desktop backed by d; parts that X11 cannot provide report that
// the accessibility bus is missing.
func (d *Driver) Desktop() *desktop.Desktop {
	all := desktop.Missing(&desktop.MissingError{What: "this needs the accessibility bus"})
	all.Actor, all.Pointer, all.Screen, all.WindowLister = d, &d.pointer, screen{d}, d
	all.Clipboard, all.Input, all.Session = clipboard{d}, d, d
	return all
}

// Do performs an action. Those of pointer and keyboard come one at a time.
func (d *Driver) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Manage:
		return d.manage(ctx, a)
	case desktop.WriteClipboard:
		return clipboard{d}.write(ctx, a.Text)
	case desktop.Mark:
		return d.mark(ctx, a)
	case desktop.Unmark:
		return d.marks.RemoveAll(ctx)
	case desktop.Panel:
		return d.panel.show(ctx, d, a)
	}
	return d.act(ctx, func(l *xConn) error { return d.input(ctx, l, a) })
}

// input performs an action of pointer or keyboard.
func (d *Driver) input(ctx context.Context, l *xConn, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.MovePointer:
		return d.pointer.move(ctx, l, a.To)
	case desktop.ButtonDown:
		return d.pointer.buttonDown(ctx, l, a)
	case desktop.ButtonUp:
		return d.pointer.buttonUp(ctx, l, a.Button)
	case desktop.Click:
		return d.pointer.click(ctx, l, a)
	case desktop.Scroll:
		return d.pointer.scroll(ctx, l, a.DX, a.DY)
	case desktop.KeyDown:
		return d.keyboard.setKey(ctx, l, a.Key, true, a.In)
	case desktop.KeyUp:
		return d.keyboard.setKey(ctx, l, a.Key, false, nil)
	case desktop.Press:
		return d.keyboard.press(ctx, l, a)
	case desktop.Type:
		return d.keyboard.enter(ctx, l, a.Text, a.In)
	}
	return desktop.Unsupported(a)
}

// live returns the connection. It connects again if that was lost.
func (d *Driver) live(ctx context.Context) (*xConn, error) {
	if err := d.linking.Lock(ctx); err != nil {
		return nil, err
	}
	defer d.linking.Unlock()
	d.mu.Lock()
	l, closed := d.link, d.closed
	d.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	if l.alive() {
		return l, nil
	}
	l, err := connect(ctx, d.address, d.options.Authority)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		l.cut()
		return nil, errClosed
	}
	d.link = l
	return l, nil
}

// act calls f, which sends input, after the input before it.
func (d *Driver) act(ctx context.Context, f func(*xConn) error) error {
	if err := d.inputMu.Lock(ctx); err != nil {
		return err
	}
	defer d.inputMu.Unlock()
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	return f(l)
}

// Ping fails with desktop.ErrUnavailable if the display is lost, and with
// desktop.ErrUnresponsive if it is stuck.
func (d *Driver) Ping(ctx context.Context) error {
	_, err := look(ctx, d, func(l *xConn) (struct{}, error) { return struct{}{}, l.ping(ctx) })
	return err
}

// ReleaseAll releases all keys and buttons that are held.
func (d *Driver) ReleaseAll(ctx context.Context) error {
	if d.held.input().empty() {
		return nil
	}
	return d.act(ctx, func(l *xConn) error {
		clear(d.keyboard.down)
		d.keyboard.still = false
		g := d.held.input()
		g.bound = nil
		if err := d.let(ctx, l, g); err != nil {
			return err
		}
		for _, k := range g.keys {
			d.held.key(k, false)
		}
		for _, b := range g.buttons {
			d.held.button(b, false)
		}
		d.held.repeat(false)
		return nil
	})
}

// let releases keys and buttons, unbinds spare keys, and makes keys repeat again.
func (d *Driver) let(ctx context.Context, l *xConn, g heldInput) error {
	return do(ctx, l, func() error {
		for _, b := range g.buttons {
			d.own.expect(xproto.ButtonRelease, b)
			xtest.FakeInput(l.x, xproto.ButtonRelease, b, 0, l.root, 0, 0, 0)
		}
		for _, k := range g.keys {
			d.own.expect(xproto.KeyRelease, k)
			xtest.FakeInput(l.x, xproto.KeyRelease, k, 0, l.root, 0, 0, 0)
		}
		if g.still {
			l.setRepeating(false) // so that it changes, and everyone is notified
			l.setRepeating(true)
			if err := l.repeatWhenGone(false); err != nil {
				return err
			}
		}
		return l.unbind(g.bound)
	})
}

// closeTime bounds the releasing of everything at the end.
const closeTime = 3 * time.Second

// Close releases everything, removes marks and bindings, and closes the connection. What it
// cannot release stays in the notes, for the next driver.
func (d *Driver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := d.inputMu.Lock(ctx)
	if err == nil {
		defer d.inputMu.Unlock()
		err = d.letAll(ctx)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.link.cut()
	if err == nil || errors.Is(err, desktop.ErrUnavailable) { // a display that is gone holds nothing
		d.held.close()
		return nil
	}
	return err
}

// letAll releases everything that is held and bound.
func (d *Driver) letAll(ctx context.Context) error {
	g := d.held.input()
	if g.empty() && len(g.bound) == 0 {
		return nil
	}
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	if len(g.bound) > 0 {
		err = desktop.Sleep(ctx, rest) // an application may still read what we typed
	}
	return errors.Join(err, d.let(ctx, l, g))
}
