//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

const (
	// patience is how long a display may take to answer. One that is stuck is
	// rare, and one on a busy machine is not.
	patience = 10 * time.Second
	// grace is how long what was begun may still take after the caller has
	// given up: an end of its own is better than a cut connection.
	grace = time.Second
)

// xgb writes to standard error about what we already know.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// xConn is one connection to an X server. Everything that arrives is read at
// once, because xgb stops for good when 5,000 events lie unread. A link that
// failed once stays cut.
type xConn struct {
	server
	properties
	keyboardExtension
	windowTable
	camera
	drawings

	raw     *wire // closing it ends every wait for the server
	place   address
	self    xproto.Window // a window that only receives our messages to ourselves
	severed atomic.Bool
	// The numbers of the events of extensions.
	xkbEvent, damageEvent byte
	gone                  chan struct{} // closed when nothing more will arrive

	mappings atomic.Int64  // how often the keyboard's mapping changed
	changed  broadcast     // rung when a window that we watch changes
	wm       atomic.Uint32 // the window manager's own window when we last looked

	protocols atomic.Uint32 // the atom WM_PROTOCOLS
	echoes    echoes
	ticks     ticks
	keymap    keymap // guarded by Driver.turn
}

// server is what is asked: the connection, and what was told when it was made.
type server struct {
	x      *xgb.Conn
	screen *xproto.ScreenInfo
	root   xproto.Window
	setup  *xproto.SetupInfo
	has    map[string]bool // the extensions
}

func connect(ctx context.Context, p address, authority string) (*xConn, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, p.network, p.address)
	if err != nil {
		return nil, absent(p, err)
	}
	raw := &wire{Conn: conn}
	_ = raw.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	x, err := shakeHands(raw, p.cookie(authority))
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		raw.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, fmt.Errorf("the display %s accepts us but says nothing: %w", p.name, desktop.ErrUnresponsive)
		}
		return nil, lost(p.name, err)
	}
	_ = raw.SetDeadline(time.Time{})
	l := newConn(x)
	l.raw, l.place = raw, p
	go l.drain()
	if _, err := perform(ctx, l, func() (struct{}, error) { return struct{}{}, l.prepare() }); err != nil {
		l.cut()
		return nil, err
	}
	return l, nil
}

func newConn(x *xgb.Conn) *xConn {
	setup := xproto.Setup(x)
	screen := setup.DefaultScreen(x)
	l := &xConn{server: server{x: x, screen: screen, root: screen.Root, setup: setup}, gone: make(chan struct{})}
	s := &l.server
	l.properties.server, l.keyboardExtension.server, l.camera.server, l.drawings.server = s, s, s, s
	l.windowTable.properties, l.drawings.alive = &l.properties, l.alive
	l.ticks.told = make(chan xproto.Timestamp, 2)
	return l
}

func shakeHands(raw net.Conn, cookie string) (*xgb.Conn, error) {
	if cookie == "" {
		return xgb.NewConnNet(raw)
	}
	return xgb.NewConnNetWithCookieHex(raw, cookie)
}

// absent says that there is no display where one was looked for, and which
// there are.
func absent(p address, err error) error {
	missing := &desktop.MissingError{
		What: "the display " + p.name + " cannot be reached: no X server listens there",
		Mend: "understudy doctor --display virtual",
	}
	if others := displays(); len(others) > 0 {
		missing.What += "; on this machine there are " + strings.Join(others, ", ")
		missing.Mend = "understudy doctor --display " + others[0]
	}
	return fmt.Errorf("%w (%w)", missing, err)
}

func displays() (names []string) {
	sockets, _ := filepath.Glob(socketFolder + "X*")
	for _, s := range sockets {
		number := strings.TrimPrefix(s, socketFolder+"X")
		if _, err := strconv.Atoi(number); err == nil {
			names = append(names, ":"+number)
		}
	}
	return names
}

// errEnded says that a connection is no more.
var errEnded = errors.New("the connection ended")

// lost says that a display does not let us in, or no longer.
func lost(name string, err error) error {
	return fmt.Errorf("%w (%w)", &desktop.MissingError{
		What: "the display " + name + " cannot be reached",
		Mend: "understudy doctor",
	}, err)
}

