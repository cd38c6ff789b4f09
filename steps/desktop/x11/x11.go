//go:build linux

package x11

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"understudy/steps/desktop"
)

// Driver acts on one display and looks at it. Its methods may be called from
// several goroutines; input waits for the input before it.
type Driver struct {
	options Options
	place   address
	held    *heldInputs
	own     own
	turn    ctxMutex // input: one action at a time

	pointer  pointer
	keyboard keyboard
	marker   marker
	panel    panel

	linking ctxMutex
	mu      sync.Mutex
	link    *xConn // guarded by mu; may be cut
	closed  bool   // guarded by mu
}

var errClosed = errors.New("the desktop is closed")

// Open connects to a display, and lets go of what a killed robot held there.
func Open(ctx context.Context, o Options) (*Driver, error) {
	p, err := parsePlace(o.Display)
	if err != nil {
		return nil, err
	}
	d := &Driver{options: o, place: p, turn: newTurn(), linking: newTurn()}
	d.pointer = pointer{Driver: d}
	d.keyboard = keyboard{Driver: d, down: map[desktop.Key][]xproto.Keycode{}}
	d.marker = marker{Driver: d}
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

// Desktop returns a desktop.Desktop backed by d; parts that X11 cannot provide
// report that the accessibility bus is missing.
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
		return d.marker.mark(ctx, a)
	case desktop.Unmark:
		return d.marker.unmarkAll(ctx)
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
		return d.keyboard.keyDown(ctx, l, a.Key)
	case desktop.KeyUp:
		return d.keyboard.keyUp(ctx, l, a.Key)
	case desktop.Press:
		return d.keyboard.press(ctx, l, a)
	case desktop.Type:
		return d.keyboard.enter(ctx, l, a.Text)
	}
	return desktop.Unsupported(a)
}

// live is the connection, made again when it was lost.
func (d *Driver) live(ctx context.Context) (*xConn, error) {
	if err := d.linking.take(ctx); err != nil {
		return nil, err
	}
	defer d.linking.give()
	d.mu.Lock()
	l, closed := d.link, d.closed
	d.mu.Unlock()
	if closed {
		return nil, errors.Join(errClosed, desktop.ErrUnavailable)
	}
	if l.alive() {
		return l, nil
	}
	l, err := connect(ctx, d.place, d.options.Authority)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		l.cut()
		return nil, errors.Join(errClosed, desktop.ErrUnavailable)
	}
	d.link = l
	return l, nil
}

// act runs f, which sends input, when it is our turn.
func (d *Driver) act(ctx context.Context, f func(*xConn) error) error {
	if err := d.turn.take(ctx); err != nil {
		return err
	}
	defer d.turn.give()
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	return f(l)
}

// Ping fails with desktop.ErrUnavailable when the display is lost, and with
// desktop.ErrUnresponsive when it is stuck.
func (d *Driver) Ping(ctx context.Context) error {
	_, err := look(ctx, d, func(l *xConn) (struct{}, error) { return struct{}{}, l.ping(ctx) })
	return err
}

// ReleaseAll lets go of every key and button that we hold down.
func (d *Driver) ReleaseAll(ctx context.Context) error {
	if d.held.input().empty() {
		return nil
	}
	return d.act(ctx, func(l *xConn) error {
		clear(d.keyboard.down)
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

// let releases keys and buttons, takes the meaning from bound keys, and lets
// keys repeat.
func (d *Driver) let(ctx context.Context, l *xConn, g heldInput) error {
	_, err := perform(ctx, l, func() (struct{}, error) {
		for _, b := range g.buttons {
			d.own.expect(xproto.ButtonRelease, b)
			xtest.FakeInput(l.x, xproto.ButtonRelease, b, 0, l.root, 0, 0, 0)
		}
		for _, k := range g.keys {
			d.own.expect(xproto.KeyRelease, k)
			xtest.FakeInput(l.x, xproto.KeyRelease, k, 0, l.root, 0, 0, 0)
		}
		if g.still {
			l.setRepeating(false) // so that it changes, and all are told
			l.setRepeating(true)
		}
		return struct{}{}, l.unbind(g.bound)
	})
	return err
}

// unbind makes spare keys mean nothing again, unless a layout has given them
// another meaning since: what we bind, no layout has.
func (l *xConn) unbind(keys []byte) error {
	if len(keys) == 0 {
		l.x.Sync()
		return nil
	}
	if _, err := l.learn(); err != nil {
		return err
	}
	k := &l.keymap
	for _, key := range keys {
		if kc := xproto.Keycode(key); k.looksBound(kc) {
			xproto.ChangeKeyboardMapping(l.x, 1, kc, byte(k.per), make([]xproto.Keysym, k.per))
		}
	}
	l.x.Sync()
	return nil
}

// closeTime is how long letting go of everything may take at the end.
const closeTime = 3 * time.Second

// Close lets go of everything, removes its marks and bindings, and ends the
// connection.
func (d *Driver) Close() error {
	d.mu.Lock()
	l, closed := d.link, d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	var err error
	if l.alive() && d.turn.take(ctx) == nil {
		if len(d.held.input().bound) > 0 {
			err = desktop.Sleep(ctx, rest) // an application may still read what we typed
		}
		err = errors.Join(err, d.let(ctx, l, d.held.input()))
		d.turn.give()
	}
	l.cut()
	if err == nil {
		d.held.close()
	}
	return err
}
