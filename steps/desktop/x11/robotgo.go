//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-vgo/robotgo/x11"

	"understudy/steps/desktop"
)

// robotgo has one connection in a process, which it opens by the environment,
// never reads events from, and waits on for ever. What it is connected to is
// kept here, for all robots; whoever holds the turn may call it.
var toolkit = struct {
	turn     ctxMutex
	to       *xConn // the link beside which its connection was opened
	mappings int64  // how often the mapping had changed then
}{turn: newTurn()}

// stale is after how many changes of the mapping robotgo's connection is
// opened anew, which takes a millisecond: it gets several events for each,
// and stops for ever when 5,000 lie unread.
const stale = 200

// robotgo runs f, which calls robotgo, and makes sure that it could do what
// it did: the display answers before and after, and it is the right one.
func (d *Driver) robotgo(ctx context.Context, l *xConn, f func() error) error {
	if err := l.ping(ctx); err != nil {
		return err
	}
	if err := takeToolkit(ctx); err != nil {
		return err
	}
	opened, done := make(chan struct{}), make(chan error, 1)
	go func() {
		d.aimToolkit(l)
		close(opened)
		done <- f()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		toolkit.turn.give()
		return errors.Join(err, l.ping(ctx))
	case <-timer.C:
	case <-ctx.Done():
		timer.Reset(grace)
		select {
		case err := <-done:
			toolkit.turn.give()
			return err
		case <-timer.C:
		}
	}
	l.cut() // so that the next call starts afresh
	go abandonToolkit(opened)
	return fmt.Errorf("the display %s did not take the input in time: %w", l.place.name, desktop.ErrUnresponsive)
}

// abandonToolkit gives robotgo to the next caller, who opens a new connection.
// While robotgo is still opening this one it can serve nobody else: it comes
// loose when its display moves again, or dies.
func abandonToolkit(opened <-chan struct{}) {
	<-opened
	toolkit.to = nil
	go x11.Close() // it may wait for the call that is stuck
	toolkit.turn.give()
}

// takeToolkit waits for robotgo, which an earlier call may be stuck in.
func takeToolkit(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("an earlier input still waits for its display: %w", desktop.ErrUnresponsive))
	defer cancel()
	return toolkit.turn.take(ctx)
}

// aimToolkit opens robotgo's connection to our display, when it is not open
// or nearly full of unread events. The caller holds the turn.
func (d *Driver) aimToolkit(l *xConn) {
	seen := l.mappings.Load()
	if toolkit.to == l && seen-toolkit.mappings < stale {
		return
	}
	x11.Close()
	os.Setenv("DISPLAY", l.place.name)
	if d.options.Authority != "" {
		os.Setenv("XAUTHORITY", d.options.Authority)
	}
	toolkit.to, toolkit.mappings = l, seen
	x11.GetScreenSize() // anything that opens it
}