// prepare does what the first user of a link would otherwise wait for.
func (l *xConn) prepare() error {
	l.extensions()
	if l.has[xwayland] {
		return desktop.WaylandError("the display " + l.place.name + " is XWayland")
	}
	if !l.has["XTEST"] || !l.has["XKEYBOARD"] {
		return &desktop.MissingError{What: "the display " + l.place.name + " lacks the XTEST or XKEYBOARD extension, so that nothing can be typed or clicked on it"}
	}
	l.protocols.Store(uint32(l.atom("WM_PROTOCOLS")))
	l.ticks.property.Store(uint32(l.atom("_UNDERSTUDY_TICK")))
	var err error
	if l.self, err = xproto.NewWindowId(l.x); err != nil {
		return err
	}
	xproto.CreateWindow(l.x, 0, l.self, l.root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	// Applications send their answers to the children of the root window.
	const mask = xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify | xproto.EventMaskSubstructureNotify
	xproto.ChangeWindowAttributes(l.x, l.root, xproto.CwEventMask, []uint32{mask})
	l.useDamage()
	return l.useXKB()
}

// drain reads events until the connection ends.
func (l *xConn) drain() {
	defer close(l.gone)
	for {
		ev, err := l.x.WaitForEvent()
		if ev == nil && err == nil {
			return
		}
		switch ev := ev.(type) {
		case otherEvent:
			switch ev.number() {
			case l.xkbEvent:
				l.mappings.Add(1)
			case l.damageEvent:
				go l.painted(damage.Damage(xgb.Get32(ev[8:])))
			}
		case xproto.PropertyNotifyEvent:
			l.ticks.take(ev)
			l.changed.ring()
		case xproto.ConfigureNotifyEvent, xproto.UnmapNotifyEvent, xproto.MapNotifyEvent, xproto.DestroyNotifyEvent:
			l.changed.ring()
		case xproto.ClientMessageEvent:
			l.echo(ev)
		}
	}
}

// cut ends the connection at once, and with it every wait.
func (l *xConn) cut() {
	l.severed.Store(true)
	l.raw.Close()
}

// alive says whether the connection still stands.
func (l *xConn) alive() bool {
	select {
	case <-l.gone:
		return false
	default:
		return !l.severed.Load()
	}
}

// ping sends a message to ourselves through the server. When it has come
// back, everything that came before it has been read.
func (l *xConn) ping(ctx context.Context) error {
	n, back := l.echoes.ask()
	defer l.echoes.answer(n)
	_, err := ask(ctx, l, func() (struct{}, error) {
		l.message(l.self, l.self, xproto.Atom(l.protocols.Load()), 0, n)
		select {
		case <-back:
			return struct{}{}, nil
		case <-l.gone:
			return struct{}{}, io.EOF
		}
	})
	return err
}

// ask runs f, which changes nothing, and returns what it says. When the context
// ends, nobody waits for the answer any longer, and the link stays as it is:
// others use it too.
func ask[T any](ctx context.Context, l *xConn, f func() (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	select {
	case a := <-begin(l, f):
		return a.v, a.err
	case <-ctx.Done():
		return none, l.late(ctx)
	}
}

// perform runs f, which changes something, and returns what it does. When the
// context ends, f may come to its own end; else the link is cut, so that
// nothing is done when nobody expects it any more.
func perform[T any](ctx context.Context, l *xConn, f func() (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	done := begin(l, f)
	select {
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a.v, a.err
	case <-time.After(grace):
		l.cut()
		return none, l.late(ctx)
	}
}

// look asks on the connection that stands. Should another call, which gave up,
// cut it meanwhile, it asks again on the next one.
func look[T any](ctx context.Context, d *Driver, ask func(*xConn) (T, error)) (T, error) {
	for {
		l, err := d.live(ctx)
		if err != nil {
			var none T
			return none, err
		}
		v, err := ask(l)
		if !errors.Is(err, errEnded) || !l.severed.Load() {
			return v, err
		}
	}
}

// reply is what came of a talk with the server.
type reply[T any] struct {
	v   T
	err error
}

// begin runs f, which talks to the server. When that stays silent the link is
// cut, which ends f and every other wait.
func begin[T any](l *xConn, f func() (T, error)) <-chan reply[T] {
	done := make(chan reply[T], 1)
	silent := time.AfterFunc(patience, func() {
		l.cut()
		done <- reply[T]{err: fmt.Errorf("the display %s did not answer within %v: %w", l.place.name, patience, desktop.ErrUnresponsive)}
	})
	go func() {
		v, err := f()
		if err == nil && !l.alive() { // much of what is asked says nothing of it
			err = io.EOF
		}
		if silent.Stop() {
			done <- reply[T]{v, l.explain(err)}
		}
	}()
	return done
}

// late says that the context ended before the answer came.
func (l *xConn) late(ctx context.Context) error {
	return fmt.Errorf("the display %s did not answer before the end: %w (%w)", l.place.name, desktop.ErrUnresponsive, context.Cause(ctx))
}

// explain says in our words what went wrong on the connection.
func (l *xConn) explain(err error) error {
	var refusal xgb.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return lost(l.place.name, errEnded)
	case errors.As(err, &refusal):
		return fmt.Errorf("the X server refused a request: %w", err)
	}
	return err
}

// broadcast wakes everyone who waits for the next ring.
type broadcast struct {
	mu sync.Mutex
	c  chan struct{}
}

// wait is closed by the next ring.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

func (b *broadcast) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}

// ctxMutex is a lock that can be given up waiting for.
type ctxMutex chan struct{}

func newTurn() ctxMutex { return make(ctxMutex, 1) }

// take waits for the turn; the caller gives it back.
func (t ctxMutex) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t ctxMutex) give() { <-t }
