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
	"understudy/steps/desktop/input"
)

// Robot is a connection to one display. Its methods are the parts of a
// desktop.Desktop that Desktop puts together; they may be called from several
// goroutines, and input waits its turn.
type Robot struct {
	o       Options
	place   place
	held    *held
	own     own
	turn    turn                             // input: one action at a time
	down    map[desktop.Key][]xproto.Keycode // what KeyDown pressed; guarded by turn
	pressed input.Presses                    // guarded by turn
	gap     time.Duration                    // between the clicks of a multiple click; none but in tests

	linking turn
	mu      sync.Mutex
	link    *link // guarded by mu; may be cut
	closed  bool  // guarded by mu
	marks   marks
}

var errClosed = errors.New("the desktop is closed")

// Open connects to a display, and lets go of what a killed robot held there.
func Open(ctx context.Context, o Options) (*Robot, error) {
	p, err := parsePlace(o.Display)
	if err != nil {
		return nil, err
	}
	r := &Robot{o: o, place: p, turn: newTurn(), linking: newTurn(), down: map[desktop.Key][]xproto.Keycode{}}
	l, err := connect(ctx, p, o.Authority)
	if err != nil {
		return nil, err
	}
	r.link = l
	err = leftovers(o.Dir, o.Display, func(g grip) error { return r.let(ctx, l, g) })
	if err == nil {
		r.held, err = openHeld(o.Dir, o.Display)
	}
	if err != nil {
		l.cut()
		return nil, err
	}
	return r, nil
}

// Desktop is a desktop of which this robot is every part that it can be.
func (r *Robot) Desktop() *desktop.Desktop {
	d := desktop.Missing(&desktop.MissingError{What: "this needs the accessibility bus"})
	d.Pointer, d.Keyboard, d.Screen, d.Windows = r, r, r, r
	d.Clipboard, d.Marker, d.Input, d.Session = r, r, r, r
	return d
}

// live is the connection, made again when it was lost.
func (r *Robot) live(ctx context.Context) (*link, error) {
	if err := r.linking.take(ctx); err != nil {
		return nil, err
	}
	defer r.linking.give()
	r.mu.Lock()
	l, closed := r.link, r.closed
	r.mu.Unlock()
	if closed {
		return nil, errors.Join(errClosed, desktop.ErrUnavailable)
	}
	if l.alive() {
		return l, nil
	}
	l, err := connect(ctx, r.place, r.o.Authority)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		l.cut()
		return nil, errors.Join(errClosed, desktop.ErrUnavailable)
	}
	r.link = l
	return l, nil
}

// act runs f, which sends input, when it is our turn.
func (r *Robot) act(ctx context.Context, f func(*link) error) error {
	if err := r.turn.take(ctx); err != nil {
		return err
	}
	defer r.turn.give()
	l, err := r.live(ctx)
	if err != nil {
		return err
	}
	return f(l)
}

// Ping fails with desktop.ErrUnavailable when the display is lost, and with
// desktop.ErrUnresponsive when it is stuck.
func (r *Robot) Ping(ctx context.Context) error {
	_, err := look(ctx, r, func(l *link) (struct{}, error) { return struct{}{}, l.ping(ctx) })
	return err
}

// ReleaseAll lets go of every key and button that we hold down.
func (r *Robot) ReleaseAll(ctx context.Context) error {
	if r.held.grip().empty() {
		return nil
	}
	return r.act(ctx, func(l *link) error {
		clear(r.down)
		g := r.held.grip()
		g.bound = nil
		if err := r.let(ctx, l, g); err != nil {
			return err
		}
		for _, k := range g.keys {
			r.held.key(k, false)
		}
		for _, b := range g.buttons {
			r.held.button(b, false)
		}
		r.held.repeat(false)
		return nil
	})
}

// let releases keys and buttons, takes the meaning from bound keys, and lets
// keys repeat.
func (r *Robot) let(ctx context.Context, l *link, g grip) error {
	_, err := perform(ctx, l, func() (struct{}, error) {
		for _, b := range g.buttons {
			r.own.expect(xproto.ButtonRelease, b)
			xtest.FakeInput(l.x, xproto.ButtonRelease, b, 0, l.root, 0, 0, 0)
		}
		for _, k := range g.keys {
			r.own.expect(xproto.KeyRelease, k)
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
func (l *link) unbind(keys []byte) error {
	if len(keys) == 0 {
		l.x.Sync()
		return nil
	}
	if _, err := l.learn(); err != nil {
		return err
	}
	k := &l.keyboard
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
func (r *Robot) Close() error {
	r.mu.Lock()
	l, closed := r.link, r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	var err error
	if l.alive() && r.turn.take(ctx) == nil {
		if len(r.held.grip().bound) > 0 {
			err = desktop.Sleep(ctx, rest) // an application may still read what we typed
		}
		err = errors.Join(err, r.let(ctx, l, r.held.grip()))
		r.turn.give()
	}
	l.cut()
	if err == nil {
		r.held.close()
	}
	return err
}
