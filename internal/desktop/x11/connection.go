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
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

const (
	// patience bounds the wait for an answer of the display. A display is rarely stuck;
	// on a busy machine it is often slow.
	patience = 10 * time.Second
	// grace is how long a change that was begun may take after its context has ended: it
	// is better completed than cut off with the connection.
	grace = time.Second
)

// xgb logs to standard error what our errors say already.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// xConn is one connection to an X server. All events are read as they arrive, because xgb
// stops for good at 5,000 unread events. A connection that failed once stays cut.
type xConn struct {
	server
	properties
	mapping
	windowTable
	camera
	drawings

	raw     *wire // closing it ends every wait for the server
	address address
	self    xproto.Window // a window that only receives our messages to ourselves
	severed atomic.Bool
	// The event numbers of extensions.
	xkbEvent, damageEvent, fixesEvent byte

	gone  chan struct{}          // closed when nothing more will arrive
	taken atomic.Pointer[func()] // called when a program takes the clipboard

	mappings atomic.Int64  // how often the keyboard mapping has changed
	changed  broadcast     // rung when a watched window changes
	wm       atomic.Uint32 // the window of the window manager when we last looked

	protocols atomic.Uint32 // the atom WM_PROTOCOLS
	pings     pendingPings
	ticks     ticks
}

// server is the connection, and what the server told when it was made.
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
			return nil, fmt.Errorf("the display %s accepts connections but does not answer: %w", p.name, desktop.ErrUnresponsive)
		}
		return nil, lost(p.name, err)
	}
	_ = raw.SetDeadline(time.Time{})
	l := newConn(x)
	l.raw, l.address = raw, p
	go l.drain()
	if err := do(ctx, l, l.prepare); err != nil {
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
	l.properties.server, l.mapping.keyboardExtension.server, l.camera.server, l.drawings.server = s, s, s, s
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

// absent is the error for a display that does not exist. It names those that do.
func absent(p address, err error) error {
	missing := &desktop.MissingError{
		What: "the display " + p.name + " cannot be reached: no X server listens there",
		Mend: "understudy doctor --display virtual",
	}
	// A server that was killed leaves its socket behind.
	others := slices.DeleteFunc(displays(), func(name string) bool { return name == p.name })
	if len(others) > 0 {
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

var errEnded = errors.New("the connection ended")

// lost is the error for a display that refuses us, or ended the connection.
func lost(name string, err error) error {
	return fmt.Errorf("%w (%w)", &desktop.MissingError{
		What: "the display " + name + " cannot be reached",
		Mend: "understudy doctor",
	}, err)
}

// prepare sets up a new connection, so that its first user does not wait for that.
func (l *xConn) prepare() error {
	l.extensions()
	if l.has[xwayland] {
		return desktop.WaylandError("the display " + l.address.name + " is XWayland")
	}
	if !l.has["XTEST"] || !l.has["XKEYBOARD"] {
		return &desktop.MissingError{What: "the display " + l.address.name + " lacks the XTEST or XKEYBOARD extension, so that nothing can be typed or clicked on it"}
	}
	l.protocols.Store(uint32(l.atom("WM_PROTOCOLS")))
	l.ticks.property.Store(uint32(l.atom("_UNDERSTUDY_TICK")))
	var err error
	if l.self, err = xproto.NewWindowId(l.x); err != nil {
		return err
	}
	xproto.CreateWindow(l.x, 0, l.self, l.root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	// Applications answer pings to the root window.
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
			case l.fixesEvent:
				l.clipboardTaken(ev)
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

// cut closes the connection at once, which ends every wait.
func (l *xConn) cut() {
	l.severed.Store(true)
	l.raw.Close()
}

// alive reports whether the connection still stands.
func (l *xConn) alive() bool {
	select {
	case <-l.gone:
		return false
	default:
		return !l.severed.Load()
	}
}

// ping sends a message to ourselves through the server. When it arrives, everything before
// it has been read.
func (l *xConn) ping(ctx context.Context) error {
	n, back := l.pings.ask()
	defer l.pings.answer(n)
	_, err := ask(ctx, l, func() (struct{}, error) {
		l.message(l.self, l.self, 0, xproto.Atom(l.protocols.Load()), 0, n)
		select {
		case <-back:
			return struct{}{}, nil
		case <-l.gone:
			return struct{}{}, io.EOF
		}
	})
	return err
}

// ask calls f, which changes nothing on the server. If the context ends first, ask does not
// wait for it; the connection, which others use too, stays as it is.
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

// perform calls f, which changes something on the server. If the context ends first, f may
// take a little longer. After that the connection is cut, so that nothing is done which
// nobody expects any more.
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

// do is perform for a function without a result.
func do(ctx context.Context, l *xConn, f func() error) error {
	_, err := perform(ctx, l, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// look calls f with the connection. If another call, which gave up, cuts that meanwhile,
// look calls f again with the next one.
func look[T any](ctx context.Context, d *Driver, f func(*xConn) (T, error)) (T, error) {
	for {
		l, err := d.live(ctx)
		if err != nil {
			var none T
			return none, err
		}
		v, err := f(l)
		if !errors.Is(err, errEnded) || !l.severed.Load() {
			return v, err
		}
	}
}

// query is ask on the connection of a driver, whichever that is by then.
func query[T any](ctx context.Context, d *Driver, f func(*xConn) (T, error)) (T, error) {
	return look(ctx, d, func(l *xConn) (T, error) {
		return ask(ctx, l, func() (T, error) { return f(l) })
	})
}

// reply is the result of a function that talked to the server.
type reply[T any] struct {
	v   T
	err error
}

// begin starts f, which talks to the server. If the server stays silent, the connection is
// cut, which ends f and every other wait.
func begin[T any](l *xConn, f func() (T, error)) <-chan reply[T] {
	done := make(chan reply[T], 1)
	silent := time.AfterFunc(patience, func() {
		l.cut()
		done <- reply[T]{err: fmt.Errorf("the display %s did not answer within %v: %w", l.address.name, patience, desktop.ErrUnresponsive)}
	})
	go func() {
		v, err := f()
		if err == nil && !l.alive() { // many requests report no error then
			err = io.EOF
		}
		if silent.Stop() {
			done <- reply[T]{v, l.explain(err)}
		}
	}()
	return done
}

// late is the error for a context that ended before the answer came.
func (l *xConn) late(ctx context.Context) error {
	return fmt.Errorf("the display %s did not answer before the end: %w (%w)", l.address.name, desktop.ErrUnresponsive, context.Cause(ctx))
}

// explain puts an error of the connection into words.
func (l *xConn) explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return lost(l.address.name, errEnded)
	}
	if _, refused := errors.AsType[xgb.Error](err); refused {
		return fmt.Errorf("the X server refused a request: %w", err)
	}
	return err
}

// broadcast wakes everyone who waits for the next ring.
type broadcast struct {
	mu sync.Mutex
	c  chan struct{}
}

// wait returns a channel that the next ring closes.
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
